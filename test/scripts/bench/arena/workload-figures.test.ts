import { assert, describe, it } from "@effect/vitest"
import {
  type Answered, groupFrontier, isRight, outcomesUntilLeft, rulePick, workloadFigures
} from "../../../../scripts/bench/arena/workload-figures.ts"

const costsUsd = [1, 2, 10]
const choice = (truth: ReadonlyArray<number>, threshold: number) => ({ truth, costsUsd, threshold })

describe("the rule with true probabilities", () => {
  it("takes the cheapest over the threshold, else the best", () => {
    assert.strictEqual(rulePick(choice([0.5, 0.8, 0.9], 0.7)), 1)
    assert.strictEqual(rulePick(choice([0.5, 0.6, 0.65], 0.7)), 2)
  })

  it("a pick is right when no dearer than the rule's and as good as asked, within three points", () => {
    assert.isTrue(isRight(choice([0.5, 0.8, 0.9], 0.7), 1))
    assert.isFalse(isRight(choice([0.5, 0.8, 0.9], 0.7), 2))
    assert.isFalse(isRight(choice([0.5, 0.8, 0.9], 0.7), 0))
    // Two points under the threshold, and cheaper.
    assert.isTrue(isRight(choice([0.68, 0.8, 0.9], 0.7), 0))
  })

  it("where nothing clears the threshold, nearly the best is right", () => {
    assert.isTrue(isRight(choice([0.5, 0.63, 0.65], 0.7), 1))
    assert.isFalse(isRight(choice([0.5, 0.61, 0.65], 0.7), 1))
  })
})

it("the frontier over groups buys the steepest step first", () => {
  const frontier = groupFrontier([
    // Half of the prompts: one point of quality for every dollar.
    { share: 0.5, points: [[0, 0], [1, 1]] },
    // The other half: a tenth of that.
    { share: 0.5, points: [[0, 0.5], [1, 0.6]] }
  ])
  assert.deepStrictEqual(frontier.map(([cost]) => cost), [0, 0.5, 1])
  assert.deepStrictEqual(frontier.map(([, quality]) => Number(quality.toFixed(9))), [0.25, 0.75, 0.8])
})

describe("outcomes until a broken model is left", () => {
  const stays = (count: number) => new Array<boolean>(count).fill(true)
  const away = (count: number) => new Array<boolean>(count).fill(false)

  it("are those before the first ten prompts in a row without it", () => {
    assert.strictEqual(outcomesUntilLeft([...stays(4), ...away(10)]), 4)
    assert.strictEqual(outcomesUntilLeft([...stays(2), ...away(9), true, ...away(10), true]), 12)
  })

  it("are not known when it never is", () => {
    assert.isNull(outcomesUntilLeft([...stays(3), ...away(9)]))
    assert.isNull(outcomesUntilLeft([]))
  })
})

describe("the figures of a workload", () => {
  /** Two kinds that alternate; models 0 and 1 are good at one each, model 2 is fair at both. */
  const tables = [[0.9, 0.1, 0.8], [0.1, 0.9, 0.8]]
  const answered = (pickOf: (table: number) => number): ReadonlyArray<Answered> =>
    Array.from({ length: 1_000 }, (_, i) => ({
      choice: choice(tables[i % 2]!, 0.75), table: i % 2, pick: pickOf(i % 2), predicted: 0.9, outcome: 1
    }))

  it("the best per kind is always right, on the frontier of the kinds and far over any mixture", () => {
    const figures = workloadFigures(answered((table) => table))
    assert.deepStrictEqual(figures.right, [1, 1, 1, 1])
    assert.closeTo(figures.under, 0, 1e-9)
    // The mixture at 1.5 USD is half of model 0 (0.5) and half of model 1 (0.5), or a little of model 2.
    assert.closeTo(figures.overMix, 100 * (0.9 - (0.5 + 0.3 * 0.5 / 9)), 1e-9)
    assert.closeTo(figures.costRatio, 1, 1e-12)
    assert.closeTo(figures.ece, 0.1, 1e-12)
  })

  it("one dear model for both is a fixed model: on the mixture, under the frontier", () => {
    const figures = workloadFigures(answered(() => 2))
    assert.deepStrictEqual(figures.right, [0, 0, 0, 0])
    assert.closeTo(figures.overMix, 0, 1e-9)
    assert.closeTo(figures.under, -10, 1e-9)
    assert.closeTo(figures.costRatio, 10 / 1.5, 1e-12)
  })
})
