import { assert, describe, it } from "@effect/vitest"
import { variantIdOf } from "../../../src/domain/model/ModelVariant.ts"
import type { CostedCandidate } from "../../../src/engine/recommend/candidates/Candidate.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { generator } from "../../../src/stats/Generator.ts"
import { costTieUsd } from "../../../src/stats/PolicyRules.ts"
import { priced } from "../../support/builders.ts"
import { asked, type AskedChoice, attemptsBy, type Candidates, choiceOf, switchReasonOf } from "../../support/choices.ts"

/** A candidate whose 95 % interval is this wide to either side. */
const known = (modelId: string, success: number, costUsd: number, half: number) =>
  priced(modelId, success, costUsd, { successLow: success - half, successHigh: success + half })
/** Pick and reason, where a warm cache takes so much off a candidate's cost. */
const decide = (candidates: Candidates, over: Partial<AskedChoice> = {}, warmUsd = 0, uniform = 0) => {
  // Of a million tokens the cache holds that share.
  const inputCostPerMtok = warmUsd / defaults.cachedInputShare
  const cached = candidates.map((each): CostedCandidate =>
    ({ ...each, card: { ...each.card, supportsPromptCaching: true, cacheReadCostPerMtok: 0, inputCostPerMtok } }))
  const ask = asked({ incumbent: { cacheId: "own", qualityMin: 0 }, ...over })
  const choice = choiceOf(defaults, cached as unknown as Candidates, ask, uniform)
  return [choice.pick.card.modelId, switchReasonOf(choice)]
}

describe("beside an incumbent, the pick", () => {
  it.each<[string, Candidates, Partial<AskedChoice>, number, ReadonlyArray<string | null>]>([
    ["says nothing without one", [known("own", 0.8, 3, 0.1), known("b", 0.8, 1, 0.1)], { incumbent: null }, 0,
      ["b", null]],
    ["says nothing where it is the incumbent anyway", [known("own", 0.8, 1, 0.1), known("b", 0.8, 3, 0.1)], {}, 0,
      ["own", null]],
    ["leaves it for a model that costs less", [known("own", 0.8, 3, 0.1), known("b", 0.8, 1, 0.1)], {}, 0,
      ["b", "cost"]],
    ["keeps it where the saving is small", [known("own", 0.8, 1.05, 0.1), known("b", 0.8, 1, 0.1)], {}, 0,
      ["own", "within_noise"]],
    ["leaves it where it is known to fall short", [known("own", 0.6, 1, 0.02), known("b", 0.8, 3, 0.02)], {}, 0,
      ["b", "threshold"]],
    ["keeps it where it may be as likely", [known("own", 0.68, 1, 0.2), known("b", 0.71, 3, 0.2)], {}, 0,
      ["own", "within_noise"]],
    ["keeps none below the least quality that is asked for", [known("own", 0.68, 1, 0.2), known("b", 0.71, 3, 0.2)],
      { incumbent: { cacheId: "own", qualityMin: 0.7 } }, 0, ["b", "threshold"]],
    ["leaves it for the likelier where neither reaches the threshold",
      [known("own", 0.3, 1, 0.05), known("b", 0.6, 3, 0.05)], {}, 0, ["b", "threshold"]],
    ["leaves one that is no candidate", [known("a", 0.8, 3, 0.1), known("b", 0.8, 1, 0.1)], {}, 0,
      ["b", "capability"]],
    ["leaves one over the limit of cost", [known("own", 0.9, 3, 0.1), known("b", 0.8, 1, 0.1)],
      { limits: { maxCostPerCall: 2, maxLatencyMs: null } }, 0, ["b", "cost"]],
    ["leaves one that cannot be called", [known("own", 0.8, 1, 0.1), known("b", 0.8, 3, 0.1)],
      { health: { unhealthy: new Map([["own", {} as never]]), tried: null } }, 0, ["b", "health"]],
    ["leaves one that has run at the task", [known("own", 0.6, 1, 0.1), known("b", 0.8, 3, 0.1)],
      { plan: attemptsBy({ made: 1, attemptsMax: 1, ran: new Set(["own"]) }) }, 0, ["b", "failed_attempt"]],
    ["is the incumbent for its warm cache", [known("own", 0.8, 1, 0.1), known("b", 0.8, 2, 0.1)], {}, 1.5,
      ["own", "warm_cache"]],
    ["takes each of its levels of effort for the incumbent",
      [known(variantIdOf({ modelId: "own", effort: "low" }), 0.8, 1.05, 0.1), known("b", 0.8, 1, 0.1)], {}, 0,
      [variantIdOf({ modelId: "own", effort: "low" }), "within_noise"]]
  ])("%s", (_, candidates, over, warmUsd, expected) => {
    assert.deepStrictEqual(decide(candidates, over, warmUsd), expected)
  })

  it("says nothing of a pick that was drawn", () => {
    const candidates: Candidates = [known("own", 0.8, 1, 0.1), known("b", 0.8, 3, 0.1)]
    const drawn = decide(candidates, { selectionPolicy: "epsilon_softmax" }, 0, 0.999)
    assert.deepStrictEqual(drawn, ["b", null])
  })

  it("is the incumbent or the pick without it, and never one that costs a tenth more for nothing", () => {
    const random = generator(11)
    for (let round = 0; round < 500; round++) {
      const any = (modelId: string) =>
        known(modelId, 0.05 + 0.9 * random(), 0.001 + 2 * random(), 0.001 + 0.3 * random())
      const own = any("own")
      const candidates: Candidates = [own, any("a"), any("b"), any("c")]
      const [usual] = decide(candidates, { incumbent: null })
      const [kept] = decide(candidates)
      assert.include(["own", usual], kept)
      if (kept === usual) continue
      const rival = candidates.find(({ card }) => card.modelId === usual) as CostedCandidate
      assert.isAtMost(own.cost.costUsd * 0.9, rival.cost.costUsd + costTieUsd)
    }
  })
})
