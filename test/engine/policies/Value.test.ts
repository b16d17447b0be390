import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Rounding from "../../../src/domain/Rounding.ts"
import { Probability } from "../../../src/domain/Units.ts"
import { loweredCriteria } from "../../../src/engine/policies/BudgetCriteria.ts"
import { byObjective } from "../../../src/engine/policies/ByObjective.ts"
import { choose } from "../../../src/engine/policies/Choose.ts"
import { criteriaOf } from "../../../src/engine/policies/Criteria.ts"
import { guaranteed } from "../../../src/engine/policies/UnderGuarantee.ts"
import type { CostedCandidate } from "../../../src/engine/recommend/candidates/Candidate.ts"
import { ruleOf } from "../../../src/engine/recommend/choice/DecisionRule.ts"
import { breakEven, valueObjective } from "../../../src/engine/recommend/choice/Objective.ts"
import { optimistic } from "../../../src/engine/recommend/choice/Optimism.ts"
import { rivalsOf } from "../../../src/engine/recommend/choice/Rivals.ts"
import { rationales } from "../../../src/engine/recommend/answer/Rationale.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import * as Beta from "../../../src/stats/Beta.ts"
import { nearestFlip } from "../../../src/stats/NearestFlip.ts"
import { noEvidence } from "../../../src/stats/GuaranteeStates.ts"
import { trackBudget } from "../../../src/stats/BudgetState.ts"
import { priced, request } from "../../support/builders.ts"
import {
  asked, type AskedChoice, atLeastOne, type Candidates, choiceOf, choiceWithin, contextOf, criteriaIn, switchReasonOf
} from "../../support/choices.ts"
import { evidenceAfter, guaranteeBy, trials } from "../../support/guarantees.ts"

const worth = (valueUsd: number, over: Partial<AskedChoice> = {}) => asked({ threshold: 0, valueUsd, ...over })
const decide = (candidates: Candidates, valueUsd: number, over: Partial<AskedChoice> = {}, uniform = 0) =>
  choiceOf(defaults, candidates, worth(valueUsd, over), uniform)
const picked = (candidates: Candidates, valueUsd: number, over: Partial<AskedChoice> = {}) =>
  decide(candidates, valueUsd, over).pick.card.modelId

/** Worth $0.408 and $0.375 at $0.50 a success; equal where it is worth $0.8667. */
const trio: Candidates = [priced("opus", 0.91, 0.08), priced("haiku", 0.82, 0.002), priced("tiny", 0.3, 0.001)]

