import { assert, describe, it } from "@effect/vitest"
import { percentile95, resample } from "../../src/stats/Bootstrap.ts"
import { replicates, worth } from "../../src/stats/DoublyRobust.ts"
import { type Evidence, ofSuccess } from "../../src/stats/LogEvidence.ts"
import { ofDeal, ofDeployed, ofRules, type PolicySums } from "../../src/stats/PolicySums.ts"
import { logOf, type Row, times } from "./log.ts"

/** Everybody follows, and the outcome model says the prediction. */
const evidenceOf = (rows: ReadonlyArray<Row>): Evidence => {
  const log = logOf(rows)
  return {
    log,
    spread: ofSuccess,
    mean: Float32Array.from(log.prediction),
    unsure: new Float32Array(log.model.length).fill(0.1),
    costUsd: log.costUsd,
    chance: Float64Array.from(log.model, (_, at) => {
      const row = log.first.findLastIndex((first) => first <= at)
      const propensity = log.propensity[row]!
      return at === log.recommended[row] ? propensity : log.isEligible[at]! * (1 - propensity)
    })
  }
}
/** The candidate at a position of every row; -1 picks nothing. */
const always = (evidence: Evidence, position: number): PolicySums =>
  ofRules(evidence, [(log, row) => position < 0 ? -1 : log.first[row]! + position])[0]!
const first = (evidence: Evidence) => always(evidence, 0)
const pair = [[0, 0.5, 1], [1, 0.75, 4]] as const

describe("the estimated value of a policy", () => {
  // Weights 1 / 0.8 and 1 / 0.2 on a success and a failure; the third row ran the other model.
  it("equals a calculation by hand for three rows, of which two match the policy", () => {
    const value = worth(first(evidenceOf([
      { candidates: pair, propensity: 0.8, success: 1 },
      { candidates: pair, propensity: 0.2, success: 0 },
      { candidates: pair, propensity: 0.8, recommended: 1, success: 1 }
    ])))
    assert.strictEqual(value.rows, 3)
    assert.strictEqual(value.direct, 0.5)
    assert.strictEqual(value.supportedShare, 1)
    assert.strictEqual(value.matched, 2)
    assert.strictEqual(value.costUsd, 1)
    assert.closeTo(value.inversePropensity ?? NaN, 1.25 / 6.25, 1e-12)
    const sample = 6.25 ** 2 / (1.25 ** 2 + 5 ** 2)
    assert.closeTo(value.effectiveSampleSize, sample, 1e-12)
    // The weighted mean residual is (1.25 * 0.5 - 5 * 0.5) / 6.25 = -0.3, believed as sample : 10.
    assert.closeTo(value.doublyRobust ?? NaN, 0.5 - 0.3 * sample / (sample + 10), 1e-12)
  })

  it("is the outcome model's prediction alone where the log holds no pick of the policy", () => {
    const value = worth(always(evidenceOf(times(4, (): Row => ({ candidates: pair }))), 1))
    assert.deepInclude(value, { doublyRobust: 0.75, direct: 0.75, supportedShare: 0 })
    assert.isNull(value.inversePropensity)
  })

  it("is null where the policy judges no row", () => {
    const value = worth(always(evidenceOf(times(2, (): Row => ({ candidates: pair }))), -1))
    assert.deepInclude(value, { rows: 0, doublyRobust: null, direct: null, inversePropensity: null })
  })

  it("gives no weight to a row whose model the caller chose instead", () => {
    const value = worth(first(evidenceOf([{ candidates: pair, recommended: 1, ran: 0 }])))
    assert.strictEqual(value.effectiveSampleSize, 0)
  })
})

describe("dealing the recommended models at random to the same tasks", () => {
  it("is worth what the deployed policy is worth, where that always picked one model", () => {
    const evidence = evidenceOf(times(30, (row): Row => ({ candidates: pair, success: row % 2 })))
    const { costUsd, matched, ...ours } = worth(ofDeployed(evidence))
    assert.deepInclude(worth(ofDeal(evidence)), ours)
    assert.deepStrictEqual([costUsd, matched], [1, 30])
  })

  // Half the picks are either model, and the model says 0.5 and 0.75 of them on every task.
  it("is worth the mean of two models' predictions where no outcome corrects them", () => {
    const evidence = evidenceOf(times(30, (row): Row =>
      ({ candidates: pair, recommended: row % 2, ran: -1 })))
    assert.closeTo(worth(ofDeal(evidence)).doublyRobust ?? NaN, 0.625, 1e-12)
  })
})

describe("resampling", () => {
  it("draws every replicate anew and as many blocks as there are, the same for the same seed", () => {
    const { blocks, replicates: count, times: drawn } = resample(40, 50, 7)
    for (let replicate = 0; replicate < count; replicate++) {
      const own = drawn.subarray(replicate * blocks, (replicate + 1) * blocks)
      assert.strictEqual(own.reduce((sum, one) => sum + one, 0), 40)
    }
    assert.deepStrictEqual(resample(40, 50, 7), resample(40, 50, 7))
    assert.notDeepEqual(resample(40, 50, 8).times, drawn)
  })

  it("finds 25 and 975 as limits of the middle 95 % of 0 to 1000 in any order, and none of none", () => {
    const falling = Float64Array.from({ length: 1001 }, (_, i) => 1000 - i)
    assert.deepStrictEqual(percentile95(falling), { low: 25, high: 975 })
    assert.isNaN(percentile95(new Float64Array(0)).low)
  })

  it("of n rows of one candidate gives an interval as wide as that of a mean of n", () => {
    const evidence = evidenceOf(times(400, (row): Row => ({ candidates: [[0, 0.5, 1]], success: row % 2 })))
    const { high, low } = percentile95(replicates(first(evidence), resample(400, 2000)))
    assert.closeTo(high - low, 2 * 1.96 * 0.5 / 20, 0.012)
  })

  it("gives an estimate from the model alone an interval as wide as the model's uncertainty", () => {
    const evidence = evidenceOf(times(400, (): Row => ({ candidates: pair })))
    const { high, low } = percentile95(replicates(always(evidence, 1), resample(400, 2000)))
    assert.closeTo(high - low, 2 * 1.96 * 0.1, 0.03)
  })
})
