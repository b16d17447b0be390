import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { deepChecks } from "../../../src/cli/doctor/DeepChecks.ts"
import { layerEmbedded } from "../../../src/postgres/embedded/EmbeddedDatabase.ts"
import { layerPostgres } from "../../../src/sql/Database.ts"
import { clusterIn } from "../../../src/postgres/embedded/Cluster.ts"
import { dataDirectory, freshDatabase, onEachEngine, onServer, postgresServer } from "../../support/Databases.ts"
import { findBinaries, scopedCluster } from "../../support/PostgresCluster.ts"

const silent = () => {}

/** What the database holds that a command could have changed. */
const everything = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select (select count(*)::int from pg_class) as relations,
    (select count(*)::int from pg_proc) as functions, (select count(*)::int from pg_extension) as extensions`
})

onEachEngine((name, engine) => {
  describe(`the deep checks ${name}`, () => {
    it.live("read every table and index, change nothing, and report progress", () =>
      Effect.gen(function*() {
        const before = yield* everything
        const seen: Array<number> = []
        let total = 0
        const findings = yield* deepChecks((done, of) => {
          seen.push(done)
          total = of
        })
        assert.deepStrictEqual(findings.filter(({ state }) => state === "fail"), [])
        assert.match(findings.find(({ name: of }) => of === "tables and indexes")?.detail ?? "", /^\d+ read with/)
        assert.isAbove(seen.length, 100)
        assert.closeTo(seen.at(-1) ?? 0, total, 1)
        assert.deepStrictEqual(yield* everything, before)
      }).pipe(Effect.provide(engine)), 60_000)
  })
})

/** Writes noise over the first bytes of a file of a server that does not run. */
const spoil = (path: string, at: number) => {
  const file = openSync(path, "r+")
  writeSync(file, Buffer.alloc(256, 0xa5), 0, 256, at)
  closeSync(file)
}

describe.skipIf(findBinaries() === null)("the deep checks of a damaged database", () => {
  it.live("name each damaged table and index, read all others, and do not fail themselves", () =>
    Effect.gen(function*() {
      const cluster = yield* scopedCluster()
      const look = Effect.scoped(Effect.provide(deepChecks(silent), layerPostgres(Redacted.make(cluster.url), "ignore")))
      yield* Effect.scoped(Effect.provide(Effect.void, layerPostgres(Redacted.make(cluster.url))))
      for (const statement of [
        "create table harmed as select n, repeat(md5(n::text), 20) as text from generate_series(1, 5000) n",
        "create unique index harmed_index on harmed (n)",
        "checkpoint"
      ]) yield* onServer(cluster.url, statement)
      const [paths] = yield* onServer<{ readonly table: string; readonly index: string; readonly data: string }>(
        cluster.url, `select pg_relation_filepath('harmed') as "table", pg_relation_filepath('harmed_index') as "index",
          current_setting('data_directory') as data`)
      const file = (path: string | undefined) => join(paths?.data ?? "", path ?? "")
      assert.isTrue((yield* look).every(({ state }) => state !== "fail"))
      cluster.halt()
      spoil(file(paths?.table), 3 * 8_192)
      spoil(file(paths?.index), 2 * 8_192)
      cluster.start()
      const damaged = (yield* look).filter(({ name: of }) => of === "damaged")
      assert.match(damaged.map(({ detail: says }) => says).join("\n"), /^harmed_index: [^\n]+\nharmed: invalid page in block 3[^\n]*$/)
      assert.match(damaged[0]?.fix ?? "", /reindex index harmed_index/)
      assert.match(damaged[1]?.fix ?? "", /restore a backup/)
    }), 120_000)

  it.live("call no relation damaged whose connection was lost, and name it", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase(postgresServer ?? "")
      yield* Effect.scoped(Effect.provide(Effect.void, layerPostgres(url)))
      let isEnded = false
      const findings = yield* Effect.scoped(Effect.provide(
        deepChecks(() => {
          if (isEnded) return
          isEnded = true
          execFileSync("psql", [Redacted.value(url), "-qAtc", `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`])
        }),
        layerPostgres(url, "ignore")
      ))
      const failed = findings.filter(({ state }) => state === "fail")
      assert.deepStrictEqual(failed.map(({ name: of }) => of), ["unread"])
      assert.match(failed[0]?.detail ?? "", /: the server ended, or the connection was lost$/)
    }), 120_000)

  it.live("find a page of the embedded database that differs from its checksum by one bit", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const within = <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        Effect.scoped(Effect.provide(work, layerEmbedded(directory, "ignore")))
      const [made] = yield* within(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table harmed as select n, md5(n::text) as text from generate_series(1, 1000) n`
        return yield* sql<{ readonly path: string }>`select pg_relation_filepath('harmed') as path`
      }))
      const path = join(clusterIn(directory), made?.path ?? "")
      const bytes = readFileSync(path)
      bytes[8_192 + 8_000] = (bytes[8_192 + 8_000] ?? 0) ^ 1
      writeFileSync(path, bytes)
      const damaged = (yield* within(deepChecks(silent))).filter(({ state }) => state === "fail")
      assert.match(damaged.map(({ detail: says }) => says).join("\n"), /^harmed: invalid page in block 1[^\n]*$/)
    }), 120_000)

  it.live("continue without amcheck and with few rights, and name what they may not read", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase(postgresServer ?? "")
      yield* Effect.scoped(Effect.provide(Effect.void, layerPostgres(url)))
      const role = `reader_${Math.random().toString(36).slice(2, 10)}`
      yield* onServer(Redacted.value(url), `create role ${role} login`)
      const as = new URL(Redacted.value(url))
      as.username = role
      const findings = yield* Effect.scoped(Effect.provide(deepChecks(silent), layerPostgres(Redacted.make(as.href), "ignore")))
      yield* onServer(Redacted.value(url), `drop role ${role}`)
      assert.deepStrictEqual(findings.filter(({ state }) => state === "fail"), [])
      assert.match(JSON.stringify(findings), /\d+ read without amcheck/)
      assert.match(JSON.stringify(findings), /this role may not read it/)
    }), 120_000)
})
