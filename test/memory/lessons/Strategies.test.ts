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
