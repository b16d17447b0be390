/* A ledger that remembers the decisions of this process, so that reports on them need no read. */
import { Effect, Layer } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { keyAfter } from "../../domain/TaskKey.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { BoundedMap } from "../../resilience/BoundedMap.ts"
import { forgettingUnused } from "../../resilience/ForgetUnused.ts"
import { type FoundDecision, Ledger } from "../Ledger.ts"
import type { ReportResult, ReportSubmission } from "../ReportSubmission.ts"
import { bufferSettings } from "./BufferSettings.ts"

interface Given {
  readonly found: FoundDecision
  /** Monotonic time at which the decision was made or last reported on, ms. */
  readonly atMs: number
}

const makeGiven = () => {
  // The map's order is that of `atMs`.
  const given = new BoundedMap<string, Given>(bufferSettings.givenMax)
  const keyOf = (accountId: AccountId, id: RecommendationId) => `${id} ${accountId}`
  return {
    add: (decisions: ReadonlyArray<Decision>, nowMs: number): void => {
      for (const decision of decisions) {
        const found = { decision, outcomes: [] }
        given.set(keyOf(decision.accountId, decision.recommendationId), { found, atMs: nowMs })
      }
    },
    find: (accountId: AccountId, id: RecommendationId): FoundDecision | null =>
      given.get(keyOf(accountId, id))?.found ?? null,
    /** Stores a decision's outcomes after a report, or drops the decision if the ledger no longer has it. */
    applied: (
      { key, decision: { recommendationId }, taskKey }: ReportSubmission,
      applied: ReportResult | null,
      nowMs: number
    ): void => {
      const place = keyOf(key.accountId, recommendationId)
      const own = given.get(place)?.found
      if (applied === null) given.delete(place)
      if (own === undefined || applied?.reception !== "first") return
      const { plan: { outcomes } } = applied
      const decision = { ...own.decision, taskKey: keyAfter(own.decision.taskKey, taskKey) }
      given.set(place, { found: { decision, outcomes }, atMs: nowMs })
    },
    forgetBefore: (beforeMs: number): void => {
      for (const [key, { atMs }] of given) {
        if (atMs >= beforeMs) return
        given.delete(key)
      }
    }
  }
}

const make = Effect.gen(function*() {
  const ledger = yield* Ledger
  const given = makeGiven()
  const noted = <E>(decisions: ReadonlyArray<Decision>, record: Effect.Effect<void, E>) =>
    Effect.tap(record, () => Effect.map(monotonicMs, (nowMs) => given.add(decisions, nowMs)))
  yield* forgettingUnused(given.forgetBefore)
  return Ledger.of({
    record: (decisions) => noted(decisions, ledger.record(decisions)),
    recordWithin: (decisions, check) => noted(decisions, ledger.recordWithin(decisions, check)),
    find: (accountId, recommendationId, asOf = "now") =>
      Effect.suspend(() => {
        const own = asOf === "now" ? null : given.find(accountId, recommendationId)
        return own === null ? ledger.find(accountId, recommendationId, asOf) : Effect.succeed(own)
      }),
    applyReport: (submission) =>
      Effect.tap(ledger.applyReport(submission), (applied) =>
        Effect.map(monotonicMs, (nowMs) => given.applied(submission, applied, nowMs)))
  })
})

/**
 * A ledger that remembers this process's recent decisions for their reports. The report's transaction reads
 * the decision's current state under the log's lock, so that reports of other processes count and erased
 * decisions stay erased.
 */
export const layer: Layer.Layer<Ledger, never, Ledger> = Layer.effect(Ledger, make)
