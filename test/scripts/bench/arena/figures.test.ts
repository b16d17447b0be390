import { assert, describe, it } from "@effect/vitest"
import { mean, meanAndError, quantile } from "../../../../scripts/bench/arena/averages.ts"
import { calibrationError, setFigures } from "../../../../scripts/bench/arena/figures.ts"
import { fittedPrices, isOfHalf, type OutcomeRow, type Truth } from "../../../../scripts/bench/arena/outcomes.ts"
import { dealt } from "../../../../scripts/bench/arena/replay.ts"
import { shuffled } from "../../../../scripts/bench/arena/random.ts"
import { generator } from "../../../../src/stats/Generator.ts"

const did = (quality: number, costUsd: number) =>
  ({ quality, input_tokens: 10, output_tokens: 10, cost_usd: costUsd })

/** Four prompts; `cheap` does the even ones, `dear` all but the last. */
const truth: ReadonlyArray<Truth> = [[1, 1], [0, 1], [1, 1], [0, 0]].map(([cheap = 0, dear = 0]) => ({
  cheap: did(cheap, 1), dear: did(dear, 3)
}))

it("the random stream and the shuffle are the reference replay's", () => {
  // First value of its generator at seed 1, as its source gives it.
  assert.closeTo(generator(1)(), 0.62707394, 1e-8)
  assert.sameMembers([...shuffled([1, 2, 3, 4], generator(3))], [1, 2, 3, 4])
})

it("dealt priors are those of the same models, each given once", () => {
  const modelIds = ["a", "b", "c", "d"]
  const dealtIds = modelIds.map(dealt(modelIds, 3))
  assert.sameMembers(dealtIds, modelIds)
  assert.notDeepEqual(dealtIds, modelIds)
})

describe("small statistics", () => {
  it("a quantile is the value at the floored rank, and of nothing null", () => {
    assert.strictEqual(quantile([4, 1, 3, 2], 0.5), 3)
    assert.strictEqual(quantile([4, 1], 1), 4)
    assert.isNull(quantile([], 0.5))
  })

  it("the standard error of 1 and 3 is 1, and of one value 0", () => {
    assert.deepStrictEqual(meanAndError([1, 3]), { mean: 2, error: 1 })
    assert.deepStrictEqual(meanAndError([5]), { mean: 5, error: 0 })
    assert.strictEqual(mean([]), 0)
  })

  it("calibration errors cancel inside a bin and add up over bins", () => {
    assert.closeTo(calibrationError([0.5, 0.5], [0, 1]), 0, 1e-12)
    assert.closeTo(calibrationError([0.9, 0.1], [0, 1]), 0.9, 1e-12)
    assert.closeTo(calibrationError([1], [1]), 0, 1e-12)
  })
})

describe("the figures of a set", () => {
  const picks = { slider: 5, modelIds: ["cheap", "dear", "cheap", "cheap"], predicted: [1, 1, 1, 0] }
  const figures = setFigures(truth, ["cheap", "dear"], [picks], 1)
  const [run] = figures.runs

  it("knows the best and the cheapest single model", () => {
    assert.deepStrictEqual(figures.best, { modelId: "dear", quality: 0.75, costUsd: 3 })
    assert.deepStrictEqual(figures.cheapest, { modelId: "cheap", quality: 0.5, costUsd: 1 })
  })

  it("the gap is over the mixture of the singles at the same cost", () => {
    assert.strictEqual(run?.quality, 0.75)
    assert.strictEqual(run?.costUsd, 1.5)
    // The mixture spends 1.5 on a quarter `dear`: 0.5 + 0.25 / 4.
    assert.closeTo(figures.gap, 0.75 - 0.5625, 1e-12)
    // In the second half both do the first prompt only, so no mixture beats `cheap`, which was picked.
    assert.closeTo(figures.gap2, 0, 1e-12)
    assert.closeTo(figures.costRatio, 0.5, 1e-12)
  })

  it("lock-in is what the highest slider falls short of the best single model in the second half", () => {
    const lower = { ...picks, slider: 2.5, modelIds: ["dear", "dear", "dear", "dear"] }
    const highest = { ...picks, slider: 10, modelIds: ["dear", "dear", "dear", "cheap"] }
    assert.strictEqual(setFigures(truth, ["cheap", "dear"], [highest, lower], 1).highestLessBest2, 0)
    // The first halves differ, which is not looked at; here the second is swapped with it.
    const swapped = truth.toReversed()
    const stuck = { ...picks, slider: 10, modelIds: ["dear", "dear", "cheap", "cheap"] }
    assert.strictEqual(setFigures(swapped, ["cheap", "dear"], [stuck, lower], 1).highestLessBest2, -0.5)
  })

  it("AIQ of one run is its quality; the anchor takes back what was credited below its cost", () => {
    assert.closeTo(figures.aiq, 0.75, 1e-12)
    // From (1, .5) up to (1.5, .75), then flat to 3.
    assert.closeTo(figures.aiqAnchored, (0.25 * 0.625 + 0.75 * 0.75), 1e-3)
    assert.closeTo(figures.aiqSingleMix, 0.625, 1e-3)
  })

  it("says how the picks were spread and how far predictions were off", () => {
    assert.strictEqual(run?.topShare, 0.75)
    assert.strictEqual(run?.ece, 0)
  })

  it("picks that fit their prompts lift quality over the same picks dealt at random", () => {
    // Dealt at random, `dear` helps only where it hits the second prompt: 0.5 + 0.25 / 4.
    assert.closeTo(run?.lift ?? 0, 0.1875, 0.03)
  })
})

it("the two halves of the families share no model and leave none out, and a family is whole", () => {
  for (const [one, other] of [["open-mixtral-8x7b", "mistralai/mixtral-8x7b-chat"], ["gpt-4-0613", "gpt-3.5"]] as const) {
    assert.strictEqual(isOfHalf("even", one), isOfHalf("even", other))
    assert.notStrictEqual(isOfHalf("even", one), isOfHalf("odd", one))
    assert.isTrue(isOfHalf("all", one))
  }
  assert.notStrictEqual(isOfHalf("odd", "claude-2.1"), isOfHalf("odd", "gpt-4-0613"))
})

it("prices that explain every recorded cost are found again", () => {
  const rows = [[100, 10], [50, 200], [7, 3]].map(([input = 0, output = 0]): OutcomeRow => ({
    dataset: "d", task_type: "qa", prompt: "p",
    models: { m: {
      quality: 1, input_tokens: input, output_tokens: output, cost_usd: (2 * input + 8 * output) / 1e6
    } }
  }))
  const [input, output] = fittedPrices(rows, "m")
  assert.closeTo(input, 2, 1e-9)
  assert.closeTo(output, 8, 1e-9)
})
