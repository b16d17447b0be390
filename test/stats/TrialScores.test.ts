import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  type ComparedSums, noTrials, scoresWithin, type Trial, withTrial
} from "../../src/stats/TrialScores.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Between = Schema.Finite.check(Schema.isBetween({ minimum: 0.05, maximum: 0.95 }))

const nothing: ComparedSums = { candidate: noTrials, baseline: noTrials }
const known: ComparedSums = {
  candidate: { trials: 20, reports: 15, successes: 9 }, baseline: { trials: 40, reports: 38, successes: 33 }
}

/** A world: the probabilities that a model's outcome is reported as a success and as a failure. */
interface Reported {
  readonly success: number
  readonly failure: number
}

/** The expectation of both scores over the draw and the outcome, from all trials that there can be. */
const expected = (loss: number, arms: ComparedSums, share: number, candidate: Reported, baseline: Reported) => {
  let [bySuccess, byFailure] = [0, 0]
  for (const [ran, chance, of] of [["candidate", share, candidate], ["baseline", 1 - share, baseline]] as const) {
    for (
      const [success, probability] of [[1, of.success], [0, of.failure], [null, 1 - of.success - of.failure]] as const
    ) {
      const trial: Trial = { share, ran, candidate: null, baseline: null, [ran]: success }
      const [one, other] = scoresWithin(loss, arms, trial)
      bySuccess += chance * probability * one.value
      byFailure += chance * probability * other.value
    }
  }
  return [bySuccess, byFailure] as const
}

describe("scores of a candidate beside a baseline", () => {
  it("weigh what a model showed by the probability that it ran, by hand", () => {
    // Nothing is known: 0.5 - 0.05 is expected of both, so only the trial itself counts.
    const [bySuccess] = scoresWithin(0.05, nothing, { share: 0.2, ran: "candidate", candidate: 1, baseline: null })
    // Baseline: (4 * 0.5) / 4 = 0.5. Candidate: 0.5 + 0.05 = 0.55. Score: 0.05 + (1 - 0.55) / 0.2.
    assert.closeTo(bySuccess.value, 2.3, 1e-12)
    const [pair] = scoresWithin(0.05, nothing, { share: 1, ran: "both", candidate: 1, baseline: 1 })
    assert.closeTo(pair.value, 0.05, 1e-12)
  })

  it.prop("expect the difference and the loss, whatever was expected before", [Unit, Unit, Between], (
    [candidate, baseline, share]
  ) => {
    const loss = 0.05
    for (const arms of [nothing, known]) {
      const both = expected(
        loss, arms, share, { success: candidate, failure: 1 - candidate },
        { success: baseline, failure: 1 - baseline }
      )
      for (const each of both) assert.closeTo(each, candidate - baseline + loss, 1e-9)
    }
  })

  it("are within their bounds for every trial, and the bounds have both signs", () => {
    for (const arms of [nothing, known]) {
      for (const share of [0.02, 0.2, 0.5, 0.98, 1]) {
        for (const success of [0, 0.5, 1, null]) {
          for (const other of [0, 1, null]) {
            for (const ran of share === 1 ? ["both"] as const : ["candidate", "baseline"] as const) {
              const trial = { share, ran, candidate: success, baseline: other }
              for (const { highest, lowest, value } of scoresWithin(0.05, arms, trial)) {
                assert.isAtLeast(value, lowest - 1e-12)
                assert.isAtMost(value, highest + 1e-12)
                assert.isBelow(lowest, 0)
                assert.isAbove(highest, 0)
              }
            }
          }
        }
      }
    }
  })

  const least = (both: readonly [number, number]): number => Math.min(...both)

  it("are not both above 0 where a candidate beyond the loss has its failures left out", () => {
    const [candidate, baseline] = [0.7, 0.8]
    const kept = expected(0.05, known, 0.2, { success: candidate, failure: 0 }, { success: baseline, failure: 0 })
    assert.isBelow(least(kept), 0)
  })

  it("are not both above 0 where a baseline is not run, and so not reported, as often", () => {
    const baseline = { success: 0.5 * 0.9, failure: 0.5 * 0.1 }
    assert.isBelow(least(expected(0.05, known, 0.2, { success: 0.8, failure: 0.2 }, baseline)), 0)
  })

  it("are both above 0 where an equal candidate is reported as often", () => {
    const half = { success: 0.4, failure: 0.1 }
    assert.isAbove(least(expected(0.05, known, 0.2, half, half)), 0)
  })

  it("count a trial, its report, and its success", () => {
    assert.deepStrictEqual(withTrial(noTrials, 0.5), { trials: 1, reports: 1, successes: 0.5 })
    assert.deepStrictEqual(withTrial(noTrials, null), { trials: 1, reports: 0, successes: 0 })
  })
})
