import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { dataDirectory } from "../support/Databases.ts"
import { type Answer, sendRequest, type NoAnswer, startService, stopService } from "../support/Service.ts"

const askers = 32
const answersBeforeStop = 150

describe("a service stopped with SIGTERM", () => {
  it.live("completes every accepted request under load, and exits with 0", () =>
    Effect.gen(function*() {
      const service = yield* startService({ SEXTANT_DATA_DIR: yield* dataDirectory })
      const answers: Array<Answer> = []
      const refusals: Array<NoAnswer> = []
      const loaded = yield* Latch.make()

      const asker = (name: number) =>
        Effect.gen(function*() {
          for (let turn = 0;; turn++) {
            answers.push(yield* sendRequest(service, "/v1/recommend", { task: { task: `Write function ${turn} of ${name}` } }))
            if (answers.length === answersBeforeStop) yield* loaded.open
          }
        }).pipe(Effect.catch((refusal) => Effect.sync(() => refusals.push(refusal))))

      const [code] = yield* Effect.all([
        Effect.andThen(loaded.await, stopService(service)),
        Effect.forEach(Array.from({ length: askers }, (_, n) => n), asker, { concurrency: "unbounded" })
      ], { concurrency: "unbounded" })

      assert.strictEqual(code, 0, service.stderr())
      assert.deepStrictEqual(answers.filter(({ status }) => status !== 200), [])
      assert.isTrue(answers.every(({ text }) => "recommendation_id" in JSON.parse(text)))
      assert.strictEqual(refusals.length, askers)
      assert.deepStrictEqual(refusals.filter(({ truncated }) => truncated), [])
    }), 120_000)
})
