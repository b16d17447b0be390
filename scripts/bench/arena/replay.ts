/* Replays one set of recorded outcomes through the engine, in one random order. */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { generator } from "../../../src/stats/Generator.ts"
import { mean } from "./averages.ts"
import { type Picks, setFigures, type SetFigures } from "./figures.ts"
import {
  catalogJson, type FamilyHalf, inputTokensOf, isOfHalf, labelSourceOf, modelIdsOf, type OutcomeRow, outcomeOf, readRows,
  recordedOf
} from "./outcomes.ts"
import { shuffled } from "./random.ts"
import { type Advice, layerInProcess, Service } from "./service.ts"
import type { SettingsOver } from "./settings.ts"

/** How a set is replayed; everything but the seed. */
export interface ReplayOptions {
  readonly folder: string
  readonly sliders: ReadonlyArray<number>
  /** True if the sliders are values of success instead. Their unit is the mean cost of the stream's dearest model. */
  readonly areValues: boolean
  readonly limit: number
  /** The families whose models are the candidates. */
  readonly families: FamilyHalf
  /** True if the models' priors are shuffled among them, so that only outcomes tell how good a model is. */
  readonly arePriorsDealt: boolean
  /** True if a request names the type that the data give its task. */
  readonly isTypeGiven: boolean
  readonly settings: SettingsOver
}

export interface ReplayTask extends ReplayOptions {
  readonly set: string
  readonly seed: number
}

export interface ReplayReport extends SetFigures {
  readonly set: string
  readonly seed: number
  readonly rows: number
  readonly models: number
  /** SHA-256 of each slider's picks, first 16 hex digits: equal digests are equal picks. */
  readonly picksDigests: ReadonlyArray<string>
}

/** One stream of prompts, with the outcome of every model at each. */
export interface Stream {
  readonly set: string
  readonly rows: ReadonlyArray<OutcomeRow>
  readonly modelIds: ReadonlyArray<string>
  readonly catalog: string
  /** Mean cost of the dearest model, USD. */
  readonly dearestUsd: number
}

let lastRead: { readonly key: string; readonly rows: ReadonlyArray<OutcomeRow> } | null = null

const rowsOf = (folder: string, set: string): ReadonlyArray<OutcomeRow> => {
  const key = `${folder}/${set}`
  if (lastRead?.key !== key) lastRead = { key, rows: readRows(folder, set) }
  return lastRead.rows
}

/** Shuffles the models' priors; yields, for a model's id, the id whose prior it gets. */
export const dealt = (modelIds: ReadonlyArray<string>, seed: number) => {
  const dealtIds = shuffled(modelIds, generator(seed + 11))
  return (modelId: string): string => dealtIds[modelIds.indexOf(modelId)] ?? modelId
}

export const streamOf = (task: ReplayTask): Stream => {
  const all = rowsOf(task.folder, task.set)
  const rows = shuffled(all, generator(task.seed)).slice(0, task.limit)
  const modelIds = modelIdsOf(all).filter((modelId) => isOfHalf(task.families, modelId))
  if (modelIds.length < 2) throw new Error(`${task.set} has no choice among its ${task.families} families`)
  return {
    set: task.set,
    rows,
    modelIds,
    catalog: catalogJson(task.folder, all, task.arePriorsDealt ? dealt(modelIds, task.seed) : undefined),
    dearestUsd: Math.max(...modelIds.map((id) => mean(rows.map(({ models }) => models[id]!.cost_usd))))
  }
}

/** Leaves out the row's other fields, which a client could not know. */
const askOf = (task: ReplayTask, stream: Stream, row: OutcomeRow, slider: number, lane: string): object => {
  return {
    task: {
      task: row.prompt,
      ...(task.isTypeGiven ? { task_type: row.task_type } : {}),
      expected_input_tokens: inputTokensOf(row)
    },
    ...(task.areValues ? { success_value_usd: slider * stream.dearestUsd } : { cost_quality_tradeoff: slider }),
    max_candidates: Math.min(64, stream.modelIds.length),
    explain: false,
    allow_llm_escalation: false,
    constraints: { candidate_models: stream.modelIds },
    namespace: lane
  }
}

const saidOf = (row: OutcomeRow, advice: Advice, modelId: string): object => {
  const { cost_usd, input_tokens, latency_ms, output_tokens, quality } = recordedOf(row.models, modelId)
  return {
    recommendation_id: advice.recommendationId,
    chosen_model_id: modelId,
    outcome: outcomeOf(quality),
    quality_score: quality,
    evidence_source: labelSourceOf(row),
    input_tokens: input_tokens ?? null,
    output_tokens: output_tokens ?? null,
    actual_cost_usd: cost_usd,
    ...(latency_ms ? { latency_ms } : {})
  }
}

/** Asks about the row at `index`. */
export const advise = Effect.fnUntraced(function*(
  task: ReplayTask,
  stream: Stream,
  index: number,
  slider: number,
  lane: string
) {
  const service = yield* Service
  return yield* service.recommend(askOf(task, stream, stream.rows[index]!, slider, lane))
})

/** Asks about the row at `index` and reports the model that `choose` took, the recommended one mostly. */
export const turn = Effect.fnUntraced(function*(
  task: ReplayTask,
  stream: Stream,
  index: number,
  slider: number,
  lane: string,
  choose: (advice: Advice) => string = (advice) => advice.modelId
) {
  const service = yield* Service
  const advice = yield* advise(task, stream, index, slider, lane)
  const modelId = choose(advice)
  yield* service.feedback(saidOf(stream.rows[index]!, advice, modelId))
  return { advice, modelId }
})

const laneOf = (task: ReplayTask, slider: number): string =>
  `replay-${task.set}-${slider}-${task.seed}-${process.pid}`

const replaySlider = Effect.fnUntraced(function*(task: ReplayTask, stream: Stream, slider: number) {
  const modelIds: Array<string> = []
  const predicted: Array<number> = []
  for (let index = 0; index < stream.rows.length; index++) {
    const { advice } = yield* turn(task, stream, index, slider, laneOf(task, slider))
    modelIds.push(advice.modelId)
    predicted.push(advice.predicted)
  }
  const picks: Picks = { slider, modelIds, predicted }
  return picks
})

/** The engine in process, which knows the stream's models. */
export const serviceOf = (task: ReplayTask, stream: Stream) => layerInProcess(stream.catalog, task.settings)

const digestOf = (modelIds: ReadonlyArray<string>): string =>
  createHash("sha256").update(modelIds.join("\n")).digest("hex").slice(0, 16)

/** Replays one set in one order, every slider in an engine of its own. */
export const replay = (task: ReplayTask) =>
  Effect.gen(function*() {
    const stream = streamOf(task)
    const picked = yield* Effect.forEach(task.sliders, (slider) =>
      replaySlider(task, stream, slider).pipe(Effect.provide(serviceOf(task, stream))))
    const report: ReplayReport = {
      set: task.set,
      seed: task.seed,
      rows: stream.rows.length,
      models: stream.modelIds.length,
      picksDigests: picked.map((picks) => digestOf(picks.modelIds)),
      ...setFigures(stream.rows.map(({ models }) => models), stream.modelIds, picked, task.seed)
    }
    return report
  })