describe("the pick by value", () => {
  it("is what is worth most: value times success, less cost", () => {
    assert.strictEqual(picked(trio, 0.5), "haiku")
    assert.strictEqual(picked(trio, 0.86), "haiku")
    assert.strictEqual(picked(trio, 0.87), "opus")
    assert.strictEqual(picked(trio, 0.001), "tiny")
    assert.deepStrictEqual(decide(trio, 0.5).warnings, [])
  })
  it("is the cheapest at a value of 0, which is a loss, and the likeliest at the highest value", () => {
    assert.strictEqual(picked(trio, 0), "tiny")
    assert.strictEqual(picked(trio, 1e6), "opus")
    assert.deepStrictEqual(decide(trio, 0).warnings, ["no_model_worth_its_cost"])
    for (const { score } of decide([priced("free", 0.8, 0), priced("also", 0.9, 0)], 0).ranked) assert.isTrue(Number.isFinite(score))
  })
  it("goes by success at equal worth, and by cost at equal success", () => {
    assert.strictEqual(picked([priced("cheap", 0.8, 0.01), priced("likely", 0.9, 0.02)], 0.1), "likely")
    assert.strictEqual(picked([priced("dear", 0.8, 0.02), priced("cheap", 0.8, 0.01)], 0.1), "cheap")
  })
  it("reaches min_quality, and is the likeliest where nothing does", () => {
    assert.strictEqual(picked(trio, 0.5, { threshold: 0.9 }), "opus")
    assert.deepInclude(decide(trio, 0.5, { threshold: 0.95 }), { warnings: ["no_model_meets_threshold"], eligible: [] })
    assert.strictEqual(picked(trio, 0, { threshold: 0.95 }), "opus")
  })
  it("keeps within the limits of cost and latency, which relax as they always do", () => {
    assert.strictEqual(picked(trio, 100, { limits: { maxCostPerCall: 0.01, maxLatencyMs: null } }), "haiku")
    const slow = { latencyMs: { p50: 900, p75: 900 } }
    const timed: Candidates = [priced("slow", 0.91, 0.08, slow), priced("fast", 0.82, 0.002, { latencyMs: { p50: 90, p75: 90 } })]
    assert.strictEqual(picked(timed, 100, { limits: { maxCostPerCall: null, maxLatencyMs: 100 } }), "fast")
    assert.deepStrictEqual(decide(trio, 100, { limits: { maxCostPerCall: 0.0001, maxLatencyMs: null } }).warnings,
      ["no_model_within_cost_budget"])
  })
  it("passes by what cannot be called", () => {
    const against = { provider: "acme-ai", modelId: "haiku", isHealthy: false, hasFailed: true, calls: 10, failures: 10, rateLimits: 0, failedAtMs: 0, probeAtMs: Infinity, triedUntilMs: 0 }
    const health = { unhealthy: new Map([["haiku", against]]), tried: null }
    assert.strictEqual(picked(trio, 0.5, { health }), "opus")
  })
  it("comes of a request's value instead of its slider and latency, above its min_quality alone", () => {
    const asking = request({ successValueUsd: 0.5, costQualityTradeoff: 10, optimizeFor: "latency", constraints: { minQuality: 0.7 } })
    const made = criteriaOf(defaults, asking, "argmin")
    assert.deepInclude(made, { threshold: 0.7, valueUsd: 0.5 })
    const { warnings, pick } = choiceOf(defaults, trio, asked(made))
    assert.deepStrictEqual([pick.card.modelId, warnings], ["haiku", []])
    assert.deepInclude(criteriaOf(defaults, request(), "argmin"), { threshold: 0.735, valueUsd: null })
  })
})

it("scores by value order as worth does, and the fallback is the likelier that is worth most", () => {
  const four: Candidates = [...trio, priced("sonnet", 0.9, 0.02)]
  const { fallback, pick, ranked } = decide(four, 0.1)
  assert.deepStrictEqual(ranked.map(({ card }) => card.modelId), ["haiku", "sonnet", "tiny", "opus"])
  assert.deepStrictEqual([pick.card.modelId, fallback?.card.modelId], ["haiku", "sonnet"])
})

it("tries a hardly known model where its optimistic success is worth more, the best plainly", () => {
  const objective = valueObjective(0.5)
  const unsure = (id: string, plain: number, hope: number, usd: number) => priced(id, plain, usd, { optimisticSuccess: hope })
  const successes = (...all: Candidates) => optimistic(objective, all, 0).map(({ predictedSuccess }) => predictedSuccess)
  assert.deepStrictEqual(successes(unsure("best", 0.8, 0.95, 0.01), unsure("new", 0.5, 0.9, 0.01)), [0.8, 0.9])
  assert.deepStrictEqual(successes(unsure("best", 0.8, 0.8, 0.01), unsure("dear", 0.5, 0.9, 0.2)), [0.8, 0.5])
})

