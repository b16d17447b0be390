import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { laneOf } from "../../../src/domain/Scope.ts"
import { decisionOf } from "../../../src/engine/recommend/MakeDecision.ts"
import type { RequestContext } from "../../../src/engine/recommend/RequestContext.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { trackBudget } from "../../../src/stats/BudgetState.ts"
import { accountOf, card, forecast, neighbours, priced, request, snapshot, weighed } from "../../support/builders.ts"
import { asked, type AskedChoice, type Candidates } from "../../support/choices.ts"
import { chosenRequest } from "../../support/chosenRequest.ts"

const three: Candidates = [priced("cheap", 0.8, 1), priced("dear", 0.95, 10), priced("poor", 0.4, 0.1)]

const chosen = (over: Partial<RequestContext> = {}, candidates = three, ask: Partial<AskedChoice> = {}, draw = 0) =>
  chosenRequest(candidates, {
    snapshot: snapshot(["cheap", "dear", "poor", "unscored"].map((id) => card(id))), ...over
  }, asked(ask), draw)
const decide = (...args: Parameters<typeof chosen>) => decisionOf(chosen(...args))

it("a decision keeps the account, the actor, the pick and every candidate", () => {
  const kept = decide({
    request: request({ namespace: "team", userId: "ann", task: { task: "sum", tags: ["x"] } })
  })
  assert.deepStrictEqual(
    [kept.accountId, kept.lane, kept.userId, kept.taskExcerpt, kept.tags, kept.createdAt.getTime()],
    [accountOf(), laneOf("team"), "ann", "sum", ["x"], 7]
  )
  assert.deepStrictEqual(
    [kept.recommendedModelId, kept.predictedSuccess, kept.costRecommendedUsd, kept.propensity],
    ["cheap", 0.8, 1, 1]
  )
  assert.deepStrictEqual(kept.candidates, [
    { modelId: "cheap", predictedSuccess: 0.8, estCostUsd: 1, isEligible: true },
    { modelId: "dear", predictedSuccess: 0.95, estCostUsd: 10, isEligible: true },
    { modelId: "poor", predictedSuccess: 0.4, estCostUsd: 0.1, isEligible: false }
  ])
  assert.deepStrictEqual(kept.forecasts[0], { modelId: "cheap", ...forecast })
})

it("a decision reserves its pick's upper quartile above the estimate, times bills per estimate", () => {
  const [cheap, ...rest] = three
  const banded: Candidates = [{ ...cheap, cost: { ...cheap.cost, lowUsd: 0.5, highUsd: 1.6 } }, ...rest]
  const usual = { usd: 1, period: "day", isHard: false } as const
  const state = { ...trackBudget(defaults.pacing).state(usual, 0), billsPerEstimate: 2 }
  const budget = { budget: usual, state, hold: () => Effect.die("nothing is held") }
  assert.strictEqual(decide().costMarginUsd, null)
  assert.closeTo(decide({ budget }, banded).costMarginUsd ?? NaN, 1.2, 1e-9)
  assert.closeTo(decide({ budget }).costMarginUsd ?? NaN, 2 * (defaults.costHighRatio - 1), 1e-9)
  assert.strictEqual(decide({ budget, request: request({ shadow: true }) }).costMarginUsd, null)
})

it("the premium is the dearest scored candidate, also when the cost budget removed it", () => {
  assert.strictEqual(decide().costPremiumUsd, 10)
  const kept = decide({}, three, { limits: { maxCostPerCall: 5, maxLatencyMs: null } })
  assert.strictEqual(kept.costPremiumUsd, 10)
  assert.isFalse(kept.candidates.find((each) => each.modelId === "dear")?.isEligible)
})

it("the declared cost is the scored one, else list prices, else unknown", () => {
  const declared = (baselineModelId: string | null) =>
    decide({ request: request({ baselineModelId }) }).costDeclaredUsd
  assert.strictEqual(declared("dear"), 10)
  assert.closeTo(declared("unscored") ?? 0, 3, 1e-12)
  assert.strictEqual(declared("nobody"), null)
  assert.strictEqual(declared(null), null)
})

it("a baseline given by alias is the model it names", () => {
  const models = snapshot([card("dear", { aliases: ["dear-latest"] })])
  const kept = decide({ snapshot: models, request: request({ baselineModelId: "dear-latest" }) })
  assert.strictEqual(kept.costDeclaredUsd, 10)
})

it("the excerpt of a long task is its head and tail", () => {
  const text = `${"a".repeat(3_000)}${"b".repeat(5_000)}${"c".repeat(1_000)}`
  const { taskExcerpt } = decide({ request: request({ task: { task: text } }) })
  assert.strictEqual(taskExcerpt, `${"a".repeat(3_000)}\n${"c".repeat(1_000)}`)
})

it("neighbours are kept for credit: those with weight, heaviest first, at most eight per model", () => {
  const found = (modelId: string, count: number) =>
    weighed(neighbours(count, modelId), (i) => count - 1 - i)
  const kept = decide({}, [priced("cheap", 0.8, 1, { neighbours: found("cheap", 12) }),
    priced("dear", 0.9, 2, { neighbours: found("dear", 3) })]).neighbours
  assert.deepStrictEqual(kept.filter((each) => each.modelId === "cheap").map((each) => each.weight),
    [11, 10, 9, 8, 7, 6, 5, 4])
  assert.deepStrictEqual(kept.filter((each) => each.modelId === "dear").map((each) => each.entryId),
    ["dear-0", "dear-1"])
})

it("exploration is a pick other than the undrawn one, and escalation is read off its reasons", () => {
  const plain = decide()
  assert.deepStrictEqual([plain.isExploration, plain.isEscalated], [false, false])
  const drawn = chosen(
    { settings: { ...defaults, explorationShare: 1 } }, three, { selectionPolicy: "epsilon_softmax" }, 0.999_999
  )
  const said = decisionOf({ ...drawn, escalated: { costUsd: null, reasons: ["tie"] } })
  assert.deepStrictEqual([said.isExploration, said.isEscalated], [true, true])
  assert.include(said.warnings, "exploration_pick")
})
