/* Writes exported reports into an account's log. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { columnNames, rowSet, wellFormedJson } from "../../sql/RowSet.ts"
import type { FileColumns } from "./DecisionFile.ts"
import { jsonOrNull, reportColumns } from "./WriteReportRows.ts"

export type ImportCount = Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient>

interface ReportColumns {
  readonly revision: number
  readonly recommendation_id: string
  readonly idempotency_key: string
  readonly fingerprint: string
  readonly reported_at: string
  readonly body: object
  readonly response: object
  readonly writes?: object | null
  readonly refused?: object | null
}

/** The clause `offset 0` keeps the planner from reading every report of the account. */
const takenBy = Effect.fnUntraced(function*(accountId: AccountId, rows: ReadonlyArray<ReportColumns>) {
  const sql = yield* SqlClient.SqlClient
  const revisions = rows.map(({ revision }) => revision)
  const keys = rows.map((row) => row.idempotency_key)
  const held = yield* sql<{ readonly revision: number; readonly key: string }>`
    select held.revision, held.key from unnest(${revisions}::bigint[]) as given (revision), lateral (
      select r.revision::float8 as revision, r.idempotency_key as key from report r
      where r.account_id = ${accountId} and r.revision = given.revision offset 0) as held
    union
    select held.revision, held.key from unnest(${keys}::text[]) as given (key), lateral (
      select r.revision::float8 as revision, r.idempotency_key as key from report r
      where r.account_id = ${accountId} and r.idempotency_key <> '' and r.idempotency_key = given.key offset 0
    ) as held`
  return {
    revisions: new Set(held.map(({ revision }) => revision)),
    keys: new Set(held.map(({ key }) => key))
  }
})

const importedColumns = { ...reportColumns, reportedAt: "timestamptz", refused: "jsonb" } as const

const rowOf = (row: ReportColumns, revision: number) => ({
  revision,
  recommendationId: row.recommendation_id,
  idempotencyKey: row.idempotency_key,
  fingerprint: row.fingerprint,
  reportedAt: row.reported_at,
  body: wellFormedJson(row.body),
  response: wellFormedJson(row.response),
  writes: jsonOrNull(row.writes ?? null),
  refused: jsonOrNull(row.refused ?? null)
})

/** Raises a log's revision to at least `revision`, then by `drawn`. Returns null if the revision stays. */
const raiseLog = Effect.fnUntraced(function*(accountId: AccountId, revision: number, drawn: number) {
  const sql = yield* SqlClient.SqlClient
  const [raised] = yield* sql<{ readonly revision: number }>`
    update account_log set revision = greatest(revision, ${revision}::bigint) + ${drawn}::int
    where account_id = ${accountId} and (revision < ${revision}::bigint or ${drawn}::int > 0)
    returning revision::float8 as revision`
  return raised?.revision ?? null
})

const highest = (rows: ReadonlyArray<{ readonly revision?: unknown }>): number =>
  rows.reduce((most, { revision }) => Math.max(most, Number(revision)), 0)

/** A report keeps its revision, unless the log already has a report of that revision. */
export const importReports = Effect.fnUntraced(function*(
  accountId: AccountId,
  rows: ReadonlyArray<FileColumns>
): ImportCount {
  // The import has checked the columns by their schemas.
  const given = rows as unknown as ReadonlyArray<ReportColumns>
  const sql = yield* SqlClient.SqlClient
  const taken = yield* takenBy(accountId, given)
  const missing = given.filter((row) => !taken.keys.has(row.idempotency_key))
  const isHomeless = ({ revision }: ReportColumns) => taken.revisions.has(revision)
  const drawn = missing.filter(isHomeless).length
  const last = yield* raiseLog(accountId, highest(given), drawn)
  if (missing.length === 0) return 0
  let next = (last ?? 0) - drawn
  const reports = missing.map((row) => rowOf(row, isHomeless(row) ? ++next : row.revision))
  const names = sql.literal(columnNames(importedColumns).join(", "))
  const written = yield* sql`insert into report (account_id, ${names})
    select ${accountId}::text, ${names} from ${rowSet(sql, "r", importedColumns, reports)}
    on conflict do nothing returning true as written`
  return written.length
})

/** Raises the log's revision to the highest revision of the rows; returns 1 if it rose, else 0. */
export const importLog = Effect.fnUntraced(function*(
  accountId: AccountId,
  rows: ReadonlyArray<{ readonly revision?: unknown }>
): ImportCount {
  return (yield* raiseLog(accountId, highest(rows), 0)) === null ? 0 : 1
})
