/*
 * Runs agents' recorded tasks as a caller would who checks every result: asks, runs, reports, and asks again
 * with what was tried, until a result passes or the plan ends. All in one random order.
 */
import { Effect } from "effect"
import { generator } from "../../../src/stats/Generator.ts"
import { bundledRows } from "../../training/priors.ts"
import { readRuns, runCapabilities, runSets, standingOf } from "../../training/runs.ts"
import { mean } from "./averages.ts"
import { modelIdsOf, type OutcomeRow, recordedOf } from "./outcomes.ts"
import { type Random, shuffled } from "./random.ts"
import { type Advice, layerInProcess, Service } from "./service.ts"
import type { SettingsOver } from "./settings.ts"

/** Which of a set's models may run: eight spread over the order of mean costs, the front, or all. */
export const candidateChoices = ["eight", "front", "all"] as const
type CandidateChoice = typeof candidateChoices[number]

/**
 * Priors of the models: none, those of the bundled catalog without runs, or those with the runs of the sets that are
 * not judged.
 */
export const priorChoices = ["none", "catalog", "runs"] as const
type PriorChoice = typeof priorChoices[number]

export interface AttemptsTask {
  readonly folder: string
  readonly set: string
  readonly seed: number
  readonly candidates: CandidateChoice
  readonly priors: PriorChoice
  /** Probability that a gate errs, either way. */
  readonly gateError: number
  readonly valueUsd: number
  readonly attemptsMax: number
  readonly settings: SettingsOver
}

/** Predicted and real success of all first attempts, all second ones, and so on. */
interface Calibrated {
  readonly count: number
  readonly predicted: number
  readonly succeeded: number
}

export interface AttemptsReport extends AttemptsTask {
  readonly success: number
  readonly costUsd: number
  readonly attempts: number
  /** By number of the attempt, from the first. */
  readonly calibration: ReadonlyArray<Calibrated>
  /** Success and cost a task of the best model alone, with a gate that does not err. */
  readonly bestAlone: { readonly success: number; readonly costUsd: number }
}

const isRight = (row: OutcomeRow, modelId: string): boolean => recordedOf(row.models, modelId).quality >= 0.5

const meanCost = (rows: ReadonlyArray<OutcomeRow>, modelId: string): number =>
  mean(rows.map((row) => recordedOf(row.models, modelId).cost_usd))

const meanSuccess = (rows: ReadonlyArray<OutcomeRow>, modelId: string): number =>
  mean(rows.map((row) => Number(isRight(row, modelId))))

/** The models that may run, cheapest first. */
const candidatesOf = (rows: ReadonlyArray<OutcomeRow>, choice: CandidateChoice): ReadonlyArray<string> => {
  const byCost = modelIdsOf(rows).filter((id) => rows.every(({ models }) => models[id] !== undefined))
    .map((id) => ({ id, cost: meanCost(rows, id), success: meanSuccess(rows, id) }))
    .sort((a, b) => a.cost - b.cost)
  if (choice === "all") return byCost.map(({ id }) => id)
  if (choice === "front") {
    return byCost.filter(({ success }, i) => byCost.slice(0, i).every((other) => other.success < success))
      .map(({ id }) => id)
  }
  return Array.from({ length: 8 }, (_, k) => byCost[Math.round(k * (byCost.length - 1) / 7)]!.id)
}

/** Input tokens of a task as the requests give them; the catalog's prices are of these. */
const inputTokens = 100_000

/** Capabilities of a set's models by name, from sources other than that set. */
export const capabilitiesOf = (
  { folder, priors, set }: Pick<AttemptsTask, "folder" | "priors" | "set">
): (id: string) => Readonly<Record<string, number>> => {
  if (priors === "none") return () => ({})
  const cards = bundledRows()
  const byType = new Map(cards.map(({ capability_by_task_type, model_id }) => [model_id, capability_by_task_type]))
  const others = runSets.filter((other) => other !== set).map((other) => standingOf(readRuns(folder, other, cards)))
  const ofRuns = priors === "runs" ? runCapabilities(others, cards) : new Map<string, number>()
  return (id) => {
    const agentRun = ofRuns.get(id)
    return { ...byType.get(id), ...(agentRun === undefined ? {} : { agent_run: agentRun }) }
  }
}

/**
 * A catalog of the candidates. List prices are off by up to half of a run's cost, as they are for real runs of agents.
 */
