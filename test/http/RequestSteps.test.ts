import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { continuations } from "../support/Continuations.ts"
import { fakeService, sendRequest } from "./FakeService.ts"

const sent = {
  "/v1/recommend": { task: { task: "Sum a list" } },
  "/v1/recommend/workflow": { steps: [{ step_id: "s", task: { task: "Sum a list" } }] },
  "/v1/feedback": { recommendation_id: "r1", chosen_model_id: "small", outcome: "success" }
}

layer(fakeService({ rateLimitPerMinute: 1_000 }), { excludeTestServices: true })("the HTTP part of a request", (it) => {
  for (const [path, json] of Object.entries(sent)) {
    it.effect(`is worked at in at most 32 continuations: POST ${path}`, () =>
      Effect.gen(function*() {
        const ask = Effect.map(sendRequest("POST", path, { json }), ({ status }) => assert.strictEqual(status, 200))
        yield* ask
        const [own = 0] = yield* continuations(ask)
        assert.isAtLeast(own, 10)
        assert.isAtMost(own, 32)
      }))
  }
})
