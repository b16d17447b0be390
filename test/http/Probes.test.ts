import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeReadiness } from "../../src/http/Readiness.ts"
import { dataDirectory } from "../support/Databases.ts"
import { sendRequest, startService, startMemory } from "../support/Service.ts"

describe("the probes", () => {
  it.effect("distinguish a start from a shutdown, and do not report an outage", () =>
    Effect.gen(function*() {
      const { mark, markDraining, state } = makeReadiness()
      assert.strictEqual(yield* state, "starting")
      yield* mark("schema")
      assert.strictEqual(yield* state, "starting")
      yield* mark("keys")
      assert.strictEqual(yield* state, "ready")
      yield* markDraining
      yield* mark("keys")
      assert.strictEqual(yield* state, "draining")
    }))

  it.live("need no key, refuse other methods, and do not affect other paths", () =>
    Effect.gen(function*() {
      const service = yield* startService({ SEXTANT_DATA_DIR: yield* dataDirectory, SEXTANT_LOG_FORMAT: "json" })
      const stranger = { ...service, key: "" }
      assert.deepStrictEqual(yield* sendRequest(stranger, "/livez"), { status: 200, text: `{"status":"ok"}` })
      assert.strictEqual((yield* sendRequest(stranger, "/livez", {})).status, 405)
      assert.strictEqual((yield* sendRequest(stranger, "/readyz", {})).status, 405)
      assert.strictEqual((yield* sendRequest(stranger, "/livez/more")).status, 404)
      const ready = yield* Effect.repeat(sendRequest(stranger, "/readyz"), { until: ({ status }) => status === 200 })
      assert.strictEqual(ready.text, `{"status":"ready"}`)
      for (const line of service.stderr().split("\n").filter((each) => each !== "")) JSON.parse(line)
    }), 120_000)

  it.live("are the same for a memory that is served alone", () =>
    Effect.gen(function*() {
      const stranger = { ...yield* startMemory({ SEXTANT_DATA_DIR: yield* dataDirectory }), key: "" }
      assert.deepStrictEqual(yield* sendRequest(stranger, "/livez"), { status: 200, text: `{"status":"ok"}` })
      const ready = yield* Effect.repeat(sendRequest(stranger, "/readyz"), { until: ({ status }) => status === 200 })
      assert.strictEqual(ready.text, `{"status":"ready"}`)
    }), 120_000)
})