describe("beside an incumbent, the pick by value", () => {
  const known = (id: string, success: number, usd: number, half: number) =>
    priced(id, success, usd, { successLow: success - half, successHigh: success + half })
  const incumbent = { cacheId: "own", qualityMin: 0 }
  const chosen = (candidates: Candidates, valueUsd: number, over: Partial<AskedChoice> = {}) => {
    const choice = decide(candidates, valueUsd, { incumbent, ...over })
    return [choice.pick.card.modelId, switchReasonOf(choice)]
  }
  it("keeps it within what noise is worth, and leaves it for what is surely worth more", () => {
    const noisy = (half: number): Candidates => [known("own", 0.8, 0.01, half), known("new", 0.82, 0.012, half)]
    assert.deepStrictEqual(chosen(noisy(0.2), 1), ["own", "within_noise"])
    assert.deepStrictEqual(chosen(noisy(0.01), 1), ["new", "threshold"])
    assert.deepStrictEqual(chosen([known("own", 0.8, 0.5, 0.1), known("new", 0.8, 0.01, 0.1)], 1), ["new", "cost"])
  })
  it("keeps none below min_quality", () => {
    const two: Candidates = [known("own", 0.68, 0.01, 0.2), known("new", 0.71, 0.012, 0.2)]
    assert.deepStrictEqual(chosen(two, 1, { threshold: 0.7, incumbent: { cacheId: "own", qualityMin: 0.7 } }), ["new", "threshold"])
  })
})

describe("under a guarantee, a value", () => {
  const ranked = [priced("cheap", 0.8, 1), priced("dear", 0.9, 10)].map((each) => ({ ...each, score: 0 }))
  const under = (valueUsd: number, evidence = noEvidence) =>
    guaranteed(defaults, valueObjective(valueUsd), guaranteeBy({ evidence }), ranked, 0, 0.99)?.pick.card.modelId
  it("lets a held candidate run where it is worth as much as the baseline, on evidence alone", () => {
    const held = evidenceAfter(trials(2_000))
    assert.strictEqual(under(50, held), "cheap")
    assert.strictEqual(under(500, held), "dear")
    assert.strictEqual(under(50), "dear")
  })
})

it("exploration draws by worth, never what costs more than the value, in shares that add to 1", () => {
  const over = { selectionPolicy: "epsilon_softmax" } as const
  const shares = (valueUsd: number) => new Map(Array.from({ length: 2_000 }, (_, i) => {
    const { pick, propensity } = choiceOf({ ...defaults, explorationShare: 1 }, trio, worth(valueUsd, over), i / 2_000)
    return [pick.card.modelId, propensity] as const
  }))
  assert.deepStrictEqual([...shares(0).keys()], ["tiny"])
  assert.notInclude([...shares(0.01).keys()], "opus")
  const wide = shares(10)
  assert.sameMembers([...wide.keys()], ["opus", "haiku", "tiny"])
  assert.closeTo([...wide.values()].reduce((sum, each) => sum + each, 0), 1, 1e-9)
})

describe("a rival of the pick by value", () => {
  const seen = (id: string, success: number, usd: number, outcomes: number) => {
    const sampleSize = 12 + outcomes
    const { high, low } = Beta.interval95(Beta.ofMean(success, sampleSize))
    return priced(id, success, usd, { sampleSize, successLow: low, successHigh: high, laneWeight: outcomes, cellWeight: outcomes })
  }
  const rivals = (valueUsd: number, pick: CostedCandidate, rival: CostedCandidate) => {
    const contest = { pick, candidates: [rival, pick], objective: valueObjective(valueUsd), threshold: 0 }
    const { live, possible } = rivalsOf(defaults, contest)
    return [possible.length, live.length]
  }
  it("is live while it may well be worth more, and none where no success makes up for its cost", () => {
    assert.deepStrictEqual(rivals(1, seen("pick", 0.8, 0.01, 0), seen("rival", 0.8, 0.02, 0)), [1, 1])
    assert.deepStrictEqual(rivals(1, seen("pick", 0.8, 0.01, 2_000), seen("rival", 0.7, 0.02, 2_000)), [0, 0])
    assert.deepStrictEqual(rivals(0.01, seen("pick", 0.8, 0.01, 0), seen("rival", 0.9, 0.1, 0)), [0, 0])
  })
  it("breaks even where its success makes up for its price", () => {
    const objective = valueObjective(0.5)
    assert.closeTo(breakEven(objective, priced("a", 0, 0.08), priced("b", 0.82, 0.002)), 0.82 + 0.078 / 0.5, 1e-12)
  })
})

