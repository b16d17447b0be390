import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { clusterIn } from "../../../src/postgres/embedded/Cluster.ts"
import { openEmbedded } from "../../../src/postgres/embedded/EmbeddedPostgres.ts"
import { serversOf } from "../../../src/postgres/embedded/ServerProcess.ts"
import { dataDirectory, temporaryDirectory } from "../../support/Databases.ts"

const isRoot = process.getuid?.() === 0

/** Why a data directory is refused. */
const refusal = (directory: string) =>
  Effect.map(Effect.flip(Effect.scoped(openEmbedded(directory))), ({ message }) => message)

/** Opens a data directory and closes it again. */
const opened = (directory: string) => Effect.scoped(openEmbedded(directory))

const openPaths = (directory: string): ReadonlyArray<string> =>
  execFileSync("find", [directory, "-perm", "/077"], { encoding: "utf8" }).split("\n").filter((path) => path !== "")

describe("a data directory", () => {
  it.live("is refused, and left as it is, when a part of its cluster is missing or empty", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const aside = `${directory}.part`
      for (const part of ["PG_VERSION", "postgresql.conf", "pg_hba.conf", "global/pg_control", "base", "pg_wal", "pg_xact"]) {
        const path = join(clusterIn(directory), part)
        renameSync(path, aside)
        const before = readdirSync(clusterIn(directory), { recursive: true })
        const message = yield* refusal(directory)
        assert.include(message, `is damaged (missing or empty: ${part})`)
        assert.match(message, /Move the folder away; then restore a backup with `sextant restore`/)
        assert.deepStrictEqual(readdirSync(clusterIn(directory), { recursive: true }), before)
        if (statSync(aside).isFile()) writeFileSync(path, "")
        else mkdirSync(path)
        assert.include(yield* refusal(directory), `missing or empty: ${part}`)
        rmSync(path, { recursive: true })
        renameSync(aside, path)
      }
    }))

  it.live("is refused when its cluster is an empty folder", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      mkdirSync(clusterIn(directory))
      assert.include(yield* refusal(directory), "is damaged")
      assert.deepStrictEqual(readdirSync(clusterIn(directory)), [])
    }))

  it.live("of another major version of PostgreSQL is refused with a line on backup and restore", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      writeFileSync(join(clusterIn(directory), "PG_VERSION"), "17\n")
      const message = yield* refusal(directory)
      assert.match(message, /is of PostgreSQL 17, and this Sextant runs PostgreSQL 18\..* back up .* restore /)
    }))

  it.live("whose first initialisation was interrupted is initialised again", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const unfinished = `${clusterIn(directory)}.unfinished`
      mkdirSync(unfinished)
      writeFileSync(join(unfinished, "PG_VERSION"), "18\n")
      yield* opened(directory)
      assert.isFalse(existsSync(unfinished))
    }), 60_000)

  it.live("holds nothing that other users can read, and an existing one is put right", () =>
    Effect.gen(function*() {
      const [fresh, existing] = [yield* temporaryDirectory, yield* dataDirectory]
      yield* opened(join(fresh, "data"))
      assert.deepStrictEqual(openPaths(join(fresh, "data")), [])
      writeFileSync(join(existing, "catalog.json"), "{}")
      execFileSync("chmod", ["-R", "a+rX", existing])
      assert.isAbove(openPaths(existing).length, 900)
      yield* opened(existing)
      assert.deepStrictEqual(openPaths(existing), [])
    }), 60_000)

  it.live("that holds files of others is left open, but for what is ours", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const notes = join(directory, "notes.txt")
      writeFileSync(notes, "")
      for (const path of [directory, notes]) chmodSync(path, 0o755)
      yield* opened(directory)
      assert.deepStrictEqual(openPaths(directory), [directory, notes])
    }))

  it.live("works below a path that is too long for a socket, and with any name", () =>
    Effect.gen(function*() {
      const parent = yield* temporaryDirectory
      const directory = join(parent, "with spaces and ünïcødé 日本'\"$x", "long".repeat(30))
      cpSync(yield* dataDirectory, directory, { recursive: true })
      yield* Effect.scoped(Effect.gen(function*() {
        const { socketPath } = yield* openEmbedded(directory)
        assert.isBelow(Buffer.byteLength(socketPath), 100)
        assert.isTrue(existsSync(socketPath))
      }))
      assert.deepStrictEqual(serversOf(clusterIn(directory)), [])
    }), 60_000)

  it.live.skipIf(!isRoot)("of another user runs as that user when root starts it, below a closed folder too", () =>
    Effect.gen(function*() {
      const home = yield* temporaryDirectory
      const directory = join(home, "data")
      mkdirSync(directory, { mode: 0o700 })
      // This user has no line in /etc/passwd, which initdb wants; the folder above is root's alone.
      chownSync(directory, 4242, 4242)
      yield* opened(directory)
      for (const path of [clusterIn(directory), join(clusterIn(directory), "PG_VERSION"), join(directory, "lock")]) {
        assert.strictEqual(statSync(path).uid, 4242, path)
      }
    }), 60_000)
})
