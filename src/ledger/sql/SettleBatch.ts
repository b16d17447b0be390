/* Settles the claims of one account in one transaction. */
import { type Cause, Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { FeedbackResponse } from "../../domain/Feedback.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { rowSet } from "../../sql/RowSet.ts"
import type { Claim } from "../Ledger.ts"
import { decodeStored, encodeResponse, reportText } from "./Settle.ts"

/** The stored answer of a claim. */
export interface ClaimedResponse {
  readonly fingerprint: string
  readonly response: FeedbackResponse
  /** Settled now, not by an earlier call. */
  readonly isNew: boolean
}

type KeyedResponse = readonly [idempotencyKey: string, claimed: ClaimedResponse]

/** In one order, so that two groups cannot wait for each other's claims. */
const claimAll = Effect.fnUntraced(function*(accountId: AccountId, claims: ReadonlyArray<Claim>) {
  const sql = yield* SqlClient.SqlClient
  const rows = claims.map((claim) =>
    ({ key: claim.idempotencyKey, fingerprint: claim.fingerprint, report: reportText(claim) }))
  const won = yield* sql<{ readonly key: string }>`
    insert into feedback_key (account_id, idempotency_key, fingerprint, report, created_at)
    select ${accountId}::text, key, fingerprint, report::jsonb, now()
    from ${rowSet(sql, "claim", "key text, fingerprint text, report text", rows)} order by key
    on conflict do nothing returning idempotency_key as key`
  return new Set(won.map(({ key }) => key))
})

const readAll = Effect.fnUntraced(function*(accountId: AccountId, keys: ReadonlyArray<string>) {
  if (keys.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly key: string }>`
    select idempotency_key as key, fingerprint, response from feedback_key
    where account_id = ${accountId} and idempotency_key = any(${keys}::text[])`
  return yield* Effect.forEach(rows, (row) =>
    Effect.map(decodeStored(row), (stored): KeyedResponse => [row.key, { ...stored, isNew: false }]))
})

const answerAll = Effect.fnUntraced(function*(accountId: AccountId, answers: ReadonlyArray<KeyedResponse>) {
  if (answers.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Effect.forEach(answers, ([key, { response }]) =>
    Effect.map(encodeResponse(response), (text) => ({ key, response: text })))
  // The keys again, as an array: with the join alone the planner expects to update most of the table.
  yield* sql`update feedback_key f set response = answer.response::jsonb
    from ${rowSet(sql, "answer", "key text, response text", rows)}
    where f.account_id = ${accountId} and f.idempotency_key = answer.key
      and f.idempotency_key = any(${rows.map(({ key }) => key)}::text[])`
})

/**
 * The claims and works of one account in one transaction. The works run side by side, so that a step which
 * several of them take is one statement (`sql/BatchWrites`). Yields the stored answer of each claim, once it
 * has committed; of two with one key the first runs. Whatever fails in it fails the whole, which leaves no
 * trace.
 */
export const settleBatch = <E, R>(
  accountId: AccountId,
  members: ReadonlyArray<{
    readonly claim: Claim
    readonly work: Effect.Effect<FeedbackResponse, E, R>
  }>
): Effect.Effect<
  ReadonlyMap<string, ClaimedResponse>,
  E | SqlError.SqlError | Schema.SchemaError | Cause.NoSuchElementError,
  R | SqlClient.SqlClient
> =>
  Effect.gen(function*() {
    // The first of each key: a map keeps the last value of a key.
    const byKey = new Map([...members].reverse().map((member) => [member.claim.idempotencyKey, member]))
    const won = yield* claimAll(accountId, [...byKey.values()].map(({ claim }) => claim))
    const earlier = yield* readAll(accountId, [...byKey.keys()].filter((key) => !won.has(key)))
    const settled = yield* Effect.forEach(
      [...byKey].filter(([key]) => won.has(key)),
      ([key, { claim: { fingerprint }, work }]) =>
        Effect.map(work, (response): KeyedResponse => [key, { fingerprint, response, isNew: true }]),
      { concurrency: "unbounded" }
    )
    yield* answerAll(accountId, settled)
    return new Map([...earlier, ...settled])
  }).pipe(withAccount(accountId, { isShared: true }))
