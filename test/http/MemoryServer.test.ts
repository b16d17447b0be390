import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeReadiness } from "../../src/http/Readiness.ts"
import * as KeysLocal from "../local/KeysLocal.ts"
import { localMemory } from "../engine/pipelines.ts"
import { memoryServer } from "../support/InProcess.ts"
import { sendRequest } from "./FakeService.ts"

const readiness = makeReadiness()
const load = { heapShare: 0, processorShare: 0, loopDelayMs: 0, loopShare: 0 }

const served = memoryServer({ readiness: readiness.state, load: () => load }).pipe(
  Layer.provide([localMemory(), KeysLocal.layer([])])
)

const probes = ["/livez", "/readyz", "/health"]

layer(served, { excludeTestServices: true })("a memory that is served alone", (it) => {
  it.effect("is alive before its storage is ready, and not ready", () =>
    Effect.gen(function*() {
      const early = yield* sendRequest("GET", "/readyz", { key: null })
      assert.strictEqual(early.status, 503)
      assert.strictEqual(early.body["detail"], "The service is starting")
      assert.strictEqual((yield* sendRequest("GET", "/livez", { key: null })).status, 200)
      yield* Effect.andThen(readiness.mark("schema"), readiness.mark("keys"))
      for (const probe of probes) assert.strictEqual((yield* sendRequest("GET", probe, { key: null })).status, 200, probe)
    }))

  it.effect("answers only its probes when it is short of memory", () =>
    Effect.gen(function*() {
      load.heapShare = 0.9
      assert.strictEqual((yield* sendRequest("GET", "/memory/v1/account")).status, 503)
      for (const probe of probes) assert.strictEqual((yield* sendRequest("GET", probe, { key: null })).status, 200, probe)
      load.heapShare = 0
    }))

  it.effect("has its own paths and methods, and not the service's", () =>
    Effect.gen(function*() {
      for (const path of ["/v1/health", "/v1/recommend", "/docs"]) {
        const missing = yield* sendRequest("GET", path)
        assert.strictEqual(missing.status, 404, path)
        assert.strictEqual(missing.body["detail"], "There is no such path")
      }
      const wrong = yield* sendRequest("GET", "/memory/v1/recall")
      assert.strictEqual(wrong.status, 405)
      assert.strictEqual(wrong.headers.get("allow"), "POST, OPTIONS")
      assert.strictEqual((yield* sendRequest("DELETE", "/livez")).headers.get("allow"), "GET, HEAD, OPTIONS")
    }))
})
