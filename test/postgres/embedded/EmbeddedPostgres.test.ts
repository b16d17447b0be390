import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { layerServer } from "../../../src/postgres/embedded/EmbeddedDatabase.ts"
import { layerCommands, layerServing } from "../../../src/sql/Database.ts"
import { DatabaseServer } from "../../../src/sql/DatabaseServer.ts"
import { openEmbedded } from "../../../src/postgres/embedded/EmbeddedPostgres.ts"
import { isRunning, serversOf } from "../../../src/postgres/embedded/ServerProcess.ts"
import { dataDirectory, embedded, serversLeft } from "../../support/Databases.ts"

const writerFile = new URL("../../support/embeddedWriter.ts", import.meta.url).pathname

interface Witnessed {
  readonly found: ReadonlyArray<number>
  readonly wrote: ReadonlyArray<number>
}

/** The shells that watch over the processes of a directory, and the programs that they became. */
const watchesOf = (directory: string): ReadonlyArray<number> =>
  readdirSync("/proc").map(Number).filter((pid) => {
    try {
      const command = pid > 1 ? readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0") : []
      return command.includes(directory) && command.some((word) => word.endsWith("/StopServer.ts"))
    } catch {
      return false // It has ended.
    }
  })

/**
 * Runs the writer, kills it with SIGKILL after `writes` acknowledged rows, and says what it saw and wrote;
 * `first` runs before the kill.
 */
const killAfter = (directory: string, writes: number, first = () => {}) =>
  Effect.callback<Witnessed, Error>((resume) => {
    const child = spawn(process.execPath, [writerFile, directory], { stdio: ["ignore", "pipe", "pipe"] })
    const wrote: Array<number> = []
    let found: ReadonlyArray<number> | null = null
    let complaint = ""
    child.stderr.on("data", (chunk) => complaint += String(chunk))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [word, value = ""] = line.split(" ")
      if (word === "found") found = JSON.parse(value)
      else if (word === "wrote") wrote.push(Number(value))
      if (wrote.length === writes) {
        first()
        child.kill("SIGKILL")
      }
    })
    child.on("close", () =>
      resume(found === null ? Effect.fail(new Error(complaint)) : Effect.succeed({ found, wrote })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const one = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ readonly one: number }>`select 1 as one`)

describe("the embedded database", () => {
  it.live("is shared by all who open its directory, and ends with the last of them", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const [first, second] = [yield* Scope.make(), yield* Scope.make()]
      const one = yield* Scope.provide(openEmbedded(directory), first)
      const other = yield* Scope.provide(openEmbedded(directory), second)
      assert.strictEqual(other.pid(), one.pid())
      yield* Scope.close(first, Exit.void)
      assert.isTrue(isRunning(one.pid()))
      yield* Scope.close(second, Exit.void)
      assert.deepStrictEqual(serversOf(`${directory}/postgresql`), [])
    }), 60_000)

  it.live("ends with the process that was killed, unless another uses its directory", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const { pid } = yield* openEmbedded(directory)
        yield* killAfter(directory, 1)
        yield* Effect.repeat(Effect.sync(() => watchesOf(directory).length), {
          until: (count) => count === 1, schedule: Schedule.spaced("50 millis"), times: 400
        })
        assert.include(serversOf(`${directory}/postgresql`), pid())
      }))
      yield* killAfter(directory, 1)
      assert.deepStrictEqual(yield* serversLeft(directory), [])
    }), 60_000)

  it.live("is taken over from a process that was killed together with its watch", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      yield* killAfter(directory, 1, () => {
        for (const pid of watchesOf(directory)) process.kill(pid, "SIGKILL")
      })
      const [left] = serversOf(`${directory}/postgresql`)
      assert.isDefined(left)
      yield* Effect.scoped(Effect.gen(function*() {
        const { pid } = yield* openEmbedded(directory)
        assert.include(serversOf(`${directory}/postgresql`), pid())
      }))
      assert.deepStrictEqual(serversOf(`${directory}/postgresql`), [])
    }), 60_000)

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
    }).pipe(Effect.provide(embedded)), 60_000)

  it.live("keeps a value of many megabytes whole", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const text = "0123456789abcdef".repeat(500_000)
      const [row] = yield* sql<{ readonly same: string }>`select ${text}::text as same`
      assert.isTrue(row?.same === text)
    }).pipe(Effect.provide(embedded)), 60_000)

  it.live("turns the death of the server into failures of the queries, and starts it again", () =>
    Effect.gen(function*() {
      const server = yield* Layer.build(layerServer(yield* dataDirectory))
      yield* Effect.gen(function*() {
        const { embedded } = yield* DatabaseServer
        const first = embedded?.pid() ?? 0
        const sql = yield* SqlClient.SqlClient
        const waiting = yield* Effect.forkChild(sql`select pg_sleep(5)`)
        yield* sql`select 1`.pipe(Effect.timeoutOption(1))
        process.kill(first, "SIGKILL")
        assert.strictEqual((yield* Effect.flip(Fiber.join(waiting)))._tag, "SqlError")
        // For a moment its backends outlive a killed postmaster, and still answer.
        const isReplaced = Effect.sync(() => embedded?.pid() !== first)
        assert.isTrue(yield* Effect.repeat(isReplaced, { until: Boolean, schedule: Schedule.spaced("50 millis"), times: 400 }))
        yield* Effect.retry(one, { schedule: Schedule.spaced("50 millis"), times: 400 })
      }).pipe(Effect.provide(layerServing()), Effect.provide(server))
      // A second pool, which was not there when the first one's connections died.
      assert.deepStrictEqual(yield* one.pipe(Effect.provide(layerCommands("ignore")), Effect.provide(server)), [{ one: 1 }])
    }), 60_000)
})
