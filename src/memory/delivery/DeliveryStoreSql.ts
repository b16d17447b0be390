/** Driver of {@link DeliveryStore} on two tables: `report`, and `delivery` with the lanes that are behind. */
import { Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { decodeWrite } from "../../api/memory/LoggedWrites.ts"
import type { FeedbackResponse } from "../../domain/feedback/Feedback.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { encodeResponse } from "../../ledger/sql/StoredAnswer.ts"
import { type OnDatabase, withAccount } from "../../sql/AccountScope.ts"
import { arrayOf, wellFormedJson } from "../../sql/RowSet.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import type { Failures, SentReport } from "./Delivery.ts"
import { deliverySettings } from "./DeliverySettings.ts"
import { type LeasedLane, DeliveryStore, DeliveryUnavailable, type NextTry } from "./DeliveryStore.ts"

/** All writes of a report belong to the same lane. */
const waitingIn = (sql: SqlClient.SqlClient, accountId: AccountId, lane: Lane) =>
  sql`account_id = ${accountId} and writes is not null and writes #>> '{0,body,lane}' = ${lane}`

const isBehind = Effect.fnUntraced(function*(accountId: AccountId, lane: Lane): OnDatabase<boolean> {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from delivery where account_id = ${accountId} and lane = ${lane}`).length > 0
})

const lease = Effect.fnUntraced(function*(
  accountId: AccountId,
  leaseMs: number,
  reportsMax: number
): OnDatabase<LeasedLane | null> {
  const sql = yield* SqlClient.SqlClient
  const [leased] = yield* sql<Failures & { readonly lane: Lane }>`with due as (
      select lane from delivery where account_id = ${accountId} and next_at <= now()
      order by next_at limit 1 for update skip locked
    )
    update delivery d set next_at = now() + ${leaseMs}::float8 * interval '1 millisecond'
    from due where d.account_id = ${accountId} and d.lane = due.lane
    returning d.lane, d.attempts as tries, d.bad_answers as "badAnswers"`
  if (leased === undefined) return null
  const rows = yield* sql<{ readonly revision: number; readonly writes: ReadonlyArray<unknown> }>`
    select revision::float8 as revision, writes from report
    where ${waitingIn(sql, accountId, leased.lane)} order by revision limit ${reportsMax}`
  const reports = rows.map(({ revision, writes }) =>
    ({ revision, writes: writes.map((json) => decodeWrite(accountId, json)) }))
  return { ...leased, reports }
})

/**
 * Selects the writes whose place, counted from the end of the list, meets the condition; null if none does.
 * A report's list loses only writes at its front, so a place from the end always means the same write.
 */
const ownWrites = (sql: SqlClient.SqlClient, condition: Statement.Fragment) =>
  sql`(select jsonb_agg(write order by place desc) from (
    select write, jsonb_array_length(writes) + 1 - position as place
    from jsonb_array_elements(writes) with ordinality as each (write, position)
  ) as placed where ${condition})`

/** Returns the places of writes that the memory will never accept, counted from the end. */
const refusedPlaces = ({ waiting, written }: SentReport): ReadonlyArray<number> =>
  written.flatMap((each, position) => each === null ? [waiting + written.length - position] : [])

/**
 * Removes sent writes from reports, and stores refused writes separately. The SQL changes the stored lists,
 * because another process may have changed them since this process read them.
 */
const takeWrites = Effect.fnUntraced(function*(
  accountId: AccountId,
  sent: ReadonlyArray<SentReport>,
  response: FeedbackResponse | undefined
): OnDatabase<void> {
  const sql = yield* SqlClient.SqlClient
  const isPlain = ({ waiting, written }: SentReport) =>
    response === undefined && waiting === 0 && !written.includes(null)
  const plain = sent.filter(isPlain).map(({ revision }) => revision)
  if (plain.length > 0) {
    yield* sql`update report set writes = null
      where account_id = ${accountId} and revision = any(${plain}::bigint[])`
  }
  const answer = response === undefined ? null : wellFormedJson(encodeResponse(response))
  for (const each of sent.filter((report) => !isPlain(report))) {
    const aside = ownWrites(sql, sql`place = any(${arrayOf(sql, "int", refusedPlaces(each))})`)
    yield* sql`update report set
        writes = ${ownWrites(sql, sql`place <= ${each.waiting}::int`)},
        refused = nullif(coalesce(refused, '[]') || coalesce(${aside}, '[]'), '[]'),
        response = coalesce(${answer}::text::jsonb, response)
      where account_id = ${accountId} and revision = ${each.revision}`
  }
})

const record = Effect.fnUntraced(function*(
  accountId: AccountId,
  lane: Lane,
  sent: ReadonlyArray<SentReport>,
  next: NextTry | null,
  response?: FeedbackResponse
): OnDatabase<void> {
  const sql = yield* SqlClient.SqlClient
  yield* takeWrites(accountId, sent.filter(({ written }) => written.length > 0), response)
  if (next === null) return
  yield* sql`insert into delivery (account_id, lane, next_at, attempts, bad_answers)
    values (${accountId}, ${lane}, now() + ${next.delayMs}::float8 * interval '1 millisecond',
      ${next.tries}, ${next.badAnswers})
    on conflict (account_id, lane) do update set next_at = excluded.next_at, attempts = excluded.attempts,
      bad_answers = excluded.bad_answers`
  yield* sql`delete from delivery where account_id = ${accountId} and lane = ${lane}
    and not exists (select from report where ${waitingIn(sql, accountId, lane)})`
})

const recover = Effect.fnUntraced(function*(accountId: AccountId, ageMs: number): OnDatabase<number> {
  const sql = yield* SqlClient.SqlClient
  const put = yield* sql`insert into delivery (account_id, lane)
    select distinct account_id, writes #>> '{0,body,lane}' from report
    where account_id = ${accountId} and writes is not null and writes #>> '{0,body,lane}' <> ''
      and reported_at < now() - ${ageMs}::float8 * interval '1 millisecond'
    on conflict do nothing returning lane`
  return put.length
})

const countWaiting = Effect.fnUntraced(function*(accountId: AccountId): OnDatabase<number> {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`select count(*)::int as count from report
    where account_id = ${accountId} and writes is not null`
  return row?.count ?? 0
})

const make = Effect.map(SqlClient.SqlClient, (sql) => {
  /** Runs the work in a transaction of the account, for at most `storeMs`. */
  const stored = <Args extends ReadonlyArray<unknown>, A>(
    work: (accountId: AccountId, ...args: Args) => Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>
  ) =>
  (accountId: AccountId, ...args: Args) =>
    work(accountId, ...args).pipe(
      withAccount(accountId),
      Effect.provideService(SqlClient.SqlClient, sql),
      withStatementDeadline(deliverySettings.storeMs),
      Effect.mapError((cause) => new DeliveryUnavailable({ reason: reasonOf(cause) }))
    )
  return DeliveryStore.of({
    isBehind: stored(isBehind),
    lease: stored(lease),
    record: stored(record),
    recover: stored(recover),
    countWaiting: stored(countWaiting)
  })
})

export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient> = Layer.effect(DeliveryStore, make)
