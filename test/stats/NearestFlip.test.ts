import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Probability } from "../../src/domain/Units.ts"
import { ruleOf } from "../../src/engine/recommend/choice/DecisionRule.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { nearestFlip } from "../../src/stats/NearestFlip.ts"
import { priced } from "../support/builders.ts"
import { asked, type Candidates, choiceOf } from "../support/choices.ts"

const decide = (candidates: Candidates, threshold: number) =>
  choiceOf(defaults, candidates, asked({ threshold }))
const flip = (candidates: Candidates, threshold: number) => {
  const { candidates: left, objective } = decide(candidates, threshold)
  return nearestFlip(ruleOf(defaults, objective, left, threshold), threshold)
}

const trio: Candidates = [priced("dear", 0.95, 10), priced("middle", 0.8, 3), priced("cheap", 0.713, 1)]

describe("the nearest flip", () => {
  it("is the best chance among cheaper models, rounded down so that it holds", () => {
    assert.deepStrictEqual(flip(trio, 0.735), { modelId: "cheap", side: "most", at: 0.71 })
  })
  it("is what comes after the pick's own chance when that is nearer", () => {
    assert.deepStrictEqual(flip(trio, 0.79), { modelId: "dear", side: "least", at: 0.81 })
    assert.deepStrictEqual(flip(trio, 0.7), { modelId: "middle", side: "least", at: 0.72 })
  })
  it("is what clears first when nothing clears", () => {
    assert.deepStrictEqual(flip(trio, 0.97), { modelId: "middle", side: "most", at: 0.8 })
  })
  it("is nothing when one model is best at every threshold", () => {
    assert.isNull(flip([priced("alone", 0.9, 1)], 0.7))
    assert.isNull(flip([priced("best", 0.9, 1), priced("beaten", 0.8, 2)], 0.7))
    assert.isNull(flip([priced("best", 0.6, 1), priced("beaten", 0.5, 2)], 0.9))
  })
  it("is nothing that lies under the slider's minimum, which itself counts", () => {
    assert.isNull(flip([priced("pick", 0.9, 2), priced("cheap", 0.549, 1)], 0.7))
    assert.deepStrictEqual(
      flip([priced("pick", 0.9, 2), priced("cheap", 0.55, 1)], 0.7),
      { modelId: "cheap", side: "most", at: 0.55 }
    )
  })
  it("takes as many decimals as it needs to separate two models", () => {
    const close: Candidates = [priced("a", 0.9, 9), priced("b", 0.7134, 2), priced("c", 0.7131, 1)]
    assert.deepStrictEqual(flip(close, 0.8), { modelId: "b", side: "most", at: 0.7134 })
  })
})

const Tenth = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))
const Rows = Schema.Array(Schema.Tuple([Probability, Tenth, Tenth, Tenth]))
  .check(Schema.isMinLength(1), Schema.isMaxLength(10))
const Bar = Schema.Finite.check(Schema.isBetween({ minimum: 0.55, maximum: 1 }))
const of = (rows: typeof Rows.Type): Candidates => {
  const [first, ...rest] = rows.map(([p, usd, optimism, hope], i) =>
    priced(`m${i}`, 0.5 + p / 2, usd, {
      confidence: optimism / 10, optimisticSuccess: Math.max(0.5 + p / 2, optimism / 10),
      highPriorSuccess: Math.max(0.5 + p / 2, hope / 10)
    }))
  return [first ?? assert.fail("at least one row"), ...rest]
}

it.prop("deciding again at the flip's threshold really picks its model", { rows: Rows, bar: Bar }, (
  { bar, rows }
) => {
  const found = flip(of(rows), bar)
  if (found === null) return
  assert.strictEqual(decide(of(rows), found.at).pick.card.modelId, found.modelId)
  assert.notStrictEqual(found.modelId, decide(of(rows), bar).pick.card.modelId)
  assert.isTrue(found.side === "most" ? found.at < bar : found.at > bar)
  assert.isAtLeast(found.at, defaults.thresholdMin)
  assert.isAtMost(found.at, defaults.thresholdMax)
}, { arbitrary: { runs: 200 } })

it.prop("no threshold of two decimals that is nearer would pick another model", { rows: Rows, bar: Bar }, (
  { bar, rows }
) => {
  const found = flip(of(rows), bar)
  const pick = decide(of(rows), bar).pick.card.modelId
  const distance = found === null ? Infinity : Math.abs(found.at - bar)
  for (let hundredths = 55; hundredths <= 92; hundredths++) {
    const other = hundredths / 100
    if (Math.abs(other - bar) >= distance - 1e-12) continue
    assert.strictEqual(decide(of(rows), other).pick.card.modelId, pick, `at ${other}`)
  }
}, { arbitrary: { runs: 150 } })
