import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Probability, Slider } from "../../../src/domain/Units.ts"
import { asked, type AskedChoice, atLeastOne, type Candidates, choiceOf } from "../../support/choices.ts"
import { threshold } from "../../../src/engine/policies/Criteria.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { priced } from "../../support/builders.ts"

const decide = (candidates: Candidates, over: Partial<AskedChoice> = {}, uniform = 0) =>
  choiceOf(defaults, candidates, asked(over), uniform)
const picked = (candidates: Candidates, over: Partial<AskedChoice> = {}) =>
  decide(candidates, over).pick.card.modelId

const trio: Candidates = [priced("dear", 0.95, 10), priced("middle", 0.8, 3), priced("cheap", 0.5, 1)]

describe("the pick", () => {
  it("is the cheapest that clears the threshold", () => {
    assert.strictEqual(picked(trio), "middle")
    assert.strictEqual(picked(trio, { threshold: 0.5 }), "cheap")
    assert.strictEqual(picked(trio, { threshold: 0.81 }), "dear")
    assert.deepStrictEqual(decide(trio).warnings, [])
  })
  it("may meet the threshold exactly", () => {
    assert.strictEqual(picked(trio, { threshold: 0.8 }), "middle")
  })
  it("goes by success, then confidence, at equal cost", () => {
    assert.strictEqual(picked([priced("a", 0.8, 1), priced("b", 0.9, 1)]), "b")
    assert.strictEqual(picked([priced("a", 0.8, 1 + 5e-10), priced("b", 0.9, 1)]), "b")
    assert.strictEqual(picked([priced("a", 0.9, 1 + 5e-10), priced("b", 0.8, 1)]), "a")
    const sure = priced("sure", 0.8, 1, { confidence: 0.9 })
    assert.strictEqual(picked([priced("a", 0.8, 1), sure]), "sure")
  })
  it("is the likeliest to succeed, with a warning, when none clears", () => {
    const answer = decide(trio, { threshold: 0.99 })
    assert.strictEqual(answer.pick.card.modelId, "dear")
    assert.deepStrictEqual(answer.warnings, ["no_model_meets_threshold"])
    assert.deepStrictEqual(answer.eligible, [])
  })
  it("is the cheaper of two equally likely when none clears, however sure the dearer one is", () => {
    assert.strictEqual(
      picked([priced("dear", 0.6, 5, { confidence: 0.9 }), priced("cheap", 0.6, 1, { confidence: 0.1 })]),
      "cheap"
    )
  })
  it("may be free, and a free set has finite scores", () => {
    const { pick, ranked } = decide([priced("free", 0.8, 0), priced("also", 0.9, 0)])
    assert.strictEqual(pick.card.modelId, "also")
    for (const { score } of ranked) assert.isTrue(Number.isFinite(score))
  })
})

describe("the score", () => {
  it("is lambda p minus (1 - lambda) of the normalised cost, lambda 0.65 at slider 5", () => {
    const { ranked } = decide(trio)
    const score = (id: string) => ranked.find((each) => each.card.modelId === id)?.score ?? NaN
    assert.closeTo(score("dear"), 0.65 * 0.95 - 0.35, 1e-12)
    assert.closeTo(score("middle"), 0.65 * 0.8 - 0.35 * 0.3, 1e-12)
    assert.closeTo(score("cheap"), 0.65 * 0.5 - 0.35 * 0.1, 1e-12)
  })
  it("sorts the ranking, which the slider turns", () => {
    const order = (slider: number) => decide(trio, { slider }).ranked.map((each) => each.card.modelId)
    assert.deepStrictEqual(order(0), ["cheap", "middle", "dear"])
    assert.deepStrictEqual(order(10), ["dear", "middle", "cheap"])
  })
})

it("an optimistic prediction has its own interval, and never makes a model the fallback", () => {
  const optimistic = (id: string, plain: number, optimisticSuccess: number, costUsd: number) =>
    priced(id, plain, costUsd, { optimisticSuccess })
  const { fallback, pick } = decide([
    optimistic("x", 0.5, 0.8, 1), optimistic("y", 0.45, 0.86, 2), optimistic("known", 0.95, 0.95, 5)
  ], { threshold: 0.735 })
  assert.deepStrictEqual([pick.card.modelId, pick.predictedSuccess], ["x", 0.8])
  assert.isAbove(pick.successHigh, 0.9)
  assert.strictEqual(fallback?.card.modelId, "known")
})

