import { assert, describe, it } from "@effect/vitest"
import { difficultyLogitOf, difficultyWeights, line } from "../../../src/engine/classifier/DifficultyModel.ts"
import { shapeNames, shapeOf } from "../../../src/engine/classifier/Shape.ts"

describe("the committed weights of difficulty", () => {
  it("have one number per count of the shape", () => {
    const { intercept, shape, words } = difficultyWeights
    assert.lengthOf(shape, shapeNames.length)
    assert.isTrue([intercept, words, ...shape].every(Number.isFinite))
  })

  it("call a task harder whose words do", () => {
    const shape = shapeOf("Sort a list")
    assert.isAbove(line(difficultyWeights, 4, shape), line(difficultyWeights, 0, shape))
  })
})

describe("a difficulty", () => {
  const weights = { intercept: -1, words: 0.5, shape: [1, 0, 0, 0, 0, 0, 0, 0, 0] }

  it("is the sum of what the words and each count say", () => {
    assert.strictEqual(line(weights, 3, [2, 9, 9, 9, 9, 9, 9, 9, 9]), -1 + 1.5 + 2)
  })

  it("stays in [-2, 2] for any text", () => {
    for (const text of ["", "x", "\\a=".repeat(100_000), "(".repeat(100_000)]) {
      for (const words of [0, 4]) assert.isAtMost(Math.abs(difficultyLogitOf(text, words)), 2)
    }
  })
})
