import { assert, describe, it } from "@effect/vitest"
import { type StoredLesson, keptOf } from "../../../src/memory/lessons/StoredLesson.ts"
import { strategiesOf } from "../../../src/memory/lessons/Strategies.ts"
import { freshScope, lessonIn } from "../fixtures.ts"

const scope = freshScope()

const kept = (modelId: string, over: Partial<StoredLesson> = {}): StoredLesson => ({
  ...keptOf(lessonIn(scope, { modelId, cluster: "code:easy", scope: "run" })),
  ...over
})

const reflected = (modelId: string): StoredLesson =>
  kept(modelId, { scope: "account", isReflected: true, content: `For code:easy prefer ${modelId}: 20 of 20.` })

const said = (lessons: ReadonlyArray<StoredLesson>) => strategiesOf(lessons, 10).map(({ description }) => description)

describe("strategies", () => {
  it("recommend a model that single lessons support, before reflection has compared models", () => {
    assert.deepStrictEqual(said([kept("alpha"), kept("alpha")]), ["For code:easy prefer alpha: 2 success lessons."])
  })

  it("recommend only the model with most lessons of a cluster, before reflection compares", () => {
    assert.deepStrictEqual(said([kept("alpha"), kept("beta"), kept("beta"), kept("gamma", { cluster: "qa:easy" })]), [
      "For code:easy prefer beta: 2 success lessons.",
      "For code:easy alpha has worked too: 1 success lesson.",
      "For qa:easy prefer gamma: 1 success lesson."
    ])
  })

  it("recommend the account's model where the latest outcomes prefer another one", () => {
    const session = { ...reflected("beta"), scope: "session" as const }
    assert.deepStrictEqual(said([session, kept("beta"), reflected("alpha")]), [
      "For code:easy beta has worked too: 20 of 20.",
      "For code:easy prefer alpha: 20 of 20."
    ])
  })

  it("recommend only one model of a cluster once reflection has compared them", () => {
    assert.deepStrictEqual(said([kept("alpha"), reflected("alpha"), kept("beta")]), [
      "For code:easy prefer alpha: 20 of 20.",
      "For code:easy beta has worked too: 1 success lesson."
    ])
  })

  it("leave out what the outcomes have overruled", () => {
    assert.deepStrictEqual(said([kept("alpha", { isSuperseded: true })]), [])
  })

  it("come with the best supported first", () => {
    assert.deepStrictEqual(strategiesOf([kept("beta"), kept("alpha"), kept("alpha")], 1).map((strategy) =>
      [strategy.strategyId, strategy.supportingLessonCount]), [["success:code:easy:alpha", 2]])
  })
})
