/* Counts the texts of decisions that are written after their time has been counted. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { rowSet } from "../RowSet.ts"

/** The name of the lock under which processes take turns at counting and trimming an account's texts. */
export const textTurn = (accountId: AccountId): string => `sextant.texts:${accountId}`

/**
 * The age from which a decision may be counted while its insert is still open, s: half of what a text is left
 * to settle (`memory/TextSettings`), and far longer than an insert takes.
 */
const lateSeconds = 30

/** The columns that an insert into `decision` returns of each new row, in SQL. */
export const writtenColumns = `created_at::text as "createdAt", octet_length(task_excerpt)::int as bytes,
  task_excerpt <> '' and (created_at < now() - interval '${lateSeconds} seconds' or exists (
    select from text_bucket b where b.account_id = decision.account_id and b.until >= decision.created_at
  )) as "isLate"`

/** A new row with the {@link writtenColumns}. */
export interface WrittenText {
  readonly createdAt: string
  readonly bytes: number
  /** Whether the bucket of its time may have been counted already. */
  readonly isLate: boolean
}

/**
 * Adds new rows to the existing bucket of their time, in the transaction that wrote them. Such rows come from
 * a spool after an outage, or from a copy whose clock is behind; an emptied bucket is then checked again. The
 * lock is taken after the insert: a count that ran before has not seen the rows, and its bucket is visible
 * here; a count that runs later sees the rows themselves.
 */
export const countLate = Effect.fnUntraced(function*(
  accountId: AccountId,
  written: ReadonlyArray<WrittenText>
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const late = written.filter(({ isLate }) => isLate)
  if (late.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const rows = late.map(({ bytes, createdAt }) => ({ created_at: createdAt, bytes }))
  yield* sql`select pg_advisory_xact_lock(hashtextextended(${textTurn(accountId)}, 0))`
  yield* sql`update text_bucket b set task_bytes = b.task_bytes + late.bytes
    from (
      select covering.until, sum(t.bytes) as bytes
      from ${rowSet(sql, "t", "created_at timestamptz, bytes bigint", rows)}, lateral (
        select min(until) as until from text_bucket
        where account_id = ${accountId} and until >= t.created_at
      ) as covering where covering.until is not null group by covering.until
    ) as late
    where b.account_id = ${accountId} and b.until = late.until`
})
