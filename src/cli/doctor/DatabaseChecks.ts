/* The checks of `sextant doctor` on the database, from its version to its retention. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { purge, type RetentionRequest } from "../../retention/Retention.ts"
import { applicationRole } from "../../sql/AccountScope.ts"
import { databaseNow } from "../../sql/DatabaseNow.ts"
import { databaseSettings } from "../../sql/DatabaseSettings.ts"
import { partitionedTables } from "../../sql/LedgerTables.ts"
import { pendingMigrations } from "../../sql/Migrations.ts"
import { monthlyPartitions, monthStart } from "../../sql/MonthlyPartitions.ts"
import { findRefusal, serviceRole } from "../../sql/ServiceRole.ts"
import { quoted, type Sessions, settingsInForce } from "../../sql/SessionSettings.ts"
import { fail, type Check, ok, warn } from "./Check.ts"

type DatabaseCheck = Effect.Effect<ReadonlyArray<Check>, SqlError.SqlError, SqlClient.SqlClient>

/** The lowest supported version, PostgreSQL 15, as a `server_version_num`. */
const versionMin = 150_000

/** Checks that the server answers, and that its version is supported. */
export const database: DatabaseCheck = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly number: number; readonly version: string }>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version`
  const detail = `PostgreSQL ${row?.version ?? "of unknown version"}`
  return [
    (row?.number ?? 0) >= versionMin
      ? ok("database", detail)
      : fail("database", `${detail} is too old`, "upgrade the server to PostgreSQL 15 or later")
  ]
})

export const migrations: DatabaseCheck = pendingMigrations.pipe(
  Effect.flatMap((missing) =>
    missing.length === 0
      ? Effect.succeed([ok("migrations", "none is missing")])
      : Effect.map(findRefusal, (refusal) => [
        fail("migrations", `missing: ${missing.join(", ")}`, refusal === null
          ? "run `sextant migrate` as the owner of the tables"
          : `${refusal.owner} may not create roles: as an administrator, run: ${refusal.cure}`)
      ])),
  Effect.catchTag("SchemaTooOld", ({ message }) =>
    Effect.succeed([fail("migrations", message, "export its accounts with the commit that it names")]))
)

/** Checks that `fsync` and `full_page_writes` are on. */
export const settings: DatabaseCheck = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const off = yield* sql<{ readonly name: string }>`
    select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off'`
  const names = off.map(({ name }) => name).join(" and ")
  return [
    off.length === 0
      ? ok("settings", (yield* settingsInForce).join(", "))
      : warn("settings", `${names} off: a crash of its machine can lose what was acknowledged`,
        `set ${names} to on in postgresql.conf`)
  ]
})

/** Checks that a connection pooler keeps the time limit of statements; no check if there is no pooler. */
export const pooler = ({ database, isDirect, isLimited, role }: Sessions): ReadonlyArray<Check> => {
  if (isDirect) return []
  if (isLimited) return [ok("pooler", "statements have no names, and keep their time limit")]
  return [warn("pooler", "statements have no time limit, since it drops or refuses statement_timeout",
    `alter role ${quoted(role)} in database ${quoted(database)} set statement_timeout = `
      + `'${databaseSettings.statementMs}ms'`)]
}

interface RoleRow {
  readonly name: string
  readonly isSuper: boolean
  readonly bypasses: boolean
  readonly mayActAsApp: boolean
  readonly ownsTables: boolean
  readonly appIsStrong: boolean
}

/** Checks that the role in use can act for accounts, and has no needless rights over tables. */
export const roles = (migrates: boolean): DatabaseCheck =>
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
    if (row === undefined) return [fail("roles", "the role in use was not found", "check DATABASE_URL")]
    if (row.appIsStrong) {
      return [fail("roles", `${applicationRole} bypasses row-level security`,
        `alter role ${applicationRole} nosuperuser nobypassrls`)]
    }
    if (!row.mayActAsApp) {
      return [fail("roles", `${row.name} has no right to act for accounts`,
        `run \`sextant migrate --service-role ${row.name}\` as the owner`)]
    }
    const fewerRights = `run \`sextant migrate --service-role <role>\`, which makes the role a member of `
      + `${serviceRole}; then set DATABASE_URL with that role, and SEXTANT_MIGRATE=off`
    if (row.isSuper || row.bypasses) {
      return [warn("roles", `${row.name} can bypass row-level security`, fewerRights)]
    }
    if (row.ownsTables && !migrates) {
      return [warn("roles", `${row.name} owns the tables although SEXTANT_MIGRATE is off`, fewerRights)]
    }
    if (!row.ownsTables && migrates) {
      return [warn("roles", `${row.name} does not own the tables that it should migrate`,
        "set SEXTANT_MIGRATE=off and run `sextant migrate` as their owner")]
    }
    return [ok("roles", `${row.name} acts for accounts as ${applicationRole}`)]
  })