const catalogOf = (
  task: AttemptsTask,
  rows: ReadonlyArray<OutcomeRow>,
  ids: ReadonlyArray<string>,
  random: Random
): string => {
  const capabilities = capabilitiesOf(task)
  return JSON.stringify({
    models: ids.map((id) => ({
      model_id: id, provider: "arena", display_name: id,
      input_cost_per_mtok: Number((meanCost(rows, id) * (0.5 + random()) * 1e6 / inputTokens).toFixed(6)),
      output_cost_per_mtok: 0, cache_read_cost_per_mtok: null, supports_prompt_caching: false,
      context_window: 1_000_000, max_output_tokens: 8_192,
      capability_by_task_type: capabilities(id)
    }))
  })
}

/** A failed or passed attempt, in the form of the next request. */
interface Tried {
  readonly model_id: string
  readonly outcome: "success" | "failure"
  readonly evidence_source: "gate"
}

/** One task until a result passes or the plan ends. */
const finish = Effect.fnUntraced(function*(
  task: AttemptsTask,
  ids: ReadonlyArray<string>,
  row: OutcomeRow,
  random: Random
) {
  const service = yield* Service
  const tried: Array<Tried> = []
  const advices: Array<Advice> = []
  let costUsd = 0
  for (;;) {
    const advice = yield* service.recommend({
      task: {
        task: row.prompt, task_type: "code", unit: "run", expected_input_tokens: inputTokens, expected_output_tokens: 0
      },
      max_candidates: Math.min(64, ids.length), explain: false, allow_llm_escalation: false,
      constraints: { candidate_models: ids },
      verification: { kind: "gate", pass_wrong: task.gateError, fail_right: task.gateError },
      success_value_usd: task.valueUsd, max_attempts: task.attemptsMax - tried.length, attempts: tried
    })
    // A first attempt is made whatever the plan says: the task must be done.
    if (tried.length > 0 && advice.plannedAttempts === 0) break
    const { modelId } = advice
    const { cost_usd } = recordedOf(row.models, modelId)
    const right = isRight(row, modelId)
    const passes = right !== random() < task.gateError
    yield* service.feedback({
      recommendation_id: advice.recommendationId, chosen_model_id: modelId,
      outcome: passes ? "success" : "failure", quality_score: Number(passes), evidence_source: "gate",
      actual_cost_usd: cost_usd
    })
    advices.push(advice)
    tried.push({ model_id: modelId, outcome: passes ? "success" : "failure", evidence_source: "gate" })
    costUsd += cost_usd
    if (passes || tried.length === task.attemptsMax) break
  }
  const last = tried.at(-1)
  const isDone = last?.outcome === "success" && isRight(row, last.model_id)
  return { advices, costUsd, isDone, row }
})

type Finished = Effect.Success<ReturnType<typeof finish>>

/** How often, and how likely by prediction, attempts of each number succeeded. */
const calibrationOf = (tasks: ReadonlyArray<Finished>, attemptsMax: number): ReadonlyArray<Calibrated> =>
  Array.from({ length: attemptsMax }, (_, k) => {
    const those = tasks.flatMap(({ advices, row }) => advices[k] === undefined ? [] : [{ advice: advices[k], row }])
    return {
      count: those.length,
      predicted: mean(those.map(({ advice }) => advice.predicted)),
      succeeded: mean(those.map(({ advice, row }) => Number(isRight(row, advice.modelId))))
    }
  })

/** Runs one set in one order. */
export const runAttempts = (task: AttemptsTask) =>
  Effect.gen(function*() {
    const all = readRuns(task.folder, task.set, bundledRows())
    const random = generator(task.seed)
    const rows = shuffled(all, random)
    const ids = candidatesOf(all, task.candidates)
    const tasks = yield* Effect.forEach(rows, (row) => finish(task, ids, row, random)).pipe(
      Effect.provide(layerInProcess(catalogOf(task, all, ids, random), task.settings))
    )
    const best = ids.toSorted((a, b) => meanSuccess(all, b) - meanSuccess(all, a))[0]!
    const report: AttemptsReport = {
      ...task,
      success: mean(tasks.map(({ isDone }) => Number(isDone))),
      costUsd: mean(tasks.map(({ costUsd }) => costUsd)),
      attempts: mean(tasks.map(({ advices }) => advices.length)),
      calibration: calibrationOf(tasks, task.attemptsMax),
      bestAlone: { success: meanSuccess(all, best), costUsd: meanCost(all, best) }
    }
    return report
  })
