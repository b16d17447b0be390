import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { readdirSync } from "node:fs"
import { layerEmbedded } from "../../src/postgres/embedded/EmbeddedDatabase.ts"
import { layerPostgres } from "../../src/sql/Database.ts"
import { applyFunctions, checksumOf, functions } from "../../src/sql/Functions.ts"
import {
  type Migration, migrate, migrateOnce, migrateTo, migrations, requireSchema, SchemaTooOld
} from "../../src/sql/Migrations.ts"
import { sqlErrorIn } from "../../src/sql/Transient.ts"
import { freshDatabase, postgresServer, temporaryDirectory } from "../support/Databases.ts"
import { program } from "../support/program.ts"
import { spawnCommand, sextant } from "../support/Service.ts"

const applied = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`select name from sextant_migration order by migration_id`
  return rows.map(({ name }) => name)
})

const keysWithoutAccount = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select index.indexrelid::regclass::text as name from pg_index index
    join pg_class relation on relation.oid = index.indrelid
    join pg_namespace namespace on namespace.oid = relation.relnamespace and namespace.nspname = 'public'
    join pg_attribute attribute on attribute.attrelid = relation.oid and attribute.attnum = index.indkey[0]
    where index.indisunique and attribute.attname <> 'account_id' and relation.relname <> 'sextant_migration'`
})

const client = (url: Redacted.Redacted<string>) => PgClient.layer({ url, maxConnections: 2 })

const eventually = (condition: Effect.Effect<boolean, unknown>) =>
  Effect.repeat(condition, { until: Boolean, schedule: Schedule.spaced("20 millis") }).pipe(
    Effect.timeout("30 seconds")
  )

/** Work on a connection of its own. */
const elsewhere = <A, E>(url: Redacted.Redacted<string>, work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(work, Layer.fresh(client(url)))

/** The statements that wait for a lock in the database. */
const waitingFor = (url: Redacted.Redacted<string>) =>
  elsewhere(url, SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly query: string }>`select query from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
      (rows) => rows.map(({ query }) => query).join()
    )))

