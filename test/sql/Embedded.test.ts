import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { lockDataDirectory } from "../../src/sql/DataDirectoryLock.ts"
import { layerEmbedded, layerMemory } from "../../src/sql/Database.ts"
import { type Embedded, openEmbedded } from "../../src/sql/Embedded.ts"
import { temporaryDirectory } from "../support/Databases.ts"

const writerFile = new URL("../support/embeddedWriter.ts", import.meta.url).pathname

const clientOf = ({ stream }: Embedded) =>
  PgClient.layer({ stream, username: "postgres", database: "postgres", maxConnections: 1 })

interface Witnessed {
  readonly found: ReadonlyArray<number>
  readonly wrote: ReadonlyArray<number>
}

/** Runs the writer, kills it with SIGKILL after `writes` acknowledged rows, and says what it saw and wrote. */
const killAfter = (directory: string, writes: number) =>
  Effect.callback<Witnessed, Error>((resume) => {
    const child = spawn(process.execPath, [writerFile, directory], { stdio: ["ignore", "pipe", "pipe"] })
    const wrote: Array<number> = []
    let found: ReadonlyArray<number> | null = null
    let complaint = ""
    child.stderr.on("data", (chunk) => complaint += String(chunk))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [word, value = ""] = line.split(" ")
      if (word === "found") found = JSON.parse(value)
      else wrote.push(Number(value))
      if (wrote.length === writes) child.kill("SIGKILL")
    })
    child.on("close", () =>
      resume(found === null ? Effect.fail(new Error(complaint)) : Effect.succeed({ found, wrote })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("the embedded database", () => {
  it.live("forces the log to disk at every commit", () =>
    Effect.gen(function*() {
      const embedded = yield* openEmbedded(yield* temporaryDirectory)
      const client = clientOf(embedded)
      const before = yield* embedded.fsyncCount
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table t (a integer)`
        for (let row = 0; row < 50; row++) yield* sql`insert into t values (${row})`
        assert.deepStrictEqual(yield* sql`select current_setting('fsync') as fsync`, [{ fsync: "on" }])
      }).pipe(Effect.provide(client))
      assert.isAtLeast((yield* embedded.fsyncCount) - before, 50)
    }), 60_000)

  it.live("loses no acknowledged row when its process is killed ten times amid writes", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      let acknowledged: ReadonlyArray<number> = []
      for (let round = 1; round <= 10; round++) {
        const { found, wrote } = yield* killAfter(directory, 5 * round)
        assert.deepStrictEqual(acknowledged.filter((id) => !found.includes(id)), [])
        acknowledged = [...found, ...wrote]
      }
      const rows = yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        return yield* sql<{ readonly id: number }>`select id from written`
      }).pipe(Effect.provide(layerEmbedded(directory)))
      const kept = new Set(rows.map(({ id }) => id))
      assert.deepStrictEqual(acknowledged.filter((id) => !kept.has(id)), [])
    }), 180_000)

  it.live("refuses a second process, naming the one that holds the directory", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* lockDataDirectory(directory)
      const failure = yield* Effect.flip(Effect.scoped(lockDataDirectory(directory)))
      assert.deepInclude(failure, { _tag: "DataDirectoryLocked", path: directory, pid: process.pid })
      const { message } = yield* Effect.flip(killAfter(directory, 1))
      assert.include(message, "DataDirectoryLocked")
      assert.include(message, `in use by process ${process.pid}`)
    }), 60_000)

  it.live("takes a directory over from an owner that died, and releases it at the end of the scope", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      writeFileSync(join(directory, "lock"), "")
      writeFileSync(join(directory, "lock.pid"), "999999")
      yield* Effect.scoped(lockDataDirectory(directory))
      yield* Effect.scoped(lockDataDirectory(directory))
    }))

  it.live("answers the next query after one was abandoned, and rolls back what that one left open", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table t (a integer)`
      const stuck = yield* Effect.forkChild(
        sql.withTransaction(Effect.andThen(sql`insert into t values (1)`, sql`select pg_sleep(0.5)`))
      )
      yield* Effect.yieldNow
      yield* Fiber.interrupt(stuck)
      assert.deepStrictEqual(yield* sql`select count(*)::int as n from t`, [{ n: 0 }])
    }).pipe(Effect.provide(layerMemory)), 60_000)

  it.live("keeps a value of many megabytes whole", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const text = "0123456789abcdef".repeat(500_000)
      const [row] = yield* sql<{ readonly same: string }>`select ${text}::text as same`
      assert.isTrue(row?.same === text)
    }).pipe(Effect.provide(layerMemory)), 60_000)

  it.live("turns the death of its thread into failures of the queries", () =>
    Effect.gen(function*() {
      const embedded = yield* openEmbedded(yield* temporaryDirectory)
      const failure = yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const waiting = yield* Effect.forkChild(sql`select pg_sleep(5)`)
        yield* sql`select 1`.pipe(Effect.timeoutOption(1))
        yield* embedded.terminate
        return yield* Effect.flip(Fiber.join(waiting))
      }).pipe(Effect.provide(clientOf(embedded)))
      assert.strictEqual(failure._tag, "SqlError")
    }), 60_000)
})
