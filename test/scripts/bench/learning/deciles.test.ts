import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { calibrationFloor } from "../../../../scripts/bench/arena/figures.ts"
import type { Truth } from "../../../../scripts/bench/arena/outcomes.ts"
import { dealt } from "../../../../scripts/bench/learning/copies.ts"
import { curveOf, decilesOf, hindsightOf, regretOf } from "../../../../scripts/bench/learning/deciles.ts"

const did = (quality: number, costUsd: number) =>
  ({ quality, input_tokens: 10, output_tokens: 10, cost_usd: costUsd })

/** Twenty prompts: `cheap` does every second one for 1, `dear` all for 3, `vain` none for 2. */
const truth: ReadonlyArray<Truth> = Array.from({ length: 20 }, (_, i) => ({
  cheap: did(i % 2, 1), dear: did(1, 3), vain: did(0, 2)
}))
const modelIds = ["cheap", "dear", "vain"]

describe("tenths of a stream", () => {
  it.prop("follow each other from start to end and differ by one prompt at most", {
    length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3000 }))
  }, ({ length }) => {
    const tenths = decilesOf(length)
    const sizes = tenths.map(([from, to]) => to - from)
    assert.lengthOf(tenths, 10)
    assert.strictEqual(tenths[0]?.[0], 0)
    assert.strictEqual(tenths.at(-1)?.[1], length)
    assert.isTrue(tenths.slice(1).every(([from], i) => from === tenths[i]?.[1]))
    assert.isAtMost(Math.max(...sizes) - Math.min(...sizes), 1)
  })
})

describe("regret", () => {
  const hindsight = hindsightOf(truth, modelIds)

  it("hindsight mixes only models that no mixture beats over the whole stream", () => {
    assert.deepStrictEqual(hindsight, { bestModelId: "dear", frontier: ["cheap", "dear"] })
  })

  it("is what the mixture at the same cost has above: half the dear model at 2 does three of four", () => {
    assert.closeTo(regretOf(truth, hindsight, { quality: 0.5, costUsd: 2 }), 0.25, 1e-12)
  })

  it("is nothing for a fixed model of the frontier, and negative for choosing well per prompt", () => {
    assert.closeTo(regretOf(truth, hindsight, { quality: 0.5, costUsd: 1 }), 0, 1e-12)
    assert.closeTo(regretOf(truth, hindsight, { quality: 1, costUsd: 2 }), -0.25, 1e-12)
  })

  it("spending past the best model is judged by the best model", () => {
    assert.closeTo(regretOf(truth, hindsight, { quality: 0.9, costUsd: 9 }), 0.1, 1e-12)
  })

  it("keeps to the models of the whole stream's frontier where a tenth's luck favours one of them", () => {
    const lucky: ReadonlyArray<Truth> = [{ cheap: did(1, 1), dear: did(0, 3), vain: did(1, 2) }]
    // Half of each; hindsight of this prompt alone would take `cheap`, or `vain`.
    assert.closeTo(regretOf(lucky, hindsight, { quality: 0, costUsd: 2 }), 0.5, 1e-12)
  })

  it("judges the frontier's models on the tenth's own prompts", () => {
    const done = truth.filter((models) => models["cheap"]?.quality === 1)
    assert.closeTo(regretOf(done, hindsight, { quality: 1, costUsd: 3 }), 0, 1e-12)
  })
})

describe("the curve of one slider", () => {
  const picks = {
    slider: 5,
    modelIds: truth.map((_, i) => (i < 10 ? "vain" : i % 2 === 1 ? "cheap" : "dear")),
    predicted: truth.map((_, i) => (i < 10 ? 0.5 : 1))
  }
  const curve = curveOf(truth, modelIds, picks)
  const [first, last] = [curve[0], curve[9]]

  it("a tenth of bad picks shows as such, whatever comes after it", () => {
    assert.deepInclude(first, { quality: 0, costUsd: 2, ece: 0.5, lift: 0 })
    assert.closeTo(first?.costRatio ?? 0, 2 / 3, 1e-12)
    assert.closeTo(first?.regret ?? 0, 0.75, 1e-12)
  })

  it("a tenth of the right model for each prompt has a regret below zero and no calibration error", () => {
    assert.deepInclude(last, { quality: 1, costUsd: 2, ece: 0, eceFloor: 0 })
    assert.closeTo(last?.regret ?? 0, -0.25, 1e-12)
    // Dealt at random, half of the picks are dear and all right, half cheap and right every second time.
    assert.closeTo(last?.lift ?? 0, 0.25, 1e-12)
  })
})

it("a hundred perfect predictions of a half show the mean distance of a hundred coins by chance", () => {
  // sqrt(2 / pi) standard deviations of 5 in 100.
  assert.closeTo(calibrationFloor(new Array<number>(100).fill(0.5)), 0.0399, 1e-4)
  assert.strictEqual(calibrationFloor([0, 1]), 0)
  assert.strictEqual(calibrationFloor([]), 0)
})

describe("outcomes dealt to the wrong prompts", () => {
  const numbered: ReadonlyArray<Truth> = truth.map((_, i) => ({ a: did(i / 20, i), b: did(i / 40, 100 + i) }))
  const told = dealt(numbered, ["a", "b"], 1)

  it("keep every model's own outcomes, as a whole", () => {
    for (const modelId of ["a", "b"]) {
      assert.sameDeepMembers(told.map((models) => models[modelId]), numbered.map((models) => models[modelId]))
    }
  })

  it("are dealt model by model, and alike for the same seed", () => {
    assert.notDeepEqual(told, numbered)
    assert.isTrue(told.some((models) => models["a"]?.cost_usd !== (models["b"]?.cost_usd ?? 0) - 100))
    assert.deepStrictEqual(dealt(numbered, ["a", "b"], 1), told)
    assert.notDeepEqual(dealt(numbered, ["a", "b"], 2), told)
  })
})