/** A later migration that needs tables in use for itself. */
const later: Migration = {
  name: "later",
  run: Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table decision add column later int`),
  alone: "account_log, report, decision, reflection, observation, step_reward, api_key"
}
const all = migrations.map(({ name }) => name)
const withLater = [...migrations, later]

/** A database as it was before {@link later}, and a connection to it. */
const beforeLater = Effect.gen(function*() {
  const { url } = yield* freshDatabase(postgresServer ?? "")
  yield* elsewhere(url, migrate)
  const sql = yield* Effect.map(PgClient.PgClient, (each) => each).pipe(
    Effect.provide(yield* Layer.build(client(url)))
  )
  return { sql, url }
})

/** Migrates while a transaction has the locks of `held`, and does `meanwhile` in it once the migration waits for them. */
const migrateDuring = <A, E, E2>(
  { sql, url }: Effect.Success<typeof beforeLater>,
  held: Effect.Effect<unknown, SqlError.SqlError>,
  migrating: Effect.Effect<A, E, SqlClient.SqlClient>,
  meanwhile: Effect.Effect<unknown, E2>
) =>
  held.pipe(
    Effect.andThen(Effect.forkChild(elsewhere(url, migrating))),
    Effect.tap(() => eventually(Effect.map(waitingFor(url), (waiting) => waiting !== ""))),
    Effect.tap(() => meanwhile),
    sql.withTransaction,
    Effect.flatMap(Fiber.join)
  )

describe("the functions", () => {
  it("have a version that rises with every change of their text", () => {
    assert.deepStrictEqual([functions.version, checksumOf(functions)], [30, "3eef1fca45c6c776"])
    const folder = new URL("../../src/sql/functions", import.meta.url)
    assert.deepStrictEqual(functions.files.map((file) => `${file}.sql`).sort(), readdirSync(folder).sort())
  })

  it.live.skipIf(postgresServer === null)("are brought up to date after the migrations, but not by an older version", () =>
    Effect.gen(function*() {
      const { sql } = yield* beforeLater
      const on = Effect.provideService(SqlClient.SqlClient, sql)
      const replace = sql`create or replace function model_health_of(account text) returns json
        language sql as 'select null::json'`
      const isReplaced = Effect.map(
        sql<{ readonly is: boolean }>`select prosrc = 'select null::json' as is from pg_proc where proname = 'model_health_of'`,
        ([row]) => row?.is
      )
      // A store of the version before functions had versions, whose functions are others.
      yield* sql`drop table sextant_functions`
      yield* replace
      assert.match((yield* Effect.flip(on(requireSchema))).message, /lacks the migrations functions:/)
      assert.deepStrictEqual(yield* on(migrate), ["functions"])
      assert.isFalse(yield* isReplaced)
      assert.deepStrictEqual(yield* on(migrate), [])

      yield* replace
      const newer = { ...functions, version: functions.version + 1 }
      yield* sql`update sextant_functions set version = ${newer.version}, checksum = 'newer'`
      yield* on(requireSchema)
      assert.deepStrictEqual(yield* on(migrate), [])
      assert.isTrue(yield* isReplaced)
      assert.isTrue(yield* on(applyFunctions({ ...newer, version: newer.version + 1 })))
      assert.isFalse(yield* isReplaced)
    }), 120_000)
})

describe("the schema", () => {
  it.live("leads every unique key with the account, and a second start changes nothing", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const first = yield* applied.pipe(Effect.provide(layerEmbedded(directory)))
      const [second, keys] = yield* Effect.all([applied, keysWithoutAccount]).pipe(
        Effect.provide(layerEmbedded(directory))
      )
      assert.deepStrictEqual(first, all)
      assert.deepStrictEqual(second, first)
      assert.deepStrictEqual(keys, [])
    }), 60_000)

  it.live.skipIf(postgresServer === null)("is made once by four processes that start together", () =>
    Effect.gen(function*() {
      if (postgresServer === null) return
      const { url } = yield* freshDatabase(postgresServer)
      const start = Effect.provide(applied, Layer.fresh(layerPostgres(url)))
      const starts = yield* Effect.replicateEffect(start, 4, { concurrency: "unbounded" })
      for (const names of starts) assert.deepStrictEqual(names, all)
    }), 60_000)

  it.live.skipIf(postgresServer === null)("is not there in part when its process is killed half-way, and the next one makes it whole", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase(postgresServer ?? "")
      const environment = { DATABASE_URL: Redacted.value(url) }
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        // The baseline makes this table too, and waits for what becomes of this one. Of a statement PostgreSQL shows 1,024
        // bytes: the table is the first one of its file.
        const { exitCode, kill } = yield* sql`create table lane (a int)`.pipe(
          Effect.andThen(Effect.gen(function*() {
            const process = yield* spawnCommand(globalThis.process.execPath, [program, "migrate"], environment)
            yield* eventually(Effect.map(waitingFor(url), (waiting) => waiting.includes("create table lane (")))
            yield* process.kill("SIGKILL")
            yield* process.exitCode
            return process
          })),
          Effect.tap(() => sql`drop table lane`),
          sql.withTransaction
        )
        yield* kill("SIGKILL")
        assert.isNull(yield* exitCode)
        assert.deepStrictEqual(yield* sql`select tablename from pg_tables where schemaname = 'public'`, [])
      }).pipe(Effect.provide(client(url)))
      const resumed = yield* sextant(["migrate"], environment)
      assert.strictEqual(resumed.code, 0, resumed.stderr)
      assert.match(resumed.stdout, /^applied body\n/)
    }), 120_000)

  it.live.skipIf(postgresServer === null)("is left as it was by a migration whose connection is lost: a failure and no defect", () =>
    Effect.gen(function*() {
      const before = yield* beforeLater
      const { sql, url } = before
      const end = elsewhere(url, SqlClient.SqlClient.use((other) => other`select pg_terminate_backend(pid)
        from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      // The lock of migrations, for which it waits in its transaction.
      const held = sql`select pg_advisory_xact_lock(5790316251)::text`
      const failure = yield* Effect.flip(migrateDuring(before, held, migrateOnce(withLater), end))
      assert.isNotNull(sqlErrorIn(failure))
      assert.deepStrictEqual(yield* Effect.provideService(applied, SqlClient.SqlClient, sql), all)
    }), 120_000)

  it.live.skipIf(postgresServer === null)("is migrated after a long report, which delays no other statement for as long", () =>
    Effect.gen(function*() {
      const before = yield* beforeLater
      // A report is being read: the migration must wait for it to end.
      const report = before.sql`select count(*) from decision`
      // What comes after it waits behind it only until it gives up; the report goes on all the while.
      const other = elsewhere(before.url, SqlClient.SqlClient.use((sql) => sql`select count(*) from decision`))
      assert.deepStrictEqual(yield* migrateDuring(before, report, migrateTo(withLater), other), ["later"])
    }), 120_000)

  it.live.skipIf(postgresServer === null)("is migrated after a feedback that locks further tables, none of which the migration holds", () =>
    Effect.gen(function*() {
      const before = yield* beforeLater
      const { sql } = before
      const further = Effect.gen(function*() {
        yield* sql`set local lock_timeout = '100ms'`
        for (const table of ["report", "decision_figures", "decision", "observation", "step_reward", "reflection", "api_key"]) {
          yield* sql`select count(*) from ${sql(table)}`
        }
      })
      const held = sql`select count(*) from account_log`
      assert.deepStrictEqual(yield* migrateDuring(before, held, migrateTo(withLater), further), ["later"])
    }), 120_000)

  it.live.skipIf(postgresServer === null)("of an earlier version is refused with the commit that can export it", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase(postgresServer ?? "")
      const migrateFrom = (first: string) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`create table if not exists sextant_migration
            (migration_id int primary key, created_at timestamptz default now(), name text)`
          yield* sql`delete from sextant_migration`
          yield* sql`insert into sextant_migration (migration_id, name) values (1, ${first})`
          return yield* Effect.flip(migrate)
        }).pipe(Effect.provide(Layer.fresh(client(url))))
      const between = "export each with commit 558321fd.*"
      for (const [first, told] of [
        ["schema", `fbfbbae8.*account export.*${between}`], ["tables", `309dc825.*account export.*${between}`],
        ["log", "558321fd.*account export.*"], ["facts", `3c4e14b4.*account export.*${between}`]
      ] as const) {
        const failure = yield* migrateFrom(first)
        assert.instanceOf(failure, SchemaTooOld)
        assert.match(String(failure), new RegExp(`earlier Sextant.*Check out commit ${told}account import`, "s"))
      }
      for (const command of ["migrate", "doctor"]) {
        const { code, stderr, stdout } = yield* sextant([command], { DATABASE_URL: Redacted.value(url) })
        assert.notStrictEqual(code, 0)
        assert.match(stdout + stderr, /earlier Sextant.*commit 3c4e14b4.*account export.*commit 558321fd.*account import/s)
      }
    }), 60_000)
})