describe("a budget", () => {
  const asking = request({ successValueUsd: 2, constraints: { minQuality: 0.5 } })
  const whole = criteriaOf(defaults, asking, "argmin")
  it("divides the value by e for every unit that it lowers, to 0 at most, and leaves min_quality", () => {
    assert.strictEqual(loweredCriteria(defaults, asking, whole, 0), whole)
    assert.closeTo(loweredCriteria(defaults, asking, whole, 1).valueUsd ?? NaN, 2 / Math.E, 1e-12)
    assert.deepInclude(loweredCriteria(defaults, asking, whole, defaults.pacing.shiftMax), { valueUsd: 0, threshold: 0.5 })
  })
  it("that is used up leaves the cheapest that reaches min_quality", () => {
    const state = trackBudget(defaults.pacing).state({ usd: 0, period: "day" }, 0)
    const { choice } = choiceWithin({ ...state, leftUsd: 0.001 }, trio, asking)
    assert.deepInclude(choice.criteria, { valueUsd: 0, selectionPolicy: "argmin" })
    assert.strictEqual(choice.pick.card.modelId, "haiku")
  })
})

describe("the rationale of a choice by value", () => {
  const said = (candidates: Candidates, valueUsd: number, over: Partial<AskedChoice> = {}, uniform = 0) => {
    const choice = choiceOf({ ...defaults, explorationShare: 1 }, candidates, worth(valueUsd, over), uniform)
    const say = rationales(choice)
    return Object.fromEntries(choice.ranked.map((each) => [each.card.modelId, say(each)]))
  }
  it("says what pick and runner-up are worth, and the nearest value at which another is picked", () => {
    const sentences = said(trio, 0.5)
    assert.match(sentences["haiku"] ?? "", new RegExp("at \\$0\\.002 \\(est\\) worth \\$0\\.408 a task at \\$0\\.50 a success; "
      + "opus, 91 % at \\$0\\.08, is worth \\$0\\.375; Sextant picks opus if a success is worth at least \\$0\\.87\\.$"))
    assert.match(sentences["opus"] ?? "", /at \$0\.08 \(est\), but worth \$0\.375 a task where haiku is worth \$0\.408\.$/)
  })
  it("says what falls short of min_quality, what is a loss, and what a draw displaced", () => {
    assert.match(said(trio, 0.5, { threshold: 0.9 })["haiku"] ?? "", /, but short of min_quality 0\.9\.$/)
    assert.match(said(trio, 0.5, { threshold: 0.9 })["opus"] ?? "", /\$0\.50 a success, the only one that reaches min_quality 0\.9\.$/)
    assert.match(said(trio, 0.5, { threshold: 0.95 })["opus"] ?? "", /the likeliest of 3, none of which reaches min_quality 0\.95\.$/)
    assert.match(said(trio, 0.5, { threshold: 0.95 })["haiku"] ?? "", /, but no likelier than opus\.$/)
    assert.match(said(trio, 0)["tiny"] ?? "", /a loss of \$0\.001 a task at \$0 a success; haiku, 82 % at \$0\.002, is a loss/)
    const drawn = said(trio, 10, { selectionPolicy: "epsilon_softmax" }, 0.999_999)
    assert.match(drawn["tiny"] ?? "", /drawn to explore in place of opus, which is worth most at \$10\.00 a success\.$/)
    assert.match(said([trio[0]], 0.5)["opus"] ?? "", /worth \$0\.375 a task at \$0\.50 a success\.$/)
  })
})

const Cents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))
const Rows = Schema.Array(Schema.Tuple([Probability, Cents, Probability, Probability]))
  .check(Schema.isMinLength(1), Schema.isMaxLength(8))
const Exponent = Schema.Finite.check(Schema.isBetween({ minimum: -4, maximum: 4 }))
const of = (rows: typeof Rows.Type): Candidates =>
  atLeastOne(rows.map(([success, cents, optimism, hope], i) =>
    priced(`m${i}`, Rounding.probability(success), cents / 100, {
      optimisticSuccess: Rounding.probability(optimism > 0.8 ? Math.max(success, optimism) : success),
      highPriorSuccess: Rounding.probability(hope > 0.8 ? Math.max(success, hope) : success)
    })))

