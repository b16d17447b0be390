import { assert, describe, it } from "@effect/vitest"
import {
  difficultyLogitOf, difficultyWeights, line, shapeNames, shapeOf
} from "../../../src/engine/classifier/Difficulty.ts"

const countsOf = (text: string) => {
  const counts = shapeOf(text)
  return Object.fromEntries(shapeNames.map((name, index) => [name, Math.round(Math.expm1(counts[index]!))]))
}

describe("the shape of a text", () => {
  it("counts its characters, words, lines, questions, brackets and signs", () => {
    assert.deepStrictEqual(countsOf("Is (a + b) = c?\nIt's {true} [1], isn't it?"), {
      chars: 42, words: 8, lines: 1, longestLine: 26, questions: 2, brackets: 6, maths: 2, commands: 0, wide: 0
    })
  })

  it("counts a command of TeX as a sign of mathematics as well", () => {
    const { commands, maths } = countsOf("$\\frac{1}{x} \\leq \\sqrt{2}$ in C:\\temp")
    assert.deepStrictEqual([commands, maths], [4, 4])
  })

  it("takes letters of all scripts for words, and signs past ASCII for none", () => {
    assert.deepStrictEqual(countsOf("für jedes ε ≤ 1 — 。？"), {
      chars: 20, words: 3, lines: 0, longestLine: 20, questions: 1, brackets: 0, maths: 1, commands: 0, wide: 6
    })
  })

  it("is that of nothing for an empty text, and finite for any text", () => {
    assert.isTrue(shapeOf("").every((count) => count === 0))
    for (const text of ["\n".repeat(100_000), "\ud800".repeat(5_000), "\\a".repeat(50_000), "\0"]) {
      assert.isTrue(shapeOf(text).every(Number.isFinite))
    }
    assert.deepStrictEqual(countsOf("ab"), { ...countsOf(""), chars: 2, words: 1, longestLine: 2 })
  })
})

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
