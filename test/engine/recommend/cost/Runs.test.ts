import { assert, describe, it } from "@effect/vitest"
import type { ModelCard } from "../../../../src/domain/model/Model.ts"
import type { Cluster, Unit } from "../../../../src/domain/Task.ts"
import { costWith } from "../../../../src/engine/recommend/Cost.ts"
import { estimate } from "../../../../src/engine/recommend/cost/ListCost.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import type { Neighbour } from "../../../../src/memory/Neighbour.ts"
import { noNeighbours } from "../../../../src/memory/Neighbours.ts"
import { card, classified, neighbours, predicted, task, weighed } from "../../../support/builders.ts"

const cached = { supportsPromptCaching: true, cacheReadCostPerMtok: 0.1 }
const queryOf = (unit: Unit, over: Parameters<typeof task>[0] = {}, difficulty: "medium" | "hard" = "medium") => ({
  task: task({ unit, ...over }),
  classified: classified({ difficulty, cluster: unit === "run" ? `code:${difficulty}:run` : `code:${difficulty}` }),
  caching: { requirePromptCaching: false, incumbentModelId: null },
  measurements: noNeighbours
})
const model = (modelId: string, found: ReadonlyArray<Neighbour> = [], over: Partial<ModelCard> = {}) =>
  predicted(modelId, { card: card(modelId, { ...cached, ...over }), neighbours: weighed(found) })
const costed = (unit: Unit, ...candidates: ReadonlyArray<ReturnType<typeof model>>) =>
  costWith(defaults, candidates, queryOf(unit))
const outcomes = (modelId: string, cluster: Cluster, costUsd: number) =>
  neighbours(3, modelId, () => ({ cluster, costUsd, outputTokens: 700, latencyMs: 1_000 }))

describe("a run", () => {
  it("costs what its calls read anew, read from the cache, and write", () => {
    const usd = (over: Partial<ModelCard>, query = queryOf("run")) => estimate(defaults, card("a", over), query).costUsd
    // One dollar per million tokens in and two out.
    assert.closeTo(usd(cached), 0.04 + 0.16 + 0.02, 1e-9)
    assert.closeTo(usd({ supportsPromptCaching: false, cacheReadCostPerMtok: null }), 1.64 + 0.02, 1e-9)
    assert.closeTo(usd(cached, queryOf("run", {}, "hard")), 1.6 * 0.22, 1e-9)
    const given = queryOf("run", { expectedInputTokens: 820_000, expectedOutputTokens: 0 })
    assert.closeTo(usd(cached, given), 0.02 + 0.08, 1e-9)
  })

  it("is priced by outcomes of runs, and a call by those of calls, however near the others are", () => {
    for (const [unit, own, other] of [["run", "code:medium:run", "code:medium"], ["call", "code:medium", "code:medium:run"]] as const) {
      const [alone] = costed(unit, model("a", outcomes("a", own, 0.3)))
      const [beside] = costed(unit, model("a", [...outcomes("a", other, 9), ...outcomes("a", own, 0.3)]))
      assert.deepStrictEqual([beside?.cost, beside?.costBasis, beside?.latencyMs], [alone?.cost, alone?.costBasis, alone?.latencyMs])
      const [cold] = costed(unit, model("a"))
      const [foreign] = costed(unit, model("a", outcomes("a", other, 9)))
      assert.deepStrictEqual([foreign?.cost, foreign?.costBasis, foreign?.latencyMs], [cold?.cost, "estimate", null])
    }
  })

  it("is billed, where all candidates have bills, though its output was counted too", () => {
    const [a] = costed("run", model("a", outcomes("a", "code:medium:run", 0.3)))
    assert.deepStrictEqual([a?.costBasis, a?.cost.costUsd, a?.cost.breakdown], ["observed", 0.3, { observed_avg: 0.3 }])
  })

  it("of a model without outcomes exceeds its list cost as those of the others do", () => {
    const dear = { inputCostPerMtok: 2, outputCostPerMtok: 4, cacheReadCostPerMtok: 0.2 }
    const [a, b] = costed("run", model("a", outcomes("a", "code:medium:run", 0.88)), model("b", [], dear))
    assert.deepStrictEqual([a?.costBasis, b?.costBasis], ["estimate", "estimate"])
    // Three bills of four times the list weigh one half of a model beside one half of none.
    const level = Math.log(4) / 2
    const own = (3 * Math.log(4) + 2 * level) / 5
    assert.closeTo(a?.cost.costUsd ?? NaN, 0.22 * Math.exp((3 * Math.log(4) + 2 * own) / 5), 1e-6)
    assert.closeTo(b?.cost.costUsd ?? NaN, 0.44 * Math.exp(level), 1e-6)
    const { input = NaN, learned_ratio: ratio, output = NaN } = b?.cost.breakdown ?? {}
    assert.closeTo(ratio ?? NaN, 2, 1e-6)
    assert.closeTo(input + output, b?.cost.costUsd ?? NaN, 1e-9)
  })

  it("whose tokens are stated is estimated at what runs were billed beside these tokens", () => {
    const stated = queryOf("run", { expectedInputTokens: 8_200_000, expectedOutputTokens: 100_000 })
    const list = estimate(defaults, card("a", cached), stated).costUsd
    const bills = neighbours(227, "a", () => ({ cluster: "code:medium:run" as const, costUsd: 1.387 * list, outputTokens: null }))
    const [a, b] = costWith(defaults, [model("a", bills), model("b")], stated)
    assert.deepStrictEqual([a?.costBasis, b?.costBasis], ["estimate", "estimate"])
    assert.closeTo((a?.cost.costUsd ?? NaN) / list, 1.387, 0.01)
    assert.isAbove(b?.cost.costUsd ?? NaN, list)
    const twice = queryOf("run", { expectedInputTokens: 16_400_000, expectedOutputTokens: 200_000 })
    const [more] = costWith(defaults, [model("a", bills), model("b")], twice)
    assert.isAtLeast(more?.cost.costUsd ?? NaN, a?.cost.costUsd ?? NaN)
  })
})
