/* Remembers in this process whether attempts follow failures, and how often gates pass. */
import { Context, Effect, Layer } from "effect"
import type { Outcome, Provenance } from "../domain/feedback/Feedback.ts"
import type { LaneId } from "../domain/Scope.ts"
import { BoundedMap } from "../resilience/BoundedMap.ts"

/** The history of one lane's checks. */
export interface LaneChecks {
  /** First attempts with a reported failure, count. */
  readonly failedFirst: number
  /** True if any attempt was followed by another. */
  readonly isRetried: boolean
  /** All verdicts of gates, and the passing ones, count. From 200 verdicts on, older ones weigh less. */
  readonly gateVerdicts: number
  readonly gatePasses: number
}

/** A verdict on an attempt. Outages and reports of usage are no verdicts. */
export interface CheckedAttempt {
  /** From 1 on. */
  readonly attemptNumber: number
  readonly outcome: Outcome
  readonly provenance: Provenance
  /** Models whose outcomes the decision has, count. */
  readonly models: number
  /** True if another source has reported this failure, because an attempt counts once. */
  readonly isKnownFailure: boolean
}

/** Verdicts of gates at which the weight of the older ones is halved, count. Chosen. */
const gateVerdictsMax = 200

/** Lanes that are remembered, count. All of them take 2 to 4 MB. */
const lanesMax = 10_000

const unseen: LaneChecks = { failedFirst: 0, isRetried: false, gateVerdicts: 0, gatePasses: 0 }

/** The history with one more verdict. */
export const withVerdict = (
  seen: LaneChecks,
  { attemptNumber, isKnownFailure, models, outcome, provenance }: CheckedAttempt
): LaneChecks => {
  const kept = seen.gateVerdicts < gateVerdictsMax ? 1 : 0.5
  const isOfGate = provenance === "gate"
  const isNewFailure = outcome === "failure" && !isKnownFailure
  return {
    failedFirst: seen.failedFirst + (attemptNumber === 1 && isNewFailure ? 1 : 0),
    isRetried: seen.isRetried || attemptNumber > 1 || models > 1,
    gateVerdicts: isOfGate ? seen.gateVerdicts * kept + 1 : seen.gateVerdicts,
    gatePasses: isOfGate ? seen.gatePasses * kept + (outcome === "success" ? 1 : 0) : seen.gatePasses
  }
}

/**
 * The checks of each lane. The history is bounded, and ends with the process. Requests and reports that are
 * not about attempts never touch it.
 */
export class CheckHistory extends Context.Service<CheckHistory, {
  readonly seenIn: (lane: LaneId) => Effect.Effect<LaneChecks>
  /** Notes that an attempt of the lane was followed by another. */
  readonly noteRetry: (lane: LaneId) => Effect.Effect<void>
  readonly noteVerdict: (lane: LaneId, attempt: CheckedAttempt) => Effect.Effect<void>
}>()("sextant/engine/CheckHistory") {
  static readonly layer = Layer.sync(CheckHistory, () => {
    const lanes = new BoundedMap<string, LaneChecks>(lanesMax)
    const keyOf = ({ accountId, lane }: LaneId): string => JSON.stringify([accountId, lane])
    const change = (lane: LaneId, by: (seen: LaneChecks) => LaneChecks) =>
      Effect.sync(() => lanes.set(keyOf(lane), by(lanes.get(keyOf(lane)) ?? unseen)))
    return CheckHistory.of({
      seenIn: (lane) => Effect.sync(() => lanes.get(keyOf(lane)) ?? unseen),
      noteRetry: (lane) => change(lane, (seen) => ({ ...seen, isRetried: true })),
      noteVerdict: (lane, attempt) => change(lane, (seen) => withVerdict(seen, attempt))
    })
  })
}
