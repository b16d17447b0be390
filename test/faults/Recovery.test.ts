import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { freshDatabase, onServer } from "../support/Databases.ts"
import { findBinaries } from "../support/PostgresCluster.ts"
import { program } from "../support/program.ts"
import { sendRequest, spawnCommand, startService, stopService } from "../support/Service.ts"
import { trafficOf } from "./invariants.ts"
import { database, hasServer, isFullRun, server, fixedSettings } from "./setup.ts"

const binaries = findBinaries()

/** Of every table of the application, its rows in one number, whatever their order. */
const checksums = (url: string) =>
  Effect.gen(function*() {
    const tables = yield* onServer<{ name: string }>(url, `select relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind = 'r' and nspname = 'public' order by relname`)
    return yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(
        onServer<{ rows: number; sum: string }>(url, `select count(*)::int as rows, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as sum
          from "${name}" t`),
        ([row]) => [name, row?.rows, row?.sum]
      ))
  })

describe.skipIf(!hasServer)("the database of a service", () => {
  it.live("is brought up to date by the next start when a migration was killed halfway", () =>
    Effect.gen(function*() {
      const url = yield* database
      // Every table takes a while, so that the kill is sure to come between two of them.
      yield* onServer(url, `create function slowly() returns event_trigger language plpgsql
        as $$ begin perform pg_sleep(0.5); end $$`)
      yield* onServer(url, "create event trigger slowly on ddl_command_end when tag in ('CREATE TABLE') execute function slowly()")
      const first = yield* spawnCommand(process.execPath, [program, "serve"], { ...fixedSettings, PORT: "0", DATABASE_URL: url })
      const under = `select count(*)::int as n from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`
      const isUnderWay = Effect.map(onServer<{ n: number }>(url, under), ([row]) => row?.n === 1)
      while (!(yield* isUnderWay)) yield* Effect.sleep("50 millis")
      yield* Effect.sleep("1 second")
      yield* first.kill("SIGKILL")
      yield* first.exitCode
      yield* onServer(url, "drop event trigger slowly")
      const service = yield* startService({ ...fixedSettings, DATABASE_URL: url })
      const traffic = trafficOf(service)
      yield* traffic.recovers
      yield* traffic.countedOnce
      const [lock] = yield* onServer<{ n: number }>(url, under)
      assert.strictEqual(lock?.n, 0)
    }))

  it.live.runIf(isFullRun && binaries !== null)("has the same rows, and serves, after a dump and its restore", () =>
    Effect.gen(function*() {
      const url = yield* database
      const first = yield* startService({ ...fixedSettings, DATABASE_URL: url })
      const traffic = trafficOf(first)
      const { answers } = yield* traffic.recommend(5)
      for (const answer of answers) yield* traffic.told(answer, { step_outcomes: [{ step_id: "a", outcome: "success" }] })
      yield* traffic.countedOnce
      yield* stopService(first)
      const before = yield* checksums(url)
      assert.isAbove(before.length, 10)
      const restored = Redacted.value((yield* freshDatabase(server)).url)
      const [dump, restore] = ["pg_dump", "psql"].map((name) => join(binaries ?? "", name))
      const sql = execFileSync(dump ?? "", [url], { maxBuffer: 1e9 })
      execFileSync(restore ?? "", ["-q", "-v", "ON_ERROR_STOP=1", restored], { input: sql, stdio: ["pipe", "ignore", "pipe"] })
      assert.deepStrictEqual(yield* checksums(restored), before)
      const heir = yield* startService({ ...fixedSettings, DATABASE_URL: restored })
      for (const { body, text } of traffic.acknowledged.values()) {
        assert.deepStrictEqual(yield* sendRequest(heir, "/v1/feedback", body), { status: 200, text })
      }
      const more = trafficOf(heir)
      yield* more.recovers
      yield* more.countedOnce
    }))
})
