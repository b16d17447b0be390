/* A ledger that remembers the decisions of this process, so that reports on them need no read. */
import { Effect, Layer } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { keyAfter } from "../../domain/TaskKey.ts"
import { type FoundDecision, Ledger } from "../Ledger.ts"
import type { ReportResult, ReportSubmission } from "../ReportSubmission.ts"
import { bufferSettings } from "./BufferSettings.ts"

const makeGiven = () => {
  const given = new Map<string, FoundDecision>()
  const keyOf = (accountId: AccountId, id: RecommendationId) => `${id} ${accountId}`
  const put = (key: string, own: FoundDecision): void => {
    given.delete(key)
    given.set(key, own)
    const [oldest] = given.keys()
    if (given.size > bufferSettings.givenMax && oldest !== undefined) given.delete(oldest)
  }
  return {
    add: (decisions: ReadonlyArray<Decision>): void => {
      for (const decision of decisions) {
        put(keyOf(decision.accountId, decision.recommendationId), { decision, outcomes: [] })
      }
    },
    find: (accountId: AccountId, id: RecommendationId): FoundDecision | null =>
      given.get(keyOf(accountId, id)) ?? null,
    /** Stores a decision's outcomes after a report, or drops the decision if the ledger no longer has it. */
    applied: (
      { key, decision: { recommendationId }, taskKey }: ReportSubmission,
      applied: ReportResult | null
    ): void => {
      const place = keyOf(key.accountId, recommendationId)
      const own = given.get(place)
      if (applied === null) given.delete(place)
      if (own === undefined || applied?.reception !== "first") return
      const { plan: { outcomes } } = applied
      const decision = { ...own.decision, taskKey: keyAfter(own.decision.taskKey, taskKey) }
      put(place, { decision, outcomes })
    }
  }
}

const make = Effect.map(Ledger, (ledger) => {
  const given = makeGiven()
  const noted = <E>(decisions: ReadonlyArray<Decision>, record: Effect.Effect<void, E>) =>
    Effect.tap(record, () => Effect.sync(() => given.add(decisions)))
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
        Effect.sync(() => given.applied(submission, applied)))
  })
})

/**
 * A ledger that needs no read for a report on a decision of this process. The report's transaction reads the
 * decision's current state under the log's lock, so that reports of other processes count and erased
 * decisions stay erased.
 */
export const layer: Layer.Layer<Ledger, never, Ledger> = Layer.effect(Ledger, make)
