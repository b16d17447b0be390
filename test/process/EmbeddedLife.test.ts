import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { clusterIn } from "../../src/postgres/embedded/Cluster.ts"
import { isRunning, readPidFile, serversOf, worksIn } from "../../src/postgres/embedded/ServerProcess.ts"
import { processesOf } from "../cluster/topology.ts"
import { dataDirectory, serversLeft, temporaryDirectory } from "../support/Databases.ts"
import { program } from "../support/program.ts"
import { awaitLog, requestJson, runToEnd, sendRequest, type Service, spawnCommand, startService, stopService } from "../support/Service.ts"

const question = { task: { task: "Fix this failing unit test" } }

const advised = (service: Service) => requestJson(RecommendResponse, service, "/v1/recommend", question)

/** Asks again until the answer says that the decision and its memory were in the database. */
const servedAgain = (service: Service) =>
  Effect.repeat(Effect.map(advised(service), ({ warnings }) => warnings.includes("memory_unavailable")), {
    until: (isOut) => !isOut, schedule: Schedule.spaced("50 millis"), times: 400
  })

const postmaster = (directory: string): number => readPidFile(clusterIn(directory))?.pid ?? 0

/** Waits until another process is the cluster's postmaster. */
const replaced = (directory: string, pid: number) =>
  Effect.repeat(Effect.sync(() => ![0, pid].includes(postmaster(directory))), {
    until: (isReplaced) => isReplaced, schedule: Schedule.spaced("50 millis"), times: 400
  })

describe.skipIf(process.platform !== "linux")("the PostgreSQL of a service", () => {
  it.live("is restarted when it dies, and survives Ctrl-C until the service has drained", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const service = yield* startService({ SEXTANT_DATA_DIR: directory, SEXTANT_DRAIN_DELAY_MS: "500" })
      yield* advised(service)
      for (let round = 1; round <= 2; round++) {
        const pid = postmaster(directory)
        process.kill(pid, "SIGKILL")
        // The caller's key and the lane are cached, so the service answers without its database.
        const { status } = yield* sendRequest(service, "/v1/recommend", question)
        assert.strictEqual(status, 200)
        // The backends of a killed postmaster live and answer for a moment.
        assert.isTrue(yield* replaced(directory, pid))
        assert.isFalse(yield* servedAgain(service))
        yield* awaitLog(service, `PostgreSQL (process ${pid}) has ended; starting it again`)
      }
      assert.strictEqual((yield* sendRequest(service, "/readyz")).status, 200)
      const pid = postmaster(directory)
      const groups = [service.pid, pid].map((each) => Number(readFileSync(`/proc/${each}/stat`, "utf8").split(" ")[4]))
      // A terminal's Ctrl-C goes to the service's group, in which PostgreSQL is not.
      assert.strictEqual(groups[1], pid)
      assert.notStrictEqual(groups[0], pid)
      yield* service.kill("SIGINT")
      assert.strictEqual((yield* sendRequest(service, "/v1/recommend", question)).status, 200)
      assert.isTrue(isRunning(pid))
      assert.strictEqual(yield* service.exitCode, 0)
      assert.isFalse(isRunning(pid))
      assert.include(readFileSync(join(directory, "postgresql.log"), "utf8").split("\n").slice(-3).join("\n"),
        "database system is shut down")
      assert.deepStrictEqual(serversOf(clusterIn(directory)), [])
    }), 120_000)

  it.live("ends when all processes of its service are killed at once", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const service = yield* startService({ SEXTANT_DATA_DIR: directory, SEXTANT_PROCESSES: "3" })
      yield* advised(service)
      const all = processesOf(service)
      assert.isAtLeast(all.length, 3)
      for (const pid of all) process.kill(pid, "SIGKILL")
      assert.deepStrictEqual(yield* serversLeft(directory), [])
    }), 120_000)

  it.live("is not confused with another process of the same id, or with one that has ended", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const cluster = clusterIn(directory)
      const file = join(cluster, "postmaster.pid")
      const ready = (pid: number) => `${pid}\n/proc/self/cwd\n1700000000\n5432\n.\n\n  5432001  0\nready   \n`
      const other = yield* spawnCommand("sleep", ["60"], {})
      // Empty, as a power cut leaves it; another program; a process that its parent never asks how it ended.
      const parent = "import os, subprocess, time; p = subprocess.Popen(['true']); print(p.pid, flush=True); time.sleep(60)"
      const { stdout } = yield* spawnCommand("python3", ["-c", parent], {})
      yield* Effect.repeat(Effect.sync(stdout), { until: (text) => text !== "", schedule: Schedule.spaced("20 millis") })
      const zombie = Number(stdout())
      for (const content of ["", ready(other.pid), ready(zombie)]) {
        writeFileSync(file, content)
        const listed = yield* runToEnd(process.execPath, [program, "keys", "list"], { SEXTANT_DATA_DIR: directory })
        assert.strictEqual(listed.code, 0, listed.stderr)
      }
      assert.isTrue(isRunning(other.pid))
      assert.isFalse(isRunning(zombie))
      assert.isFalse(worksIn(other.pid, cluster))
    }), 120_000)

  it.live("ends with a service that is stopped while it starts", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const child = spawn(process.execPath, [program, "serve"], {
        env: { PATH: process.env["PATH"], PORT: "0", SEXTANT_CATALOG_REFRESH: "off", SEXTANT_DATA_DIR: directory },
        stdio: ["ignore", "ignore", "pipe"]
      })
      const code = yield* Effect.callback<number | null>((resume) => {
        child.stderr.setEncoding("utf8").on("data", (line: string) => {
          if (line.includes("Making a database")) child.kill("SIGTERM")
        })
        child.once("close", (code) => resume(Effect.succeed(code)))
        return Effect.sync(() => child.kill("SIGKILL"))
      })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(serversOf(clusterIn(directory)), [])
      // A start that was cut short leaves no damage.
      const service = yield* startService({ SEXTANT_DATA_DIR: directory })
      assert.strictEqual(yield* stopService(service), 0)
    }), 120_000)

  it.live("is shared by services started at once in an empty directory, and stops at a hang-up", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const starting = startService({ SEXTANT_DATA_DIR: directory })
      const [first, last] = yield* Effect.all([starting, starting], { concurrency: 2 })
      for (const service of [first, last]) yield* advised(service)
      const pid = postmaster(directory)
      assert.strictEqual(yield* stopService(first), 0)
      assert.isTrue(isRunning(pid))
      yield* last.kill("SIGHUP")
      assert.strictEqual(yield* last.exitCode, 0)
      assert.isFalse(isRunning(pid))
      assert.deepStrictEqual(serversOf(clusterIn(directory)), [])
    }), 120_000)
})
