import { assert, describe, it } from "@effect/vitest"
import { difficulties } from "../../../src/domain/Task.ts"
import { difficultyOf, difficultyWeights, levelOf, line } from "../../../src/engine/classifier/DifficultyModel.ts"
import { shapeNames, shapeOf } from "../../../src/engine/classifier/Shape.ts"

describe("the committed weights of difficulty", () => {
  it("have one number per count of the shape, and ascending levels around medium", () => {
    const { intercept, levelsFrom, shape, words } = difficultyWeights
    assert.lengthOf(shape, shapeNames.length)
    assert.lengthOf(levelsFrom, difficulties.length - 1)
    assert.isTrue([intercept, words, ...shape, ...levelsFrom].every(Number.isFinite))
    assert.deepStrictEqual(levelsFrom, levelsFrom.toSorted((a, b) => a - b))
    assert.strictEqual(levelOf(difficultyWeights, (levelsFrom[1]! + levelsFrom[2]!) / 2), "medium")
  })

  it("call a task harder whose words do", () => {
    const shape = shapeOf("Sort a list")
    assert.isAbove(line(difficultyWeights, 4, shape), line(difficultyWeights, 0, shape))
  })
})

describe("a difficulty", () => {
  const weights = { intercept: -1, words: 0.5, shape: [1, 0, 0, 0, 0, 0, 0, 0, 0], levelsFrom: [-1.5, -0.5, 0.5, 1.5] }

  it("is the sum of what the words and each count say", () => {
    assert.strictEqual(line(weights, 3, [2, 9, 9, 9, 9, 9, 9, 9, 9]), -1 + 1.5 + 2)
  })

  it("has the level whose range it lies in", () => {
    assert.deepStrictEqual([-2, -1.5, -0.5, 0, 0.5, 1.49, 9].map((logit) => levelOf(weights, logit)),
      ["trivial", "easy", "medium", "medium", "hard", "hard", "expert"])
  })

  it("stays in [-2, 2] for any text", () => {
    for (const text of ["", "x", "\\a=".repeat(100_000), "(".repeat(100_000)]) {
      for (const words of [0, 4]) assert.isAtMost(Math.abs(difficultyOf(text, words).logit), 2)
    }
  })
})
