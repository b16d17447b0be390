/*
 * Retires the best model of a set of recorded outcomes in the middle of a stream, and judges the successor that the
 * report of its retirement names by what every model did with the later rows.
 */
import { Effect } from "effect"
import { TaskInput } from "../../../src/domain/Task.ts"
import { laneOf } from "../../../src/domain/Scope.ts"
import { heuristic } from "../../../src/engine/recommend/Classify.ts"
import { kindsOf } from "../../../src/reports/advice/AdviceArms.ts"
import { adviceSettings } from "../../../src/reports/advice/AdviceSettings.ts"
import type { ArmSums } from "../../../src/reports/advice/ArmSums.ts"
import { retirementOf } from "../../../src/reports/advice/Retirement.ts"
import { mean } from "./averages.ts"
import { inputTokensOf, labelSourceOf, type OutcomeRow, outcomeOf, recordedOf } from "./outcomes.ts"
import { type ReplayTask, serviceOf, type Stream, streamOf, turn } from "./replay.ts"
import { Service } from "./service.ts"

/** Rows of the account's own before its best model retires, count (issue 49). */
const retiredAt = 500

/**
 * The successor that was named for the best model, and its outcomes. Its fields are null if the best model never ran.
 */
export interface RetireReport {
  readonly set: string
  readonly seed: number
  readonly slider: number
  readonly retired: string
  readonly named: string | null
  readonly best: string
  /** Mean quality in the later rows of the best remaining model, minus that of the named successor. */
  readonly regret: number | null
  /** The quality that a successor drawn at random from the remaining models would lose. */
  readonly regretByLot: number
  /** Mean cost of the named model over that of the best remaining one. */
  readonly costRatio: number | null
  /** True if the predicted interval of the successor's success contains its real success. */
  readonly holds: boolean | null
  readonly certainty: string | null
}

const days = 30
const dayMs = 86_400_000

/** The success of an outcome: a partial one is a half. */
const successOf = (quality: number): number => ({ success: 1, partial: 0.5, failure: 0 })[outcomeOf(quality)]

const clusterOf = (row: OutcomeRow): string =>
  heuristic(TaskInput.make({ task: row.prompt, expectedInputTokens: inputTokensOf(row) })).cluster

/** Plays the first rows; yields the sums that the ledger would have of them. */
const firstRows = Effect.fnUntraced(function*(task: ReplayTask, stream: Stream, slider: number, lane: string) {
  const arms = new Map<string, ArmSums>()
  for (let index = 0; index < retiredAt; index++) {
    const row = stream.rows[index]!
    const { advice, modelId } = yield* turn(task, stream, index, slider, lane)
    const { cost_usd: usd, quality } = recordedOf(row.models, modelId)
    const weight = adviceSettings.verdictWeight[labelSourceOf(row)]
    const cluster = clusterOf(row)
    const key = `${cluster} ${modelId}`
    const arm = arms.get(key) ?? {
      lane: laneOf(lane), cluster, modelId, nCalls: 0, firstMs: 0, nVerdicts: 0, weight: 0, successWeight: 0,
      predictedWeight: 0, predicted: 0, nCosted: 0, costUsd: 0, costSquares: 0, estimatedUsd: 0, newestId: null
    }
    arms.set(key, {
      ...arm, nCalls: arm.nCalls + 1, nVerdicts: arm.nVerdicts + 1, weight: arm.weight + weight,
      successWeight: arm.successWeight + weight * successOf(quality), predictedWeight: arm.predictedWeight + weight,
      predicted: arm.predicted + weight * advice.predicted, nCosted: arm.nCosted + 1, costUsd: arm.costUsd + usd,
      costSquares: arm.costSquares + usd ** 2, estimatedUsd: arm.estimatedUsd + usd
    })
  }
  return [...arms.values()]
})

const retireAt = Effect.fnUntraced(function*(task: ReplayTask, stream: Stream, slider: number) {
  const service = yield* Service
  const lane = `retire-${stream.set}-${slider}-${task.seed}`
  const later = stream.rows.slice(retiredAt)
  const meanOf = (rows: ReadonlyArray<OutcomeRow>, of: "cost_usd" | "quality") => (id: string): number =>
    mean(rows.map(({ models }) => recordedOf(models, id)[of]))
  const byQuality = (ids: ReadonlyArray<string>, rows: ReadonlyArray<OutcomeRow>): string => {
    const quality = meanOf(rows, "quality")
    return ids.toSorted((one, other) => quality(other) - quality(one))[0]!
  }
  const retired = byQuality(stream.modelIds, stream.rows)
  const remaining = stream.modelIds.filter((id) => id !== retired)
  const best = byQuality(remaining, later)
  const kinds = kindsOf(yield* firstRows(task, stream, slider, lane), days * dayMs, days)
    .filter(({ arms }) => arms.some(({ modelId }) => modelId === retired))
  const used = yield* Effect.forEach(kinds, (kind) =>
    Effect.map(service.candidates(kind, stream.modelIds), (candidates) => ({ kind, candidates, isCandidate: () => true })))
  const { successor } = retirementOf(
    { accountId: "arena", modelId: retired, retiresOn: null, lastDayOf: () => null, nowMs: days * dayMs }, used
  )
  const [quality, usd] = [meanOf(later, "quality"), meanOf(later, "cost_usd")]
  const named = successor?.modelId ?? null
  const truth = named === null ? 0 : mean(later.map(({ models }) => successOf(recordedOf(models, named).quality)))
  const report: RetireReport = {
    set: stream.set, seed: task.seed, slider, retired, named, best,
    regret: named === null ? null : quality(best) - quality(named),
    regretByLot: quality(best) - mean(remaining.map(quality)),
    costRatio: named === null ? null : usd(named) / usd(best),
    holds: successor === null ? null : successor.successLow <= truth && truth <= successor.successHigh,
    certainty: successor?.certainty ?? null
  }
  return report
})

/** Retires the best model at each slider, each in an engine of its own. */
export const retire = (task: ReplayTask) =>
  Effect.suspend(() => {
    const stream = streamOf(task)
    if (stream.rows.length < 2 * retiredAt) throw new Error(`${task.set} has under ${2 * retiredAt} rows`)
    return Effect.forEach(task.sliders, (slider) =>
      retireAt(task, stream, slider).pipe(Effect.provide(serviceOf(task, stream))))
  })
