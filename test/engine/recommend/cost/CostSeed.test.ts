import { assert, describe, it } from "@effect/vitest"
import { armIdOf } from "../../../../src/domain/model/Arm.ts"
import type { ModelCard } from "../../../../src/domain/model/Model.ts"
import type { Predicted } from "../../../../src/engine/recommend/candidates/Candidate.ts"
import type { Goal } from "../../../../src/engine/recommend/choice/Choose.ts"
import { costWith } from "../../../../src/engine/recommend/Cost.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { noNeighbours } from "../../../../src/memory/Neighbours.ts"
import * as Beta from "../../../../src/stats/Beta.ts"
import { card, classified, neighbours, predicted, task, weighed } from "../../../support/builders.ts"

const query = {
  task: task({ expectedInputTokens: 1_000, expectedOutputTokens: 500 }),
  classified: classified(),
  caching: { requirePromptCaching: false, incumbentModelId: null },
  measurements: noNeighbours
}
const goal: Goal = {
  threshold: 0.735, slider: 5, limits: { maxCostPerCall: null, maxLatencyMs: null }, optimizeFor: "cost",
  selectionPolicy: "argmin", guarantee: null, incumbent: null, plan: null, health: null, valueUsd: null
}

interface Kind {
  readonly success: number
  readonly usdPerMtok: number
  /** What each of its outcomes wrote, tokens; none for a model without outcomes. */
  readonly wrote?: ReadonlyArray<number>
  readonly outcomes?: number
  readonly over?: Partial<ModelCard>
}

const model = (modelId: string, { outcomes = 0, over = {}, success, usdPerMtok, wrote = [] }: Kind): Predicted => {
  const sampleSize = 12 + outcomes
  const { high, low } = Beta.interval95(Beta.ofMean(success, sampleSize))
  return predicted(modelId, {
    card: card(modelId, {
      inputCostPerMtok: usdPerMtok, outputCostPerMtok: usdPerMtok, verbosityMeasured: true, ...over
    }),
    predictedSuccess: success, sampleSize, successLow: low, successHigh: high, laneWeight: outcomes,
    neighbours: weighed(
      neighbours(wrote.length, modelId, (i) => ({ outputTokens: wrote[i] ?? 0, costUsd: null }))
    )
  })
}
const thrice = (tokens: number) => [tokens, tokens, tokens]
const priced = (...candidates: ReadonlyArray<Predicted>) => costWith(defaults, candidates, query, goal)
const basesOf = (...candidates: ReadonlyArray<Predicted>) =>
  [...new Set(priced(...candidates).map(({ costBasis }) => costBasis))]

const known = model("known", { success: 0.9, usdPerMtok: 1, wrote: thrice(400), outcomes: 200 })
const unseen = (over: Partial<ModelCard> = {}) => model("unseen", { success: 0.9, usdPerMtok: 5, over })

describe("a candidate without outcomes", () => {
  it("writes as much more than those that were observed as benchmarks say", () => {
    const [first, second] = priced(known, unseen({ verbosity: 2 }))
    assert.deepStrictEqual([first?.costBasis, second?.costBasis], ["rescaled", "rescaled"])
    assert.deepStrictEqual(Object.keys(first?.cost.breakdown ?? {}), ["rescaled", "obs_output_tokens"])
    const { breakdown, costUsd, highUsd, bandBasis } = second?.cost ?? assert.fail("two in, two out")
    // 400 tokens of a model of verbosity 1 are 400 x 2^0.7 of one of verbosity 2.
    assert.closeTo(breakdown["obs_output_tokens"] ?? 0, 400 * 2 ** 0.7, 0.01)
    assert.closeTo(costUsd, (1_000 + 400 * 2 ** 0.7) * 5e-6, 1e-8)
    assert.deepStrictEqual([breakdown["seed"], breakdown["rescaled"]], [1, costUsd])
    assert.deepStrictEqual([highUsd, bandBasis], [null, ""])
  })
  it("compares with those that a benchmark measured, and with others only where there is none", () => {
    const imputed = model("imputed", {
      success: 0.9, usdPerMtok: 1, wrote: thrice(6_400), over: { verbosityMeasured: false, verbosity: 4 }
    })
    const seedBeside = (...observed: ReadonlyArray<Predicted>) =>
      priced(...observed, unseen()).at(-1)?.cost.breakdown["obs_output_tokens"] ?? 0
    assert.closeTo(seedBeside(known, imputed), 400, 0.01)
    assert.closeTo(seedBeside(imputed), 6_400 / 4 ** 0.7, 0.01)
  })
  it("writes as the other levels of its model do, where it is a level itself, measured or not", () => {
    const level = (effort: string, verbosity: number, wrote: ReadonlyArray<number> = []) =>
      model(armIdOf({ modelId: "thinker", effort }), {
        success: 0.9, usdPerMtok: 5, wrote, over: { verbosity, verbosityMeasured: false }
      })
    const [, , high] = priced(known, level("low", 0.5, thrice(100)), level("high", 2))
    assert.closeTo(high?.cost.breakdown["obs_output_tokens"] ?? 0, 100 * 4 ** 0.7, 0.01)
    // Of a level without any other level's outcomes only a measured verbosity is a seed.
    assert.deepStrictEqual(basesOf(known, level("high", 2)), ["estimate"])
  })
  it("has no seed where nobody measured its verbosity, and nothing was observed to compare with", () => {
    assert.deepStrictEqual(basesOf(known, unseen({ verbosityMeasured: false })), ["estimate"])
    assert.deepStrictEqual(basesOf(unseen(), model("other", { success: 0.8, usdPerMtok: 1 })), ["estimate"])
    const mute = model("mute", { success: 0.9, usdPerMtok: 1, wrote: thrice(0) })
    assert.deepStrictEqual(basesOf(mute, unseen()), ["estimate"])
  })
  it("needs three outcomes of its own to need no seed", () => {
    const twice = model("twice", { success: 0.9, usdPerMtok: 5, wrote: [900, 900] })
    assert.strictEqual(priced(known, twice)[1]?.cost.breakdown["seed"], 1)
    const three = model("three", { success: 0.9, usdPerMtok: 5, wrote: thrice(900) })
    assert.isUndefined(priced(known, three)[1]?.cost.breakdown["seed"])
  })
})

describe("seeds count as observations", () => {
  const others = [1, 2, 3].map((i) => model(`dear-${i}`, { success: 0.95, usdPerMtok: 5 + i }))

  it("where the pick and its live rivals were observed, however many others were not", () => {
    assert.deepStrictEqual(basesOf(known, ...others), ["rescaled"])
  })
  it("not where a live rival of the pick was not observed, and fewer than half were", () => {
    const doubtful = model("pick", { success: 0.74, usdPerMtok: 1, wrote: thrice(400), outcomes: 3 })
    assert.deepStrictEqual(basesOf(doubtful, ...others), ["estimate"])
  })
  it("not where the costs that they give would make a seeded model the pick", () => {
    const cheaper = model("cheaper", { success: 0.9, usdPerMtok: 0.1 })
    assert.deepStrictEqual(basesOf(known, cheaper, ...others), ["estimate"])
  })
  it("where half of the candidates were observed, whatever is picked", () => {
    const second = model("second", { success: 0.9, usdPerMtok: 2, wrote: thrice(300) })
    const cheaper = model("cheaper", { success: 0.9, usdPerMtok: 0.1 })
    assert.deepStrictEqual(basesOf(known, second, cheaper, others[0]!), ["rescaled"])
    assert.deepStrictEqual(basesOf(known, second, cheaper, ...others), ["estimate"])
  })
})