/** Checks the row-level security of all tables with `account_id`. */
export const rowSecurity: DatabaseCheck = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const open = yield* sql<{ readonly name: string }>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
    where c.relnamespace = to_regnamespace(current_schema()) and c.relkind in ('r', 'p')
      and case
        when c.relispartition then exists (
          select from aclexplode(c.relacl) g join pg_roles r on r.oid = g.grantee
          where r.rolname = ${applicationRole})
        -- Keys are read before the account is known: row-level security of their table exempts its owner.
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

/** Checks that next month's partitions exist, and that the default partitions are empty. */
export const partitions: DatabaseCheck =
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const needed = monthStart((yield* databaseNow).getTime(), 2)
    const checks: Array<Check> = []
    for (const table of partitionedTables) {
      const all = yield* monthlyPartitions(table)
      if (!all.some(({ until }) => until.getTime() === needed.getTime())) {
        checks.push(warn("partitions", `${table} has no partition for the next month`,
          "run `sextant retention` daily as the owner, or serve with SEXTANT_MIGRATE=on"))
      }
      const [size] = yield* sql<{ readonly bytes: number }>`
        select pg_relation_size(to_regclass(${`${table}_default`}))::float8 as bytes`
      if ((size?.bytes ?? 0) > 0) {
        checks.push(warn("partitions", `${table}_default holds rows of months without a partition`,
          "check the clocks of the processes; `sextant retention` purges these rows one by one"))
      }
    }
    return checks.length > 0 ? checks : [ok("partitions", "created ahead")]
  })

const retentionFix = "check the database's clock (`date -u` on its machine); if it is right and you want to "
  + "purge it, run `sextant retention --dry-run`, then `sextant retention --force`"

/** Checks whether retention would refuse to purge, if this role may run it. */
export const retention = (
  times: Pick<RetentionRequest, "days" | "textDays">
): Effect.Effect<ReadonlyArray<Check>, never, SqlClient.SqlClient> =>
  Effect.match(purge({ ...times, isDry: true }), {
    onSuccess: (report) => [
      report === null
        ? ok("retention", "is running now")
        : report.refusal === null
        ? ok("retention", `${report.purged.length} tables or accounts have rows past their time`)
        : warn("retention", `refused: ${report.refusal}`, retentionFix)
    ],
    onFailure: (error) => [ok("retention", `not checked by this role: ${error.message}`)]
  })

const skewWarnMs = 2_000
const skewFailMs = 60_000

export const clock = (now: Effect.Effect<number>): DatabaseCheck =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const before = yield* now
    const [row] = yield* sql<{ readonly ms: number }>`
      select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
    const after = yield* now
    const skewMs = Math.round((row?.ms ?? 0) - (before + after) / 2)
    const detail = `${Math.abs(skewMs)} ms ${skewMs < 0 ? "ahead of" : "behind"} the database's`
    if (Math.abs(skewMs) > skewFailMs) return [fail("clock", detail, "synchronise both clocks (NTP)")]
    return [
      Math.abs(skewMs) > skewWarnMs
        ? warn("clock", detail, "synchronise both clocks (NTP)")
        : ok("clock", `within ${skewWarnMs / 1000} s of the database's`)
    ]
  })

/** Checks that the server allows as many connections as all processes of the port use. */
export const processes = (count: number, connections: number): DatabaseCheck =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly allowed: number }>`select current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int as allowed`
    const allowed = row?.allowed ?? 0
    const detail = `${count} on the port, with ${connections} of ${allowed} connections to PostgreSQL`
    return [
      connections <= allowed
        ? ok("processes", detail)
        : warn("processes", detail, "lower SEXTANT_PROCESSES, or raise max_connections")
    ]
  })
