import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { isHealthy, runCheck, ok, renderChecks } from "../../../src/cli/doctor/Check.ts"
import { disk, endpoint, bootstrapKeyShapes, liveKeys, prices } from "../../../src/cli/doctor/DependencyChecks.ts"
import { snapshot } from "../../support/builders.ts"
import { dataDirectory, freshDatabase, postgresServer } from "../../support/Databases.ts"
import { startHttpServer } from "../../support/HttpServer.ts"
import { sextant } from "../../support/Service.ts"

/** A server that answers everything with this status. */
const answering = (status: number) =>
  Effect.map(
    startHttpServer((_request, response) => response.writeHead(status).end("{}")),
    ({ close, port }) => ({ url: `http://127.0.0.1:${port}/v1/models`, close })
  )

describe("the doctor", () => {
  it("recognises a key by its form, and never prints one", () => {
    const good = `sxt_acme_k1_${"s".repeat(32)}`
    assert.strictEqual(bootstrapKeyShapes([good]).state, "ok")
    const bad = bootstrapKeyShapes([good, "sxt_acme_short"])
    assert.strictEqual(bad.state, "fail")
    assert.include(bad.detail, "number 2")
    assert.notInclude(JSON.stringify(bad), "short")
    assert.strictEqual(liveKeys(0).state, "warn")
  })

  it("warns of old prices, and checks the nearest existing folder of the data directory", () => {
    assert.strictEqual(prices(snapshot([]), 0).state, "ok")
    assert.strictEqual(prices(snapshot([], { stale: true }), 0).state, "warn")
    assert.strictEqual(disk("/tmp/not/there/yet", false).state, "ok")
  })

  it("prints what to do after each warning and failure", () => {
    const text = renderChecks([ok("clock", "fine"), liveKeys(0)])
    assert.match(text, /^ok {3}clock +fine\nwarn keys .*\n +-> run `sextant keys create/)
    assert.isTrue(isHealthy([liveKeys(0)]))
    assert.isFalse(isHealthy([bootstrapKeyShapes(["bad"])]))
  })

  it.live("distinguishes a refused key from an outage and from another answer", () =>
    Effect.gen(function*() {
      const states: Array<string> = []
      for (const status of [200, 401, 404, 503]) {
        const { url } = yield* answering(status)
        const found = yield* endpoint({ name: "reasoner", method: "GET", url,
          headers: { authorization: Redacted.make("Bearer canary") }, variables: "SEXTANT_REASONER_URL" })
        assert.notInclude(JSON.stringify(found), "canary")
        states.push(found.state)
      }
      assert.deepStrictEqual(states, ["ok", "fail", "warn", "fail"])
      const [hung] = yield* runCheck("database", Effect.fail(new Error("outer", { cause: new Error("inner") })), "look")
      assert.deepInclude(hung, { state: "fail", detail: "inner", fix: "look" })
    }).pipe(Effect.provide(FetchHttpClient.layer)), 60_000)

  it.live("exits with 1 when a check fails, and names it", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* sextant(["doctor"], {
        DATABASE_URL: "postgres://nobody@127.0.0.1:9/nowhere", SEXTANT_BOOTSTRAP_KEYS: "bad"
      })
      assert.strictEqual(code, 1)
      assert.match(stdout, /^fail key shape/m)
      assert.match(stdout, /^fail database +.*\n +-> check DATABASE_URL/m)
    }), 60_000)

  it.live.skipIf(postgresServer === null)("skips the checks of tables on a database that has none", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase(postgresServer ?? "")
      const { code, stdout } = yield* sextant(["doctor"], { DATABASE_URL: Redacted.value(url) })
      assert.strictEqual(code, 1)
      assert.match(stdout, /^fail migrations +missing: .*\n +-> run `sextant migrate`/m)
      assert.match(stdout, /^ok +database/m)
      for (const of of ["roles", "row-level security", "partitions", "keys"]) {
        assert.notMatch(stdout, new RegExp(`^\\w+ +${of} `, "m"))
      }
    }), 60_000)

  it.live("checks whether an external memory answers, and recognises another server", () =>
    Effect.gen(function*() {
      const well = yield* answering(200)
      const { close, url } = yield* answering(404)
      const SEXTANT_DATA_DIR = yield* dataDirectory
      const asked = (memory: string) =>
        Effect.map(sextant(["doctor"], { SEXTANT_DATA_DIR, SEXTANT_MEMORY_URL: memory }), ({ stdout }) => /^\w+ +memory .*/m.exec(stdout)?.[0] ?? "")
      assert.match(yield* asked(new URL(well.url).origin), /^ok .* answers$/)
      assert.match(yield* asked(new URL(url).origin), /^warn .* answers 404 to GET$/)
      close()
      assert.match(yield* asked(new URL(url).origin), /^fail /)
    }), 120_000)
})
