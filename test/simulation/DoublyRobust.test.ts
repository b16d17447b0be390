import { assert, describe, it } from "@effect/vitest"
import { outcomeColumns } from "../reports/reference/OutcomeColumns.ts"
import { isReconciled } from "../reports/reference/Reconciled.ts"
import { percentile95, resample } from "../../src/stats/Bootstrap.ts"
import { replicates, worth } from "../../src/stats/DoublyRobust.ts"
import { type Evidence, evidenceOf } from "../../src/stats/LogEvidence.ts"
import { crossFit } from "../../src/stats/OutcomeModel.ts"
import { cheapestAt } from "../../src/stats/PolicyRules.ts"
import { ofRules } from "../../src/stats/PolicySums.ts"
import { statisticsByFold } from "../../src/stats/SufficientStatistics.ts"
import { policyValue } from "../reports/reference/PolicyValue.ts"
import { truthsOf } from "./truths.ts"
import { argmin, epsilonSoftmax, type LogOptions, logOf, makeWorld, type WorldOptions } from "./world.ts"

/** Explores enough, and evenly, for the weights alone to carry an estimate. */
const often = epsilonSoftmax(0.6, 1)
const policy = "slider-10"
const threshold = 0.92

/** Mean errors over worlds of each estimate of one policy, the evidence broken on purpose. */
const errorsWhen = (
  breakIt: (evidence: Evidence) => Evidence,
  options: Partial<WorldOptions> & Partial<LogOptions> = {}
) => {
  const worlds = 40
  let [robust, direct, ips, covered] = [0, 0, 0, 0]
  for (let seed = 1; seed <= worlds; seed++) {
    const world = makeWorld({ ...options, seed })
    const rows = logOf(world, { rows: 1000, logging: often, ...options })
    const { log } = outcomeColumns(rows.filter(isReconciled))
    const evidence = breakIt(evidenceOf(log, crossFit(log, statisticsByFold(log))))
    const sums = ofRules(evidence, [cheapestAt(threshold)])[0]!
    const value = worth(sums)
    const { high, low } = percentile95(replicates(sums, resample(log.blocks)))
    const truth = truthsOf(world, often, null).policies.get(policy)!.success
    robust += Math.abs((value.doublyRobust ?? NaN) - truth) / worlds
    direct += Math.abs((value.direct ?? NaN) - truth) / worlds
    ips += Math.abs((value.inversePropensity ?? NaN) - truth) / worlds
    if (low <= truth && truth <= high) covered += 1 / worlds
  }
  return { robust, direct, ips, covered }
}

describe("the doubly robust estimate", () => {
  it("is right when the outcome model is wrong and the propensities are right", () => {
    const { covered, direct, robust } = errorsWhen((evidence) =>
      ({ ...evidence, mean: evidence.mean.map(() => 0.4) }))
    assert.isAbove(direct, 0.3)
    assert.isBelow(robust, 0.04)
    assert.isAtLeast(covered, 0.85)
  })

  it("is right when the propensities are wrong and the outcome model is right", () => {
    const { covered, ips, robust } = errorsWhen((evidence) => ({
      ...evidence,
      chance: evidence.chance.map((chance) => chance === 0 ? 0 : chance > 0.3 ? 0.02 : 1)
    }))
    assert.isAbove(ips, 2 * robust)
    assert.isBelow(robust, 0.03)
    assert.isAtLeast(covered, 0.85)
  })

  it("is wrong when both are wrong", () => {
    const { robust } = errorsWhen((evidence) => ({
      ...evidence,
      mean: evidence.mean.map((_, candidate) => candidate % 2 === 0 ? 0.1 : 0.9),
      chance: evidence.chance.map((chance) => chance === 0 ? 0 : chance > 0.3 ? 0.02 : 1)
    }))
    assert.isAbove(robust, 0.03)
  })
})

describe("the routing lift", () => {
  const liftOf = (rows: ReturnType<typeof logOf>) => {
    const { routingLift, routingLiftHigh, routingLiftLow } = policyValue(rows)
    return { lift: routingLift ?? NaN, low: routingLiftLow ?? NaN, high: routingLiftHigh ?? NaN }
  }

  it("of a picker that always picks the same model is exactly 0", () => {
    const constant = makeWorld({ seed: 9 })
    const rows = logOf(constant, {
      rows: 500,
      logging: ({ candidates }) => candidates.map(({ modelId }) => modelId === "premium" ? 1 : 0)
    })
    const { high, lift, low } = liftOf(rows)
    assert.strictEqual(lift, 0)
    // Rounding alone.
    assert.closeTo(low, 0, 1e-12)
    assert.closeTo(high, 0, 1e-12)
  })

  it("of a picker that routes is above 0, and so is its interval", () => {
    const world = makeWorld({ seed: 9, structure: 1.5 })
    const { lift, low } = liftOf(logOf(world, { rows: 4000, logging: often }))
    assert.isAbove(lift, 0.03)
    assert.isAbove(low, 0)
  })

  it("of shuffled labels is about 0, up to the weight of the predictions, which decreases with n", () => {
    let sum = 0
    for (let seed = 1; seed <= 10; seed++) {
      const rows = logOf(makeWorld({ seed }), { rows: 3000, logging: argmin })
      // Every row takes the label of another: the 389th after it.
      const shuffled = rows.map((row, index) => {
        const outcome = rows[(index + 389) % rows.length]?.feedback?.outcome ?? "failure"
        return { ...row, feedback: row.feedback === null ? null : { ...row.feedback, outcome } }
      })
      const { high, lift, low } = liftOf(shuffled)
      assert.isAtMost(low, 0.01)
      assert.isAtLeast(high, -0.01)
      sum += lift / 10
    }
    assert.isBelow(Math.abs(sum), 0.015)
  })
})
