import { assert, describe, it } from "@effect/vitest"
import type { GuaranteeCriteria } from "../../../src/engine/policies/GuaranteeCriteria.ts"
import { guaranteed } from "../../../src/engine/policies/UnderGuarantee.ts"
import type { Scored } from "../../../src/engine/recommend/candidates/Candidate.ts"
import { costObjective } from "../../../src/engine/recommend/choice/Objective.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { noEvidence } from "../../../src/stats/GuaranteeStates.ts"
import { priced } from "../../support/builders.ts"
import { evidenceAfter, guaranteeBy, trials } from "../../support/guarantees.ts"

const ranked: ReadonlyArray<Scored> = [
  priced("tiny", 0.6, 0.1), priced("cheap", 0.8, 1), priced("middle", 0.85, 3), priced("dear", 0.9, 10)
].map((each) => ({ ...each, score: 0 }))

const choose = (over: Partial<GuaranteeCriteria> = {}, uniform = 0.99, models = ranked) =>
  guaranteed(defaults, costObjective, guaranteeBy(over), models, 0.7, uniform) ?? assert.fail("the baseline is there")

const held = evidenceAfter(trials(2_000))

describe("the choice under a guarantee", () => {
  it("is the baseline while nothing is known, and at times the cheapest above the threshold", () => {
    const usual = choose()
    assert.strictEqual(usual.pick.card.modelId, "dear")
    assert.deepInclude(usual.answer, { state: "earning", candidateModelId: "cheap", isTrial: false, outcomes: 0 })
    assert.isAbove(usual.answer.outcomesNeeded ?? 0, 100)
    const trial = choose({}, 0)
    assert.strictEqual(trial.pick.card.modelId, "cheap")
    assert.strictEqual(trial.usual.card.modelId, "dear")
    assert.isTrue(trial.answer.isTrial)
    assert.deepStrictEqual(trial.trial, { baselineModelId: "dear", candidateModelId: "cheap" })
  })

  it("tries an unknown candidate on at most the loss's share, and a promising one on the whole", () => {
    assert.strictEqual(choose({}, 0).propensity, 0.05)
    const promising = evidenceAfter(trials(80))
    assert.strictEqual(choose({ evidence: promising }, 0).propensity, 0.2)
    assert.strictEqual(choose({ evidence: promising }, 0.2).propensity, 0.8)
  })

  it("is the held candidate, and the baseline on half of the trials' share", () => {
    const { answer, pick, propensity } = choose({ evidence: held })
    assert.strictEqual(pick.card.modelId, "cheap")
    assert.strictEqual(propensity, 0.9)
    assert.deepInclude(answer, { state: "held", outcomesNeeded: null })
    const control = choose({ evidence: held }, 0.05)
    assert.strictEqual(control.pick.card.modelId, "dear")
    assert.strictEqual(control.propensity, 0.1)
  })

  it("is the baseline on half of the tasks once the evidence turns, and on all when it has", () => {
    let evidence = held
    let shares = new Set<number>()
    for (const trial of trials(200, 2)) {
      evidence = evidenceAfter([trial], { before: evidence })
      const { answer, propensity } = choose({ evidence }, 0)
      if (answer.state === "withdrawn") break
      shares = shares.add(propensity)
    }
    assert.deepStrictEqual([...shares], [0.1, 0.5])
    assert.deepInclude(choose({ evidence }).answer, { state: "withdrawn" })
    assert.strictEqual(choose({ evidence }).usual.card.modelId, "dear")
  })

  it("leaves a held candidate where it falls short of the threshold for this task", () => {
    const hard = ranked.map((each) => each.card.modelId === "cheap" ? { ...each, predictedSuccess: 0.65 } : each)
    assert.strictEqual(choose({ evidence: held }, 0.99, hard).pick.card.modelId, "dear")
  })

  it("goes on with the candidate that the evidence speaks for most, not the cheapest", () => {
    const evidence = evidenceAfter(trials(200), { candidate: "middle", before: evidenceAfter(trials(60, 3)) })
    assert.strictEqual(choose({ evidence }).answer.candidateModelId, "middle")
  })

  it("draws nothing without trials, and says so; nor in shadow, which counts for nothing", () => {
    const none = choose({ trialShare: 0 }, 0)
    assert.strictEqual(none.pick.card.modelId, "dear")
    assert.deepStrictEqual(none.warnings, ["guarantee_needs_trials"])
    // No number of outcomes is enough where none can come.
    assert.isNull(none.answer.outcomesNeeded)
    assert.isAbove(choose({}, 0).answer.outcomesNeeded ?? 0, 0)
    assert.deepStrictEqual(none.trial, { baselineModelId: "dear", candidateModelId: null })
    const shadow = choose({ isUncounted: true }, 0)
    assert.strictEqual(shadow.pick.card.modelId, "dear")
    assert.isNull(shadow.trial)
    assert.deepStrictEqual(shadow.warnings, [])
  })

  it("says that a turn of the held candidate cannot be seen without trials", () => {
    const { warnings, pick } = choose({ evidence: held, trialShare: 0 })
    assert.strictEqual(pick.card.modelId, "cheap")
    assert.deepStrictEqual(warnings, ["guarantee_needs_trials"])
    assert.deepStrictEqual(choose({ evidence: held, trialShare: 0, isPaired: true }).warnings, [])
  })

  it("draws nothing for a pair, and names the other model to run", () => {
    const pair = choose({ isPaired: true, trialShare: 0 }, 0)
    assert.strictEqual(pair.propensity, 1)
    assert.deepStrictEqual(pair.trial, { baselineModelId: "dear", candidateModelId: "cheap" })
    assert.deepStrictEqual(pair.warnings, [])
  })

  it("is the baseline with certainty where the evidence cannot be read", () => {
    const blind = choose({ evidence: null }, 0)
    assert.strictEqual(blind.pick.card.modelId, "dear")
    assert.strictEqual(blind.propensity, 1)
    assert.deepStrictEqual(blind.warnings, [])
  })

  it("is none where the constraints leave no baseline", () => {
    assert.isNull(guaranteed(defaults, costObjective, guaranteeBy({ baselineModelId: "gone" }), ranked, 0.7, 0))
  })

  it("is made with the probability that it says: the share of uniform numbers that lead to it", () => {
    for (const evidence of [noEvidence, evidenceAfter(trials(80)), held]) {
      const all = Array.from({ length: 1_000 }, (_, at) => choose({ evidence }, (at + 0.5) / 1_000))
      for (const { pick, propensity } of all) {
        const same = all.filter((each) => each.pick.card.modelId === pick.card.modelId).length
        assert.closeTo(same / 1_000, propensity, 0.001)
      }
    }
  })
})
