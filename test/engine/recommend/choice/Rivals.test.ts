import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Probability } from "../../../../src/domain/Units.ts"
import type { CostedCandidate } from "../../../../src/engine/recommend/candidates/Candidate.ts"
import { costObjective } from "../../../../src/engine/recommend/choice/Objective.ts"
import { rivalsOf } from "../../../../src/engine/recommend/choice/Rivals.ts"
import { pickAt } from "../../../../src/engine/recommend/choice/DecisionRule.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import * as Beta from "../../../../src/stats/Beta.ts"
import { priced } from "../../../support/builders.ts"

const threshold = 0.735
const objective = costObjective

/** A candidate that was predicted from its prior and `outcomes` of its own. */
const known = (modelId: string, success: number, costUsd: number, outcomes = 0): CostedCandidate => {
  const sampleSize = 12 + outcomes
  const { high, low } = Beta.interval95(Beta.ofMean(success, sampleSize))
  return priced(modelId, success, costUsd, {
    sampleSize, successLow: low, successHigh: high, laneWeight: outcomes, cellWeight: outcomes
  })
}
const idsOf = (found: ReadonlyArray<CostedCandidate>) => found.map(({ card }) => card.modelId)
const rivals = (pick: CostedCandidate, ...others: ReadonlyArray<CostedCandidate>) => {
  const { live, possible } = rivalsOf(defaults, { pick, candidates: [...others, pick], objective, threshold })
  return { live: idsOf(live), possible: idsOf(possible) }
}

describe("a dearer candidate", () => {
  it("is a live rival while the pick may well fall short of the threshold", () => {
    const dear = known("dear", 0.9, 10)
    assert.deepStrictEqual(rivals(known("pick", 0.74, 1), dear).live, ["dear"])
    assert.deepStrictEqual(rivals(known("pick", 0.74, 1, 5), dear).live, ["dear"])
  })
  it("is none once the pick's own outcomes have shown that it hardly falls short", () => {
    const dear = known("dear", 0.9, 10)
    assert.deepStrictEqual(rivals(known("pick", 0.74, 1, 150), dear), { live: [], possible: ["dear"] })
    assert.deepStrictEqual(rivals(known("pick", 0.9, 1, 150), dear), { live: [], possible: [] })
  })
  it("is none where it is as unlikely as the pick to do better", () => {
    assert.deepStrictEqual(rivals(known("pick", 0.7, 1, 100), known("dear", 0.5, 10)).live, [])
  })
})

describe("a cheaper candidate", () => {
  it("is a live rival where it likely reaches the threshold and saves much of the pick's cost", () => {
    const pick = known("pick", 0.85, 1, 150)
    assert.deepStrictEqual(rivals(pick, known("cheap", 0.73, 0.1)).live, ["cheap"])
    assert.deepStrictEqual(rivals(pick, known("alike", 0.73, 0.9)), { live: [], possible: ["alike"] })
    assert.deepStrictEqual(rivals(pick, known("weak", 0.5, 0.1)).live, [])
  })
  it("is none once its own outcomes have shown that it falls short", () => {
    const pick = known("pick", 0.85, 1, 150)
    assert.deepStrictEqual(rivals(pick, known("cheap", 0.65, 0.1, 150)), { live: [], possible: [] })
  })
})

it("has neither rivals of a pick alone nor of a free one that clears", () => {
  assert.deepStrictEqual(rivals(known("alone", 0.5, 1)), { live: [], possible: [] })
  assert.deepStrictEqual(rivals(known("free", 0.9, 0, 200), known("dear", 0.99, 1)).live, [])
})

const Cents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const Outcomes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))
const Rows = Schema.Array(Schema.Tuple([Probability, Cents, Outcomes]))
  .check(Schema.isMinLength(1), Schema.isMaxLength(8))

it.prop("live rivals are possible ones, the pick is none, and their order is the candidates'", {
  rows: Rows, bar: Probability
}, ({ bar, rows }) => {
  const candidates = rows.map(([success, cents, outcomes], i) => known(`m${i}`, success, cents / 100, outcomes))
  const pick = pickAt(objective, candidates, bar) ?? assert.fail("there is a candidate")
  const { live, possible } = rivalsOf(defaults, { pick, candidates, objective, threshold: bar })
  assert.notInclude(possible, pick)
  assert.deepStrictEqual(possible.filter((each) => live.includes(each)), live)
  assert.deepStrictEqual(candidates.filter((each) => possible.includes(each)), possible)
})
