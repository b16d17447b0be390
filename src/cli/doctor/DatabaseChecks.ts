import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { applicationRole } from "../../sql/AccountScope.ts"
import { databaseNow } from "../../sql/DatabaseNow.ts"
import { detachedPrefix } from "../../sql/retention/DetachedMonths.ts"
import { partitionedTables } from "../../sql/LedgerTables.ts"
import { pendingMigrations } from "../../sql/Migrations.ts"
import { monthlyPartitions, monthStart } from "../../sql/retention/MonthlyPartitions.ts"
import { serviceRole } from "../../sql/ServiceRole.ts"
import { fail, type Check, ok, warn } from "./Check.ts"

type Look = Effect.Effect<ReadonlyArray<Check>, SqlError.SqlError, SqlClient.SqlClient>

const versionMin = 150_000

/** Whether it answers, and is new enough. */
export const database: Look = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly number: number; readonly version: string }>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version`
  const says = `PostgreSQL ${row?.version ?? "of unknown version"}`
  return [
    (row?.number ?? 0) >= versionMin
      ? ok("database", says)
      : fail("database", `${says} is too old`, "upgrade the server to PostgreSQL 15 or later")
  ]
})

export const migrations: Look = Effect.map(pendingMigrations, (missing) => [
  missing.length === 0
    ? ok("migrations", "none is missing")
    : fail("migrations", `missing: ${missing.join(", ")}`, "run `sextant migrate` as the owner of the tables")
])

interface RoleRow {
  readonly name: string
  readonly isSuper: boolean
  readonly bypasses: boolean
  readonly mayActAsApp: boolean
  readonly ownsTables: boolean
  readonly appIsStrong: boolean
}

/** Whether the role can act for accounts, and can do no more than it must. */
export const roles = (migrates: boolean): Look =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [made] = yield* sql`select from pg_roles where rolname = ${applicationRole}`
    if (made === undefined) {
      return [fail("roles", `there is no role ${applicationRole}`, "run `sextant migrate` as the owner")]
    }
    const [row] = yield* sql<RoleRow>`
      select current_user as name, me.rolsuper as "isSuper", me.rolbypassrls as bypasses,
        pg_has_role(current_user, app.oid, 'member') as "mayActAsApp",
        exists (select from pg_class where relname = 'decision' and relkind = 'p'
          and relowner = me.oid) as "ownsTables",
        (app.rolsuper or app.rolbypassrls) as "appIsStrong"
      from pg_roles me, pg_roles app where me.rolname = current_user and app.rolname = ${applicationRole}`
    if (row === undefined) return [fail("roles", "the role in use is not to be found", "check DATABASE_URL")]
    if (row.appIsStrong) {
      return [fail("roles", `${applicationRole} sees around row-level security`,
        `alter role ${applicationRole} nosuperuser nobypassrls`)]
    }
    if (!row.mayActAsApp) {
      return [fail("roles", `${row.name} may not act for accounts`,
        `run \`sextant migrate --service-role ${row.name}\` as the owner`)]
    }
    const lesser = `serve as a member of ${serviceRole}: \`sextant migrate --service-role <role>\`, `
      + "then DATABASE_URL with that role and SEXTANT_MIGRATE=off"
    if (row.isSuper || row.bypasses) {
      return [warn("roles", `${row.name} sees around row-level security outside an account's work`, lesser)]
    }
    if (row.ownsTables && !migrates) {
      return [warn("roles", `${row.name} owns the tables, and SEXTANT_MIGRATE is off`, lesser)]
    }
    if (!row.ownsTables && migrates) {
      return [warn("roles", `${row.name} does not own the tables, and is to migrate them`,
        "set SEXTANT_MIGRATE=off and run `sextant migrate` as their owner")]
    }
    return [ok("roles", `${row.name} acts for accounts as ${applicationRole}`)]
  })

/** Whether every table with accounts keeps them apart by itself, and no part of one is open beside it. */
export const rowSecurity: Look = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const open = yield* sql<{ readonly name: string }>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
    where c.relnamespace = to_regnamespace(current_schema()) and c.relkind in ('r', 'p')
      and case
        when c.relispartition or starts_with(c.relname, ${detachedPrefix}) then exists (
          select from aclexplode(c.relacl) g join pg_roles r on r.oid = g.grantee
          where r.rolname = ${applicationRole})
        -- Keys are read before an account is known: only their table is open to its owner.
        when c.relname = 'api_key' then not c.relrowsecurity
        else not (c.relrowsecurity and c.relforcerowsecurity)
          or not exists (select from pg_policy p where p.polrelid = c.oid)
      end
    order by c.relname`
  const names = open.map(({ name }) => name).join(", ")
  return [
    open.length === 0
      ? ok("row-level security", "forced on every table of accounts")
      : fail("row-level security", `not in force on ${names}`,
        "alter table … enable row level security; alter table … force row level security")
  ]
})

/** Whether the coming month has its place, and no row missed its own. */
export const partitions: Look =
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const needed = monthStart((yield* databaseNow).getTime(), 2)
    const findings: Array<Check> = []
    for (const table of partitionedTables) {
      const all = yield* monthlyPartitions(table)
      if (!all.some(({ until }) => until.getTime() === needed.getTime())) {
        findings.push(warn("partitions", `${table} has none for the next month`,
          "run `sextant retention` daily as the owner, or serve with SEXTANT_MIGRATE=on"))
      }
      const [size] = yield* sql<{ readonly bytes: number }>`
        select pg_relation_size(to_regclass(${`${table}_default`}))::float8 as bytes`
      if ((size?.bytes ?? 0) > 0) {
        findings.push(warn("partitions", `${table}_default holds rows of months without a partition`,
          "check the clocks of the processes; `sextant retention` purges these rows one by one"))
      }
    }
    return findings.length > 0 ? findings : [ok("partitions", "made ahead")]
  })

const skewWarnMs = 2_000
const skewFailMs = 60_000

/** This machine's clock against the database's: ids and partitions follow the one, ages the other. */
export const clock = (now: Effect.Effect<number>): Look =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const before = yield* now
    const [row] = yield* sql<{ readonly ms: number }>`
      select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
    const after = yield* now
    const skewMs = Math.round((row?.ms ?? 0) - (before + after) / 2)
    const says = `${Math.abs(skewMs)} ms ${skewMs < 0 ? "ahead of" : "behind"} the database's`
    if (Math.abs(skewMs) > skewFailMs) return [fail("clock", says, "synchronise both clocks (NTP)")]
    return [
      Math.abs(skewMs) > skewWarnMs
        ? warn("clock", says, "synchronise both clocks (NTP)")
        : ok("clock", `within ${skewWarnMs / 1000} s of the database's`)
    ]
  })
