/* Runs one drawn workload through the engine, once for each slider. */
import { Effect } from "effect"
import { usdOf } from "../../../src/domain/model/Cost.ts"
import { threshold } from "../../../src/engine/policies/Criteria.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { candidateOf, layerInProcess, Service } from "./service.ts"
import type { SettingsOver } from "./settings.ts"
import {
  type Answered, outcomesUntilLeft, workloadFigures, type WorkloadFigures
} from "./workload-figures.ts"
import { type Contender, type Prompt, type Workload, type WorkloadName, workloadOf } from "./workloads.ts"

export interface WorkloadTask {
  readonly workload: WorkloadName
  readonly seed: number
  readonly prompts: number
  readonly sliders: ReadonlyArray<number>
  readonly settings: SettingsOver
}

export interface WorkloadRun extends WorkloadFigures {
  readonly slider: number
  /**
   * In w6, outcomes of the broken kind until its model was no longer picked, or all of them. Null if the model was not
   * in use when it broke, and in other workloads.
   */
  readonly leftAfter: number | null
}

export interface WorkloadReport {
  readonly workload: WorkloadName
  readonly seed: number
  readonly runs: ReadonlyArray<WorkloadRun>
}

/**
 * Every call reads and writes the same, so that estimates and truth agree on the cost. But a level of effort
 * writes what it writes, which the engine has to learn.
 */
const inputTokens = 500
const sameOutputTokens = 300

const outputTokensOf = ({ outputTokens = sameOutputTokens }: Contender): number => outputTokens

const costOf = (model: Contender): number =>
  usdOf({ ...model, cacheReadCostPerMtok: null }, { input: inputTokens, output: outputTokensOf(model) })

const nameOf = ({ effort, modelId }: Contender): string => candidateOf(modelId, effort)

/** A catalog without any benchmark: only prices are known. */
export const catalogOf = (models: ReadonlyArray<Contender>): string =>
  JSON.stringify({
    models: [...Map.groupBy(models, ({ modelId }) => modelId)].map(([modelId, [model, ...others]]) => ({
      model_id: modelId,
      provider: "arena",
      input_cost_per_mtok: model?.inputCostPerMtok,
      output_cost_per_mtok: model?.outputCostPerMtok,
      context_window: 128_000,
      effort_levels: [model, ...others].flatMap((each) => each?.effort === undefined ? [] : [{ effort: each.effort }])
    }))
  })

const ask = (workload: Workload, prompt: Prompt, slider: number, userId: string | null): object => ({
  task: {
    task: prompt.text,
    task_type: prompt.taskType,
    difficulty: "medium",
    expected_input_tokens: inputTokens,
    ...(workload.models.some((model) => model.outputTokens !== undefined)
      ? {}
      : { expected_output_tokens: sameOutputTokens }),
    ...(prompt.tag === null ? {} : { tags: [prompt.tag] })
  },
  user_id: userId,
  cost_quality_tradeoff: slider,
  explain: false,
  allow_llm_escalation: false,
  constraints: { candidate_models: workload.models.map(nameOf) }
})

/** Who reports, if they say, and whether they report the opposite of what came. */
interface Reporter {
  readonly userId: string | null
  readonly isLying: boolean
}

/** Asks about a prompt and reports what came of the pick, at the threshold `tau` of the slider. */
export const answer = Effect.fnUntraced(function*(
  workload: Workload,
  prompt: Prompt,
  slider: number,
  tau: number,
  { isLying, userId }: Reporter = { isLying: false, userId: null }
) {
  const service = yield* Service
  const advice = yield* service.recommend(ask(workload, prompt, slider, userId))
  const pick = workload.models.findIndex((model) =>
    nameOf(model) === candidateOf(advice.modelId, advice.effort))
  const outcome = prompt.outcomes[pick]!
  const said = isLying ? 1 - outcome : outcome
  const costsUsd = workload.models.map(costOf)
  yield* service.feedback({
    recommendation_id: advice.recommendationId,
    chosen_model_id: advice.modelId,
    chosen_effort: advice.effort,
    outcome: said === 1 ? "success" : "failure",
    quality_score: said,
    evidence_source: "gate",
    input_tokens: inputTokens,
    output_tokens: outputTokensOf(workload.models[pick]!),
    actual_cost_usd: costsUsd[pick]
  })
  const answered: Answered = {
    choice: { truth: workload.tables[prompt.table]!, costsUsd, threshold: tau },
    table: prompt.table,
    pick,
    predicted: advice.predicted,
    outcome
  }
  return answered
})

/** Last picks of the kind before the break; a model in most of them was in use. */
const inUseWindow = 10

const leftAfter = (workload: Workload, answered: ReadonlyArray<Answered>): number | null => {
  if (workload.breakingModel === null) return null
  const picked = (isAfter: boolean): ReadonlyArray<boolean> =>
    answered.flatMap(({ pick, table }, i) =>
      workload.prompts[i]!.isBroken === isAfter && (isAfter || table === 0)
        ? [pick === workload.breakingModel]
        : [])
  const before = picked(false).slice(-inUseWindow)
  if (before.filter((isPicked) => isPicked).length <= before.length / 2) return null
  const after = picked(true)
  return outcomesUntilLeft(after) ?? after.length
}

const runSlider = Effect.fnUntraced(function*(workload: Workload, slider: number, settings: SettingsOver) {
  const tau = threshold({ ...defaults, ...settings }, slider, null)
  const answered: Array<Answered> = []
  for (const prompt of workload.prompts) answered.push(yield* answer(workload, prompt, slider, tau))
  const run: WorkloadRun = { slider, leftAfter: leftAfter(workload, answered), ...workloadFigures(answered) }
  return run
})

/** One workload, drawn once, with an engine of its own for every slider. */
export const runWorkload = (task: WorkloadTask) =>
  Effect.gen(function*() {
    const workload = workloadOf(task.workload, task.seed, task.prompts)
    const { seed, settings } = task
    const runs = yield* Effect.forEach(task.sliders, (slider) =>
      runSlider(workload, slider, settings).pipe(
        Effect.provide(layerInProcess(catalogOf(workload.models), settings))
      ))
    const report: WorkloadReport = { workload: task.workload, seed, runs }
    return report
  })
