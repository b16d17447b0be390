import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { makePrivateFolder } from "../../src/sql/PrivateFolder.ts"
import { dataDirectory, temporaryDirectory } from "../support/Databases.ts"
import { sendRequest, sextant, startService } from "../support/Service.ts"

describe("a bootstrap key", () => {
  it.live("with the id of a stored key and another secret ends the start with a line that names it", () =>
    Effect.gen(function*() {
      const environment = { PORT: "0", SEXTANT_DATA_DIR: yield* dataDirectory }
      const made = yield* sextant(["keys", "create", "--instance", "acme"], environment)
      const [, , keyId = ""] = made.stdout.split("_")
      const other = `sxt_acme_${keyId}_canary0123456789abcdef0123456789`
      const { code, stderr } = yield* sextant(["serve"], { ...environment, SEXTANT_BOOTSTRAP_KEYS: other })
      assert.strictEqual(code, 1)
      assert.include(stderr, "SEXTANT_BOOTSTRAP_KEYS: number 1 of 1 has the key id of a stored key, but another secret")
      assert.notInclude(stderr, "canary")
    }), 120_000)
})

describe("a service whose port is taken", () => {
  it.live("prints one line and creates no database, and so do a memory and two processes", () =>
    Effect.gen(function*() {
      const [data, folder] = yield* Effect.all([dataDirectory, temporaryDirectory])
      const first = yield* startService({ SEXTANT_DATA_DIR: data })
      const { port } = new URL(first.baseUrl)
      for (const [command, processes] of [["serve", "1"], ["serve", "2"], ["memory", "1"]] as const) {
        const directory = join(folder, command + processes)
        const { code, stderr, stdout } = yield* sextant([command], {
          PORT: port, SEXTANT_PROCESSES: processes, SEXTANT_DATA_DIR: directory
        })
        assert.strictEqual(code, 1)
        assert.strictEqual(stdout, "")
        assert.strictEqual(stderr, `PORT ${port} of 127.0.0.1 is in use by another process: set PORT to a free one\n`)
        assert.isFalse(existsSync(directory))
      }
      // On the first one's directory too, without a change in it.
      const before = readdirSync(data)
      const again = yield* sextant(["serve"], { PORT: port, SEXTANT_DATA_DIR: data })
      assert.strictEqual(again.code, 1)
      assert.deepStrictEqual(readdirSync(data), before)
      assert.strictEqual((yield* sendRequest(first, "/v1/models")).status, 200)
    }), 120_000)
})

describe.skipIf(process.platform !== "linux")("a service whose SEXTANT_DATA_DIR cannot be made", () => {
  it.live("ends with one line that names it, at its start and where it would keep prices", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* sextant(["serve"], { PORT: "0", SEXTANT_DATA_DIR: "/proc/nope/data" })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^[^\n]*data directory \/proc\/nope\/data cannot be used[^\n]*\n$/)
      assert.throws(() => makePrivateFolder("/proc/nope/data"), "ENOENT")
    }), 60_000)
})

describe("a service with an invalid DATABASE_URL", () => {
  it.live("does not start, and reports it without its text", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* sextant(["serve"], { PORT: "0", DATABASE_URL: "mysql://root:secret@localhost/x" })
      assert.strictEqual(code, 1)
      assert.match(stderr, /DATABASE_URL must be a URL like postgres:/)
      assert.notInclude(stderr, "secret")
      const unread = "postgres://u:secret@localhost/x?sslmode=verify-full&sslrootcert=/ca.pem&sslkey=/k"
      const refused = yield* sextant(["serve"], { PORT: "0", DATABASE_URL: unread })
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /^DATABASE_URL has sslrootcert, sslkey, which Sextant does not read: .*\n$/)
    }), 120_000)
})
