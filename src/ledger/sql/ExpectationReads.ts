/* What a feedback reads before its settlement: its decision's outcomes, and its claim's earlier answer. */
import { Array as Arr, type Context, Effect, Exit, Request, RequestResolver, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import type { Claim, SettledFeedback } from "../Ledger.ts"
import { type DecisionOutcomes, type DecisionKey, selectOutcomes } from "./ReconciliationRows.ts"
import { decodeStored } from "./Settle.ts"

interface Expectation {
  /** Of the decision that was asked about; null when there is none. */
  readonly outcomes: DecisionOutcomes | null
  /** Of the claim that was asked about; null when nothing is settled under it. */
  readonly answered: SettledFeedback | null
}

/** Asks about a decision or about a claim; the other is null. */
class Read extends Request.Class<
  { readonly accountId: AccountId; readonly place: DecisionKey | null; readonly claim: Claim | null },
  Expectation,
  SqlError.SqlError | Schema.SchemaError
> {}

/** Most questions of one transaction, count. */
const readsMax = 64
/** Longest that a statement may take, with its wait for a connection, ms: less than a feedback's budget. */
const statementMs = 6_000

const selectSettled = Effect.fnUntraced(function*(accountId: AccountId, claims: ReadonlyArray<Claim>) {
  const sql = yield* SqlClient.SqlClient
  const rows = claims.length === 0 ? [] : yield* sql<{ readonly key: string }>`
    select idempotency_key as key, fingerprint, response from feedback_key
    where account_id = ${accountId} and response is not null
      and idempotency_key = any(${claims.map(({ idempotencyKey }) => idempotencyKey)}::text[])`
  return new Map(rows.map((row) => [row.key, row]))
})

const readAll = Effect.fnUntraced(function*(accountId: AccountId, reads: ReadonlyArray<Read>) {
  const places = reads.flatMap(({ place }) => place ?? [])
  const outcomes: ReadonlyMap<RecommendationId, DecisionOutcomes> =
    Arr.isReadonlyArrayNonEmpty(places) ? yield* selectOutcomes(places) : new Map()
  const settled = yield* selectSettled(accountId, reads.flatMap(({ claim }) => claim ?? []))
  return { outcomes, settled }
}, (read, accountId) => withAccount(accountId)(read))

const settledOf = Effect.fnUntraced(function*(row: unknown, { fingerprint }: Claim) {
  const stored = yield* decodeStored(row)
  const settled: SettledFeedback = {
    response: stored.response,
    claim: stored.fingerprint === fingerprint ? "same" : "other"
  }
  return settled
})

/**
 * Reads outside any settlement. The questions of one account that are asked in one turn of the event loop
 * share a transaction, which belongs to none of the callers and so ends with none of them.
 */
export const makeExpectationReads = Effect.gen(function*() {
  const own = yield* Effect.context<SqlClient.SqlClient>()

  const { batchKey, preCheck, runAll } = RequestResolver.makeGrouped<Read, AccountId>({
    key: ({ request }) => request.accountId,
    resolver: (entries, accountId) =>
      readAll(accountId, entries.map(({ request }) => request)).pipe(
        withStatementDeadline(statementMs),
        Effect.flatMap(({ outcomes, settled }) =>
          Effect.forEach(entries, (entry) => {
            const { claim, place } = entry.request
            const row = claim === null ? undefined : settled.get(claim.idempotencyKey)
            const reading = claim === null || row === undefined ? Effect.succeed(null) : settledOf(row, claim)
            return Effect.map(reading, (answered) =>
              entry.completeUnsafe(Exit.succeed({
                outcomes: place === null ? null : outcomes.get(place.recommendationId) ?? null,
                answered
              })))
          }, { discard: true })),
        // A batch starts on its first call's services; a transaction open there is not for others to join.
        Effect.updateContext((_: Context.Context<never>) => own)
      )
  })
  const resolver = RequestResolver.makeWith<Read>({
    batchKey,
    preCheck,
    runAll,
    delay: Effect.yieldNow,
    collectWhile: ({ size }) => size < readsMax
  })

  return {
    /** The outcomes of a decision, unlocked; null without one. */
    outcomes: (accountId: AccountId, recommendationId: RecommendationId) => {
      const place = { accountId, recommendationId }
      return Effect.map(
        Effect.request(new Read({ accountId, place, claim: null }), resolver),
        ({ outcomes }) => outcomes
      )
    },
    /** The answer of an earlier settlement under the claim; null without one. */
    answered: (claim: Claim) =>
      Effect.map(
        Effect.request(new Read({ accountId: claim.accountId, place: null, claim }), resolver),
        ({ answered }) => answered
      )
  }
})