describe("the fallback", () => {
  const fallback = (candidates: Candidates, over: Partial<AskedChoice> = {}) =>
    decide(candidates, over).fallback?.card.modelId ?? null

  it("is the cheapest other candidate 0.05 above the threshold and likelier than the pick", () => {
    const four: Candidates = [...trio, priced("near", 0.74, 4), priced("safe", 0.85, 6)]
    assert.strictEqual(picked(four), "middle")
    assert.strictEqual(fallback(four), "safe")
  })
  it("is the cheapest of those likelier than the pick when none is 0.05 above the threshold", () => {
    const close: Candidates = [
      priced("pick", 0.71, 1), priced("dear", 0.74, 9), priced("next", 0.72, 3), priced("less", 0.7, 2)
    ]
    assert.strictEqual(picked(close), "pick")
    assert.strictEqual(fallback(close), "next")
  })
  it("is null when no other candidate is likelier than the pick", () => {
    assert.strictEqual(fallback([priced("alone", 0.9, 1)]), null)
    assert.strictEqual(fallback([priced("pick", 0.9, 1), priced("poor", 0, 9)]), null)
    assert.strictEqual(fallback([priced("pick", 0.95, 1), priced("a", 0.6, 1), priced("b", 0.95, 9)]), null)
    assert.strictEqual(fallback([priced("pick", 0.6, 1), priced("a", 0.5, 2)], { threshold: 0.9 }), null)
  })
  it("is likelier than the pick is shown to be, where the pick is an optimistic one", () => {
    const pick = priced("pick", 0.5, 1, { optimisticSuccess: 0.8 })
    assert.strictEqual(fallback([pick, priced("between", 0.65, 5)], { threshold: 0.735 }), null)
  })
})

describe("limits", () => {
  const cost = (maxCostPerCall: number) => ({ limits: { maxCostPerCall, maxLatencyMs: null } })
  const latency = (maxLatencyMs: number) => ({ limits: { maxCostPerCall: null, maxLatencyMs } })
  const ids = (candidates: Candidates, over: Partial<AskedChoice>) =>
    decide(candidates, over).ranked.map((each) => each.card.modelId).sort()

  it("a cost budget removes what is dearer, and keeps what costs just that", () => {
    assert.deepStrictEqual(ids(trio, cost(3)), ["cheap", "middle"])
  })
  it("a cost budget below everything is relaxed with its warning", () => {
    const answer = decide(trio, cost(0.5))
    assert.strictEqual(answer.ranked.length, 3)
    assert.deepStrictEqual(answer.warnings, ["no_model_within_cost_budget"])
  })
  it("a budget of zero is a budget", () => {
    assert.deepStrictEqual(ids([priced("free", 0.9, 0), priced("paid", 0.9, 1)], cost(0)), ["free"])
  })

  const timed: Candidates = [
    priced("slow", 0.9, 1, { latencyMs: { p50: 2_000, p75: 2_000 } }), priced("fast", 0.9, 2, { latencyMs: { p50: 100, p75: 100 } }),
    priced("unknown", 0.9, 3)
  ]
  it("a latency budget removes what is known to be slower, never what has no history", () => {
    assert.deepStrictEqual(ids(timed, latency(100)), ["fast", "unknown"])
    assert.deepStrictEqual(decide(timed, latency(100)).warnings, [])
  })
  it("a latency budget below every history is relaxed with its warning", () => {
    assert.deepStrictEqual(ids(timed, latency(50)), ["fast", "slow", "unknown"])
    assert.deepStrictEqual(decide(timed, latency(50)).warnings, ["no_model_within_latency_budget"])
  })
  it("a latency budget without any history changes nothing", () => {
    assert.strictEqual(ids(trio, latency(1)).length, 3)
    assert.deepStrictEqual(decide(trio, latency(1)).warnings, [])
  })
  it("both limits may be relaxed in one answer", () => {
    const answer = decide(timed, { limits: { maxCostPerCall: 0.1, maxLatencyMs: 50 }, threshold: 1 })
    assert.deepStrictEqual(answer.warnings, [
      "no_model_within_cost_budget", "no_model_within_latency_budget", "no_model_meets_threshold"
    ])
  })
})

// Coarse on purpose: equal costs and equal chances must come up.
const Tenth = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))
const Rows = Schema.Array(Schema.Tuple([Tenth, Tenth, Tenth]))
  .check(Schema.isMinLength(1), Schema.isMaxLength(10))
const of = (rows: typeof Rows.Type): Candidates => atLeastOne(rows.map(([p, usd, confidence], i) =>
  priced(`m${i}`, p / 10, usd, { confidence: confidence / 10 })))

it.prop("no pick is dominated: nothing else is at least as likely and cheaper", {
  rows: Rows, bar: Probability
}, ({ bar, rows }) => {
  const { pick, ranked } = decide(of(rows), { threshold: bar })
  for (const other of ranked) {
    assert.isFalse(other.predictedSuccess >= pick.predictedSuccess && other.cost.costUsd < pick.cost.costUsd)
  }
})

