/* A ledger that need not be read for the reports of a decision which this process has just given. */
import { Effect, Layer } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { type ReportedOutcome, revisionAbove } from "../../domain/FeedbackPrecedence.ts"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { keyAfter } from "../../domain/TaskKey.ts"
import { type FoundDecision, Ledger } from "../Ledger.ts"
import type { Claim, OutdatedSettlement, SettledFeedback, Settlement } from "../Settlement.ts"
import { bufferSettings } from "./BufferSettings.ts"

/** What the ledger has of a decision, as far as this process knows, and the keys that were settled here. */
interface Given {
  readonly found: FoundDecision
  readonly keys: ReadonlySet<string>
}

const givenWith = (
  decision: Decision,
  outcomes: ReadonlyArray<ReportedOutcome>,
  keys: ReadonlySet<string>
): Given =>
  ({ found: { decision, known: { outcomes, revision: revisionAbove(outcomes, 1) }, answered: null }, keys })

const noKeys: ReadonlySet<string> = new Set()

/** The last decisions that were recorded here, at most `givenMax`, with what was settled here for each. */
const makeGiven = () => {
  const given = new Map<string, Given>()
  const keyOf = (accountId: AccountId, id: RecommendationId) => `${id} ${accountId}`
  const put = (key: string, own: Given): void => {
    given.set(key, own)
    const [oldest] = given.keys()
    if (given.size > bufferSettings.givenMax && oldest !== undefined) given.delete(oldest)
  }
  return {
    add: (decisions: ReadonlyArray<Decision>): void => {
      for (const decision of decisions) {
        put(keyOf(decision.accountId, decision.recommendationId), givenWith(decision, [], noKeys))
      }
    },
    /** Null for another decision, and under a key that was settled here: the ledger has its answer. */
    find: (accountId: AccountId, id: RecommendationId, claim: Claim): FoundDecision | null => {
      const own = given.get(keyOf(accountId, id))
      return own === undefined || own.keys.has(claim.idempotencyKey) ? null : own.found
    },
    /** Takes a decision out while it is settled; yields what puts it back with what that came to. */
    take: ({ claim, decision: { recommendationId }, outcomes, taskKey }: Settlement) => {
      const key = keyOf(claim.accountId, recommendationId)
      const own = given.get(key)
      given.delete(key)
      return (settled: SettledFeedback | OutdatedSettlement): void => {
        if (own === undefined || settled.claim !== "first") return
        const { found: { decision }, keys } = own
        if (keys.size >= bufferSettings.givenReportsMax) return
        const named = { ...decision, taskKey: keyAfter(decision.taskKey, taskKey) }
        put(key, givenWith(named, outcomes, new Set([...keys, claim.idempotencyKey])))
      }
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
    find: (accountId, recommendationId, claim, asOf) =>
      Effect.suspend(() => {
        const isNow = claim === undefined || asOf === "now"
        const own = isNow ? null : given.find(accountId, recommendationId, claim)
        return own === null
          ? ledger.find(accountId, recommendationId, claim, asOf)
          : Effect.succeed(own)
      }),
    settle: (settlement) =>
      Effect.suspend(() => {
        const putBack = given.take(settlement)
        return Effect.tap(ledger.settle(settlement), (settled) => Effect.sync(() => putBack(settled)))
      })
  })
})

/**
 * A ledger that answers `find` under a new claim from the process where it gave the decision: with what was
 * settled here. Where another copy has settled a report, or the decision was erased, the settlement says so,
 * as it does to a plan that another report overtook; a claim that another copy has settled is answered as it
 * was. Not for a memory elsewhere, which is written to before a settlement.
 */
export const layer: Layer.Layer<Ledger, never, Ledger> = Layer.effect(Ledger, make)
