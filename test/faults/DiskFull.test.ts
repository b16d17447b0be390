import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freshDatabase, onServer } from "../support/Databases.ts"
import { findBinaries, scopedCluster } from "../support/PostgresCluster.ts"
import { startService } from "../support/Service.ts"
import { trafficOf, warningsOf } from "./invariants.ts"
import { fixedSettings } from "./setup.ts"

const mount = (): string | null => {
  const path = mkdtempSync(join(tmpdir(), "sextant-disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=192m,mode=1777", "tmpfs", path], { stdio: "ignore" })
    return path
  } catch {
    rmdirSync(path)
    return null
  }
}

const unmount = (path: string): void => {
  execFileSync("umount", ["-l", path])
  rmdirSync(path)
}

/** Whether this process may mount a file system, which takes root and a kernel that lets it. */
const mayMount = (): boolean => {
  const path = mount()
  if (path !== null) unmount(path)
  return path !== null
}

const binaries = findBinaries()
const isPossible = binaries !== null && mayMount()

/** A small file system of its own. */
const disk = Effect.acquireRelease(
  Effect.sync(() => mount() ?? assert.fail("a file system could be mounted before")),
  (path) => Effect.sync(() => unmount(path))
)

/** Takes all the room that is left. */
const fill = (path: string): void => {
  const file = openSync(path, "w")
  try {
    for (let size = 1_048_576; size >= 1; size = Math.floor(size / 4)) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size, 1))
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error
      }
    }
  } finally {
    closeSync(file)
  }
}

describe("a service on a PostgreSQL whose disk is full", () => {
  it.live.runIf(isPossible)("the service recommends, refuses feedback until a retry succeeds, and recovers with space", () =>
    Effect.gen(function*() {
      const path = yield* disk
      const cluster = yield* scopedCluster({ parent: path })
      const url = Redacted.value((yield* freshDatabase(cluster.url)).url)
      const service = yield* startService({ ...fixedSettings, DATABASE_URL: url })
      const traffic = trafficOf(service)
      yield* traffic.recovers

      const filler = join(path, "filler")
      yield* Effect.sync(() => fill(filler))
      const statuses: Array<number> = []
      // Room that tables already had is used up first; there may be none for the next decision.
      for (let turn = 0; turn < 600 && !statuses.includes(503); turn++) {
        const { answers: [answer] } = yield* traffic.recommend(1)
        if (answer !== undefined) statuses.push((yield* traffic.tell(answer)).status)
      }
      assert.deepStrictEqual(statuses.filter((status) => status !== 200), [503])
      for (const warnings of warningsOf(yield* traffic.recommend(3))) {
        assert.deepStrictEqual(warnings.filter((warning) => !/^(recall_timeout|memory_|lane_numbers_)/.test(warning)), [])
      }

      yield* Effect.sync(() => rmSync(filler))
      // Out of room for its log the server ends, and whoever supervises it starts it again.
      yield* Effect.catch(onServer(cluster.url, "select 1"), () => Effect.sync(cluster.start))
      yield* traffic.recovers
      yield* traffic.countedOnce
    }).pipe(Effect.scoped))
})
