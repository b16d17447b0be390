import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const needed = (query = "") =>
  Effect.map(sendRequest("GET", `/v1/dashboard${query}`, { key }), ({ body }) =>
    (body as any).verdicts_needed as ReadonlyArray<any>)

/** So many reported calls of a model, every fifth a failure. */
const calls = (model: string, count: number, over: object = {}) =>
  Effect.forEach(Array.from({ length: count }), (_, i) =>
    Effect.gen(function*() {
      const { body } = yield* recommend(over)
      yield* feedback(body["recommendation_id"], { chosen_model_id: model, outcome: i % 5 === 0 ? "failure" : "success" })
    }))

describe("how many verdicts it takes, over HTTP", () => {
  it.live("is said of the usual model and a rival with verdicts, at the rate of the day, and by tag", () =>
    Effect.gen(function*() {
      yield* calls("cheap", 2)
      assert.deepStrictEqual(yield* needed(), [])
      yield* calls("cheap", 3)
      yield* calls("dear", 5, { tags: ["team-a"] })
      const [first, ...others] = yield* needed()
      assert.lengthOf(others, 0)
      assert.sameMembers([first.usual.model_id, first.rival.model_id], ["cheap", "dear"])
      assert.deepStrictEqual([first.usual.n_verdicts, first.rival.n_verdicts], [5, 5])
      // On the day of the first call; over midnight a little less.
      assert.closeTo(first.verdicts_per_day, 10, 0.1)
      assert.strictEqual(first.days, Math.ceil(first.verdicts / first.verdicts_per_day))
      assert.isAbove(first.verdicts, 40)
      assert.isBelow(first.verdicts_paired, first.verdicts)
      yield* calls("cheap", 20)
      yield* calls("dear", 20)
      const [later] = yield* needed()
      assert.deepStrictEqual([later.usual.n_verdicts, later.rival.n_verdicts], [25, 25])
      assert.isAbove(later.verdicts, 0)
      for (const { rival, usual } of yield* needed("?tag=team-a")) assert.isAtMost(rival.n_verdicts + usual.n_verdicts, 5)
      assert.deepStrictEqual(yield* needed("?namespace=elsewhere"), [])
    }).pipe(Effect.provide(engineService({}))), 60_000)
})