it.prop("no candidate that reaches the least success is worth more than the pick, as far as known", {
  rows: Rows, exponent: Exponent, floor: Probability
}, ({ exponent, floor, rows }) => {
  const { eligible, objective, pick, ranked } = decide(of(rows), 10 ** exponent, { threshold: floor })
  for (const each of eligible) assert.isAtMost(objective.of(pick), objective.of(each) + objective.tie + 1e-9)
  if (eligible.length > 0) assert.isAtLeast(pick.predictedSuccess, floor)
  assert.isTrue(ranked.every(({ score }) => score >= -1 && score <= 1))
})

it.each<[string, Array<[number, number, number, number]>, string, number]>([
  ["that is picked once its optimism exceeds a tie", [[0, 75, 0, 0], [0, 195, 1, 0]], "m1", 1.3],
  ["that is picked once it is hoped to be better", [[0, 75, 0, 0], [0, 195, 0, 1]], "m1", 1.3],
  ["that is picked in a tie alone", [[1, 53, 0, 0], [0, 178, 0, 0], [0, 10, 1, 0]], "m0", 0.43]
])("the flip names a model %s", (_, rows, modelId, value) => {
  const candidates = of(rows)
  const { candidates: left, objective } = decide(candidates, 1)
  assert.deepInclude(nearestFlip(ruleOf(defaults, objective, left, 0), 1), { modelId, at: value })
  assert.strictEqual(picked(candidates, value), modelId)
})

it("the flip names the next round value if rounding moved the nearest beyond the bar", () => {
  const candidates = of([[0.999999, 0, 0, 0], [0, 26, 0, 1]])
  const { candidates: left, objective } = decide(candidates, 260_000)
  const found = nearestFlip(ruleOf(defaults, objective, left, 0), 260_000)
  assert.deepInclude(found, { modelId: "m1", side: "least", at: 270_000 })
  assert.strictEqual(picked(candidates, 270_000), "m1")
})

it.prop("at the flip's value its model is picked, and at no nearer value of two digits", {
  rows: Rows, exponent: Exponent, floor: Probability
}, ({ exponent, floor, rows }) => {
  const valueUsd = Number((10 ** exponent).toPrecision(3))
  const candidates = of(rows)
  // Without a limit, an incumbent, a plan or a guarantee, no other policy makes the pick.
  const ask = worth(valueUsd, { threshold: floor / 2 })
  const byWorth = [byObjective(contextOf(defaults, ask)) ?? assert.fail("every request has an objective")]
  const at = (value: number) =>
    choose(byWorth, candidates, { ...criteriaIn(ask), valueUsd: value }, 0).pick.card.modelId
  const { objective, candidates: left, criteria: { threshold }, pick: chosen } = decide(candidates, valueUsd, ask)
  const found = nearestFlip(ruleOf(defaults, objective, left, threshold), valueUsd)
  const pick = at(valueUsd)
  assert.strictEqual(pick, chosen.card.modelId)
  if (found !== null) {
    assert.strictEqual(at(found.at), found.modelId)
    assert.notStrictEqual(found.modelId, pick)
    assert.isTrue(found.side === "most" ? found.at < valueUsd : found.at > valueUsd)
  }
  const distance = found === null ? Infinity : Math.abs(Math.log(found.at / valueUsd))
  for (let power = -5; power < 6; power++) {
    for (let digits = 10; digits < 100; digits += 3) {
      const other = Number((digits * 10 ** power).toPrecision(2))
      if (other > 1e6 || Math.abs(Math.log(other / valueUsd)) >= distance - 1e-9) continue
      // At the end of a tie the last digit of a double decides.
      if (at(other) === pick || at(other * (1 + 1e-7)) !== at(other * (1 - 1e-7))) continue
      assert.fail(`another pick at ${other} beside ${valueUsd}`)
    }
  }
}, { arbitrary: { runs: 300 } })
