import { assert, it } from "@effect/vitest"
import { laneOf } from "../../../../src/domain/Scope.ts"
import { decisionOf, type DecisionFacts, premiumUsd } from "../../../../src/engine/recommend/answer/DecisionRecord.ts"
import type { CostedCandidate } from "../../../../src/engine/recommend/candidates/Candidate.ts"
import { optimizeWith } from "../../../../src/engine/recommend/choice/Choose.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { noNeighbours } from "../../../../src/memory/Neighbours.ts"
import {
  accountOf, card, classified, forecast, idOf, neighbours, priced, request, snapshot, task, weighed
} from "../../../support/builders.ts"

type Candidates = readonly [CostedCandidate, ...Array<CostedCandidate>]
const three: Candidates = [priced("cheap", 0.8, 1), priced("dear", 0.95, 10), priced("poor", 0.4, 0.1)]

const decide = (
  over: Partial<DecisionFacts> = {},
  candidates: Candidates = three,
  maxCostPerCall: number | null = null
) => {
  const optimized = optimizeWith(defaults, candidates, {
    threshold: 0.7, slider: 5, limits: { maxCostPerCall, maxLatencyMs: null }, optimizeFor: "cost",
    selectionPolicy: "argmin", guarantee: null, incumbent: null, plan: null, health: null, valueUsd: null
  }, 0)
  const facts: DecisionFacts = {
    recommendationId: idOf("id"), workflowId: null, createdAt: new Date(7), accountId: accountOf(), request: request(),
    classified: classified(), snapshot: snapshot(["cheap", "dear", "poor", "unscored"].map((id) => card(id))),
    threshold: 0.7, priced: candidates, optimized, selectionPolicy: "argmin", escalationReasons: [], warnings: [],
    billsPerEstimate: null, prepaid: new Set(),
    latencyMs: 3, reasonerCostUsd: null,
    ...over
  }
  return decisionOf(defaults, facts, {
    task: task({ expectedInputTokens: 1_000_000, expectedOutputTokens: 1_000_000 }),
    classified: facts.classified,
    caching: { requirePromptCaching: false, incumbentModelId: null },
    measurements: noNeighbours
  })
}

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

it("a decision reserves the upper quartile of its pick's cost, times bills per estimate, beyond the estimate", () => {
  const [cheap, ...rest] = three
  const banded: Candidates = [{ ...cheap, cost: { ...cheap.cost, lowUsd: 0.5, highUsd: 1.6 } }, ...rest]
  assert.strictEqual(decide().costMarginUsd, null)
  assert.closeTo(decide({ billsPerEstimate: 2 }, banded).costMarginUsd ?? NaN, 1.2, 1e-9)
  assert.closeTo(decide({ billsPerEstimate: 2 }).costMarginUsd ?? NaN, 2 * (defaults.costHighRatio - 1), 1e-9)
  assert.strictEqual(decide({ billsPerEstimate: 2, request: request({ shadow: true }) }).costMarginUsd, null)
})

it("the premium is the dearest scored candidate, also when the cost budget removed it", () => {
  assert.strictEqual(premiumUsd(three), 10)
  const kept = decide({}, three, 5)
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

it("exploration is read off the warnings, and escalation off its reasons", () => {
  const plain = decide()
  assert.deepStrictEqual([plain.isExploration, plain.isEscalated], [false, false])
  const said = decide({ warnings: ["exploration_pick"], escalationReasons: ["tie"] })
  assert.deepStrictEqual([said.isExploration, said.isEscalated], [true, true])
})
