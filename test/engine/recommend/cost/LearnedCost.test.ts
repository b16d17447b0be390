import { assert, describe, it } from "@effect/vitest"
import { variantIdOf } from "../../../../src/domain/model/ModelVariant.ts"
import type { VariantCard } from "../../../../src/domain/model/Model.ts"
import type { Predicted } from "../../../../src/engine/recommend/candidates/Candidate.ts"
import { costWith } from "../../../../src/engine/recommend/Cost.ts"
import { learnedRatios } from "../../../../src/engine/recommend/cost/LearnedCost.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import type { Neighbour } from "../../../../src/memory/Neighbour.ts"
import { Neighbours, noNeighbours } from "../../../../src/memory/Neighbours.ts"
import { card, classified, neighbours, predicted, task, weighed } from "../../../support/builders.ts"

const query = {
  task: task({ expectedInputTokens: 1_000 }),
  classified: classified({ taskType: "code", difficulty: "medium", cluster: "code:medium" }),
  caching: { requirePromptCaching: false, incumbentModelId: null },
  measurements: noNeighbours
}
const model = (modelId: string, found: ReadonlyArray<Neighbour> = [], over: Partial<VariantCard> = {}): Predicted =>
  predicted(modelId, { card: card(modelId, over), neighbours: weighed(found, () => 0) })
const wrote = (modelId: string, ...tokens: ReadonlyArray<number>) =>
  neighbours(tokens.length, modelId, (i) => ({ cluster: "code:medium", outputTokens: tokens[i]!, costUsd: null }))
const ratios = (...candidates: ReadonlyArray<Predicted>) => learnedRatios(defaults, candidates, query)

/** A model of code is expected to write 900 tokens. */
const thrice = (modelId: string, times: number) => wrote(modelId, 900 * times, 900 * times, 900 * times)

describe("an estimate", () => {
  it("learns how much more a model writes than expected; costs rise with its output alone", () => {
    const [a, b] = costWith(defaults, [model("a", thrice("a", 4)), model("b")], query)
    assert.deepStrictEqual([a?.costBasis, b?.costBasis], ["estimate", "estimate"])
    const { input = NaN, learned_ratio: ratio = NaN, output = NaN } = a!.cost.breakdown
    assert.closeTo(input, 0.001, 1e-12)
    assert.closeTo(output, ratio * 900 * 2e-6, 1e-7)
    assert.closeTo(a!.cost.costUsd, input + output, 1e-12)
    assert.isAbove(ratio, b!.cost.breakdown["learned_ratio"]!)
    assert.isAbove(b!.cost.breakdown["learned_ratio"]!, 1)
  })
  it("stays at list prices where nothing was measured, or the request gives the output", () => {
    assert.isNull(ratios(model("a"), model("b")))
    const given = { ...query, task: task({ expectedInputTokens: 1_000, expectedOutputTokens: 50 }) }
    const [a] = costWith(defaults, [model("a", thrice("a", 4)), model("b")], given)
    assert.deepStrictEqual(Object.keys(a!.cost.breakdown), ["input", "output"])
    assert.closeTo(a!.cost.breakdown["output"]!, 50 * 2e-6, 1e-12)
  })
  it("of a call whose output is stated moves as bills do beside the list cost of their tokens", () => {
    // 10,000 in and 1,000 out are 0.012 at list prices.
    const billed = (times: number) => neighbours(40, "a", () => ({
      cluster: "code:medium", inputTokens: 10_000, outputTokens: 1_000, costUsd: 0.012 * times
    }))
    const given = { ...query, task: task({ expectedInputTokens: 1_000, expectedOutputTokens: 50 }) }
    const usd = (times: number) => costWith(defaults, [model("a", billed(times)), model("b")], given)[0]!.cost
    assert.closeTo(usd(1).costUsd, 0.0011, 1e-9)
    assert.closeTo(usd(1.5).costUsd / 0.0011, 1.5, 0.05)
    assert.closeTo(usd(1.5).breakdown["input"]! / usd(1.5).breakdown["output"]!, 10, 1e-4)
  })
  it("compares each outcome with what its own cluster lets expect", () => {
    const terse = wrote("a", 60, 60, 60).map((each) => ({ ...each, cluster: "classification:medium" as const }))
    for (const each of ratios(model("a", terse), model("b"))!) assert.closeTo(each, 1, 1e-9)
  })
  it("counts telemetry, and no outcome of another unit of work", () => {
    const measurements = Neighbours.ofMeasurements(thrice("a", 4))
    const [telemetry] = learnedRatios(defaults, [model("a"), model("b")], { ...query, measurements })!
    assert.closeTo(telemetry!, ratios(model("a", thrice("a", 4)), model("b"))![0]!, 1e-12)
    const runs = thrice("a", 4).map((each) => ({ ...each, cluster: "code:medium:run" as const }))
    assert.isNull(ratios(model("a", runs), model("b")))
  })
  it("expects a level of effort to write beside others as its verbosity says", () => {
    const level = (effort: string, verbosity: number, found: ReadonlyArray<Neighbour> = []) =>
      model(variantIdOf({ modelId: "thinker", effort }), found, { verbosity })
    const [low, high] = costWith(defaults, [level("low", 0.5, thrice("thinker#effort=low", 1)), level("high", 2)], query)
    assert.isAbove(high!.cost.costUsd, low!.cost.costUsd)
  })
  it("takes one count or bill in another unit for no more than thirty times what was expected", () => {
    for (const tokens of [1e9, 900 * 1e3]) {
      assert.deepStrictEqual(ratios(model("a", wrote("a", tokens)), model("b")), ratios(model("a", wrote("a", 905 * 30 - 5)), model("b")))
    }
    const runs = { ...query, task: task({ unit: "run" }), classified: classified({ cluster: "code:medium:run" }) }
    const billed = (modelId: string, costUsd: number) =>
      neighbours(1, modelId, () => ({ cluster: "code:medium:run", outputTokens: null, costUsd }))
    const [own, other] = learnedRatios(defaults, [model("a", billed("a", 1e-9)), model("b")], runs)!
    assert.isAbove(own!, 1 / 30)
    assert.isAbove(other!, 1 / 6)
    assert.isNull(learnedRatios(defaults, [model("free", billed("free", 1), { inputCostPerMtok: 0, outputCostPerMtok: 0 }), model("b")], runs))
  })
  it("takes no harm from an output of no tokens", () => {
    for (const each of ratios(model("a", wrote("a", 0, 0)), model("b"))!) {
      assert.isAbove(each, 0)
      assert.isBelow(each, 1)
    }
  })
})
