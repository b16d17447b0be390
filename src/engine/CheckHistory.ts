/* Remembers in this process whether tasks are tried again, and how often gates pass. */
import { Context, Effect, Layer } from "effect"
import type { Outcome, Provenance } from "../domain/feedback/Feedback.ts"
import type { LaneId } from "../domain/Scope.ts"
import { BoundedMap } from "../resilience/BoundedMap.ts"

export interface LaneChecks {
  /** Number of first attempts that were reported as failures. */
  readonly failedFirst: number
  /** True if a second attempt has followed a first attempt in this lane. */
  readonly isRetried: boolean
  /** Numbers of all and of passing gate verdicts; old verdicts count less. */
  readonly gateVerdicts: number
  readonly gatePasses: number
}

/** A verdict on an attempt; outages and reports of token usage are no verdicts. */
export interface CheckedAttempt {
  /** The attempt's number, from 1 on; 0 if the plan advised no attempt. */
  readonly attemptNumber: number
  readonly outcome: Outcome
  readonly provenance: Provenance
  readonly models: number
  /** True if another source has already reported this failure, so that it is not counted twice. */
  readonly isKnownFailure: boolean
}

/** From this number of gate verdicts on, the next one halves a lane's counts of gate verdicts. Chosen. */
const gateVerdictsMax = 200

const lanesMax = 10_000

const unseen: LaneChecks = { failedFirst: 0, isRetried: false, gateVerdicts: 0, gatePasses: 0 }

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

/** Only requests for a plan, and reports on planned attempts, read or change a lane's history. */
export class CheckHistory extends Context.Service<CheckHistory, {
  readonly seenIn: (lane: LaneId) => Effect.Effect<LaneChecks>
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
