/* A ledger that need not be read for the first report of a decision which this process has just given. */
import { Effect, Layer } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { type FoundDecision, Ledger } from "../Ledger.ts"
import { bufferSettings } from "./BufferSettings.ts"

/** What a plan may begin with that rests on no report: the settlement refuses it where there is one. */
const unreported = (decision: Decision): FoundDecision =>
  ({ decision, known: { outcomes: [], revision: 1 }, answered: null })

/** The last decisions that were recorded here and that nothing was settled for here, at most `givenMax`. */
const makeGiven = () => {
  const given = new Map<string, Decision>()
  const keyOf = (accountId: AccountId, id: RecommendationId) => `${id} ${accountId}`
  return {
    add: (decisions: ReadonlyArray<Decision>): void => {
      for (const decision of decisions) {
        given.set(keyOf(decision.accountId, decision.recommendationId), decision)
        if (given.size <= bufferSettings.givenMax) continue
        const [oldest] = given.keys()
        if (oldest !== undefined) given.delete(oldest)
      }
    },
    find: (accountId: AccountId, id: RecommendationId) => given.get(keyOf(accountId, id)) ?? null,
    remove: (accountId: AccountId, id: RecommendationId): void => {
      given.delete(keyOf(accountId, id))
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
    // Without a claim the caller wants what there is now, not what to plan a report from.
    find: (accountId, recommendationId, claim) =>
      Effect.suspend(() => {
        const own = claim === undefined ? null : given.find(accountId, recommendationId)
        return own === null
          ? ledger.find(accountId, recommendationId, claim)
          : Effect.succeed(unreported(own))
      }),
    settle: (settlement) =>
      Effect.suspend(() => {
        given.remove(settlement.claim.accountId, settlement.decision.recommendationId)
        return ledger.settle(settlement)
      })
  })
})

/**
 * A ledger that answers `find` under a claim from the process where it gave the decision and has settled
 * nothing for it: as if nothing were reported and the claim new. Where another copy has settled a report, or
 * the decision was erased, the settlement says so, as it does to a plan that another report overtook; a claim
 * that is settled there answers as it did. Not for a memory elsewhere, which is written to before a
 * settlement.
 */
export const layer: Layer.Layer<Ledger, never, Ledger> = Layer.effect(Ledger, make)
