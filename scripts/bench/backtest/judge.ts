/* Judges policies on a simulated log, beside what every model is recorded to have done. */
import { Effect } from "effect"
import type { Estimate } from "../../../packages/backtest/src/stats/LogEstimates.ts"
import type { PolicyFigures } from "../../../packages/backtest/src/stats/LogFigures.ts"
import { makeLogPolicies, rowsUnjudged } from "../../../packages/backtest/src/stats/LogPolicies.ts"
import { thresholdAt } from "../../../src/domain/SliderThreshold.ts"
import { hashOf } from "../../../src/stats/Hash.ts"
import { Numbering } from "../../../src/stats/Numbering.ts"
import { inputTokensOf, recordedOf } from "../arena/outcomes.ts"
import { mean } from "../arena/averages.ts"
import { type Stream, streamOf } from "../arena/replay.ts"
import type { Habit } from "./habits.ts"
import {
  logStreamOf, type Predictions, predictionsOf, type SimulatedLog, simulatedLog, type TraceTask
} from "./trace.ts"

/** The estimate of one policy on one log, and the true figures. */
export interface JudgedPolicy {
  readonly policy: string
  readonly figures: PolicyFigures
  /** Recorded means over the judged rows, of the policy and of what was logged. */
  readonly success: number
  readonly costUsd: number
  readonly saving: number
  /** Recorded success of new calls: over the rows of the set that the log lacks too. Null for a slider's policy. */
  readonly newSuccess: number | null
}

export interface BacktestReport {
  readonly set: string
  readonly seed: number
  readonly habit: Habit
  readonly rows: number
  readonly policies: ReadonlyArray<JudgedPolicy>
}

/** Rows that are resampled together. */
const rowsPerBlock = 10

const sliders = [0, 2.5, 5, 7.5, 10]

/** The cheapest that clears the threshold; where none does, the likeliest. */
const pickAt = (success: Float64Array, expectedUsd: Float64Array, threshold: number): number => {
  let best = 0
  for (let model = 1; model < success.length; model++) {
    const clears = success[model]! >= threshold
    const bestClears = success[best]! >= threshold
    if (clears !== bestClears ? clears : clears
      ? expectedUsd[model]! < expectedUsd[best]!
      : success[model]! > success[best]!) best = model
  }
  return best
}

interface Sums {
  success: number
  costUsd: number
}

const namesOf = (modelIds: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...sliders.map((slider) => `slider ${slider}`),
  ...modelIds.map((modelId) => `always ${modelId}`),
  "logged"
]

const feed = (
  stream: Stream,
  log: SimulatedLog,
  expected: Predictions,
  names: ReadonlyArray<string>
) => {
  const { modelIds, rows } = stream
  const models = modelIds.length
  const logged = names.length - 1
  const policies = makeLogPolicies(models, names.length, logged)
  const types = new Numbering<string>()
  const sums = names.map((): Sums => ({ success: 0, costUsd: 0 }))
  const picks = new Int32Array(names.length)
  rows.forEach((row, index) => {
    const success = expected.success.subarray(index * models, (index + 1) * models)
    const expectedUsd = expected.expectedUsd.subarray(index * models, (index + 1) * models)
    const ran = log.logged[index]!
    sliders.forEach((slider, at) => {
      picks[at] = pickAt(success, expectedUsd, thresholdAt(slider))
    })
    for (let model = 0; model < models; model++) picks[sliders.length + model] = model
    picks[logged] = ran
    const recorded = modelIds.map((modelId) => recordedOf(row.models, modelId))
    policies.add({
      block: Math.floor(index / rowsPerBlock),
      loggedModel: ran,
      quality: log.isLabelled[index] === true ? recorded[ran]!.quality : NaN,
      costUsd: log.isBilled[index] === true ? recorded[ran]!.cost_usd : NaN,
      context: {
        taskType: types.of(row.task_type),
        difficulty: -1,
        tags: hashOf(row.sub ?? "") | 0,
        user: -1,
        logInputTokens: Math.log(inputTokensOf(row))
      },
      success,
      expectedUsd,
      picks
    })
    if (index < rowsUnjudged) return
    picks.forEach((pick, policy) => {
      sums[policy]!.success += recorded[pick]!.quality
      sums[policy]!.costUsd += recorded[pick]!.cost_usd
    })
  })
  return { figures: policies.finish(), sums }
}

/** Simulates a log, judges the sliders and each model alone on it, and lays the truth beside. */
export const runBacktest = Effect.fnUntraced(function*(task: TraceTask) {
  const stream = logStreamOf(task)
  const predictions = yield* predictionsOf(task, stream)
  const log = simulatedLog(task.habit, stream, task.replay.seed)
  const names = namesOf(stream.modelIds)
  const { figures, sums } = feed(stream, log, predictions, names)
  const judged = stream.rows.length - rowsUnjudged
  const whole = streamOf({ ...task.replay, limit: Infinity })
  const newSuccess = stream.modelIds.map((modelId) =>
    mean(whole.rows.map(({ models }) => recordedOf(models, modelId).quality)))
  const loggedUsd = sums[names.length - 1]!.costUsd
  const report: BacktestReport = {
    set: task.replay.set,
    seed: task.replay.seed,
    habit: task.habit,
    rows: stream.rows.length,
    policies: names.slice(0, -1).map((policy, index): JudgedPolicy => ({
      policy,
      figures: figures.policies[index]!,
      success: sums[index]!.success / judged,
      costUsd: sums[index]!.costUsd / judged,
      saving: 1 - sums[index]!.costUsd / loggedUsd,
      newSuccess: newSuccess[index - sliders.length] ?? null
    }))
  }
  return report
})

/** True if an interval contains the true value. */
export const holds = ({ high, low }: Estimate, truth: number): boolean => low <= truth && truth <= high