it.prop("no pick is dominated by a fraction of the tie, in which cost comes before confidence", {
  rows: Rows, bar: Probability
}, ({ bar, rows }) => {
  // Costs at steps of half a tie: chains of ties, no two costs equal.
  const close = rows.map(([p, , confidence], i) =>
    priced(`m${i}`, p / 10, 1 + i * 5e-10, { confidence: confidence / 10 }))
  const { pick, ranked } = decide(atLeastOne(close), { threshold: bar })
  for (const other of ranked) {
    assert.isFalse(other.predictedSuccess >= pick.predictedSuccess && other.cost.costUsd < pick.cost.costUsd)
  }
})

it.prop("tightening a budget never adds a candidate unless it is relaxed with a warning", {
  rows: Rows, one: Tenth, other: Tenth
}, ({ one, other, rows }) => {
  const [loose, tight] = [Math.max(one, other), Math.min(one, other)]
  const timed = of(rows).map((each, i) => ({ ...each, latencyMs: i % 3 === 0 ? null : { p50: i, p75: i * 2 } }))
  const ids = (limits: AskedChoice["limits"]) => {
    const { warnings, ranked } = decide(timed as unknown as Candidates, { limits })
    return { warnings, ids: ranked.map((each) => each.card.modelId) }
  }
  const cost = (maxCostPerCall: number) => ids({ maxCostPerCall, maxLatencyMs: null })
  const latency = (maxLatencyMs: number) => ids({ maxCostPerCall: null, maxLatencyMs })
  for (
    const [before, after] of [
      [cost(loose), cost(tight)], [latency(loose), latency(tight)]
    ] as const
  ) {
    const isRelaxed = after.warnings.some((each) => each.startsWith("no_model_within_"))
    if (isRelaxed) assert.lengthOf(after.ids, rows.length)
    else assert.includeMembers(before.ids, after.ids)
  }
})

it.prop("the pick clears the threshold whenever anything does, and nothing cheaper does", {
  rows: Rows, bar: Probability
}, ({ bar, rows }) => {
  const { eligible, warnings, pick, ranked } = decide(of(rows), { threshold: bar })
  const clearing = ranked.filter((each) => each.predictedSuccess >= bar)
  assert.sameMembers([...eligible], clearing)
  assert.strictEqual(warnings.includes("no_model_meets_threshold"), clearing.length === 0)
  for (const each of clearing) {
    assert.isAtLeast(pick.predictedSuccess, bar)
    assert.isAtLeast(each.cost.costUsd, pick.cost.costUsd)
  }
})

it.prop("raising the slider or the quality floor never lowers the pick's chance", {
  rows: Rows, low: Slider, high: Slider, floor: Probability
}, ({ floor, high, low, rows }) => {
  const chance = (slider: number, minQuality: number | null) =>
    decide(of(rows), { slider, threshold: threshold(defaults, slider, minQuality) }).pick.predictedSuccess
  const [from, to] = [Math.min(low, high), Math.max(low, high)]
  assert.isAtLeast(chance(to, null), chance(from, null))
  assert.isAtLeast(chance(from, floor), chance(from, null))
})

it.prop("the order of the candidates changes nothing", {
  rows: Rows, bar: Probability, turn: Tenth
}, ({ bar, rows, turn }) => {
  const straight = of(rows)
  const at = turn % straight.length
  const [first, ...rest] = [...straight.slice(at), ...straight.slice(0, at)].reverse()
  const turned: Candidates = [first ?? straight[0], ...rest]
  const ids = (candidates: Candidates, over: Partial<AskedChoice>, uniform = 0) => {
    const answer = decide(candidates, { threshold: bar, ...over }, uniform)
    return [answer.pick, answer.fallback, ...answer.ranked].map((each) => each?.card.modelId)
  }
  assert.deepStrictEqual(ids(turned, {}), ids(straight, {}))
  const random = { selectionPolicy: "epsilon_softmax" as const }
  assert.deepStrictEqual(ids(turned, random, 0.02), ids(straight, random, 0.02))
})

it.prop("the ranking is sorted by score, and a fallback is likelier than the pick", {
  rows: Rows, bar: Probability
}, ({ bar, rows }) => {
  const { fallback, pick, ranked } = decide(of(rows), { threshold: bar })
  const scores = ranked.map((each) => each.score)
  assert.deepStrictEqual(scores, [...scores].sort((a, b) => b - a))
  assert.include(ranked, pick)
  const likelier = ranked.filter((each) => each.predictedSuccess > pick.predictedSuccess)
  assert.strictEqual(fallback === null, likelier.length === 0)
  if (fallback !== null) assert.include(likelier, fallback)
})
