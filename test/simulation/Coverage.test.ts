import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type Coverage, coverage } from "./coverage.ts"
import { argmin, epsilonSoftmax } from "./world.ts"

/** Worlds are played once for all tests of a description; on a busy machine that takes its time. */
const patience = 180_000

const played = (worlds: number, options: Parameters<typeof coverage>[1]) => {
  let all: ReadonlyArray<Coverage> = []
  beforeAll(() => {
    all = coverage(worlds, options)
  }, patience)
  return () => all
}
const named = (all: ReadonlyArray<Coverage>, policy: string): Coverage =>
  all.find((each) => each.policy === policy) ?? assert.fail(`no ${policy}`)
const estimated = (all: ReadonlyArray<Coverage>) => all.filter(({ policy }) => policy !== "regret")

describe("with the service's own exploration, over 100 worlds of 1,000 decisions", () => {
  const all = played(100, { rows: 1000, logging: epsilonSoftmax(0.03) })

  it("the intervals of every policy and of the lift contain the truth in at least 90 %", () => {
    assert.strictEqual(estimated(all()).length, 16)
    for (const { covered, policy } of estimated(all())) assert.isAtLeast(covered, 0.9, policy)
  })

  it("estimates are right on average, to 0.03 where nothing was ever drawn, to 0.015 elsewhere", () => {
    // Where a success is worth least, the cheapest is picked almost everywhere.
    const undrawn = ["always-cheapest", "value at place 0"]
    for (const { bias, policy } of estimated(all())) {
      assert.isBelow(Math.abs(bias), undrawn.includes(policy) ? 0.03 : 0.015, policy)
    }
  })

  it("intervals are narrow where the log has data, and wide where it has none", () => {
    assert.isBelow(named(all(), "cheapest-eligible").width, 0.06)
    assert.isAbove(named(all(), "always-premium").width, 0.1)
  })

  it("an estimate without data in the log is not called doubly robust", () => {
    assert.strictEqual(named(all(), "cheapest-eligible").basis, "doubly-robust")
    assert.strictEqual(named(all(), "always-cheapest").basis, "partly-model-based")
  })

  it("estimated costs equal the bills to within 3 %", () => {
    for (const { costBias, policy } of estimated(all())) assert.isBelow(Math.abs(costBias), 0.03, policy)
  })

  it("the regret against the oracle is no larger than the true one", () => {
    assert.isBelow(named(all(), "regret").bias, 0.005)
    assert.isAbove(named(all(), "regret").bias, -0.06)
  })
})

describe("with callers who overrule the advice, more in some clusters than in others", () => {
  const all = played(40, {
    rows: 1000,
    logging: epsilonSoftmax(0.03),
    override: (cluster) => 0.1 + cluster * 0.1
  })

  it("the intervals hold the truth in at least 90 % of 40 worlds", () => {
    for (const { covered, policy } of estimated(all())) assert.isAtLeast(covered, 0.9, policy)
  })

  it("advice that was not followed has a cost, too", () => {
    for (const { costBias, policy } of estimated(all())) assert.isBelow(Math.abs(costBias), 0.03, policy)
  })
})

describe("where nothing is ever explored", () => {
  const all = played(40, { rows: 1000, logging: argmin })

  it("the estimate of the deployed policy equals its outcomes", () => {
    const { basis, covered } = named(all(), "cheapest-eligible")
    assert.strictEqual(basis, "doubly-robust")
    assert.isAtLeast(covered, 0.9)
  })

  it("other policies are labelled as model-based, and their intervals hold the truth here", () => {
    for (const policy of ["always-premium", "always-cheapest", "slider-0", "slider-10"]) {
      assert.strictEqual(named(all(), policy).basis, "partly-model-based")
      assert.isAtLeast(named(all(), policy).covered, 0.9, policy)
    }
  })
})

describe("with a difficulty that the dear models' predictions do not see", () => {
  const options = { rows: 3000, hiddenDifficulty: 2 }
  const never = played(20, { ...options, logging: argmin })
  const explored = played(20, { ...options, logging: epsilonSoftmax(0.1) })

  it("a log without exploration overestimates cheap models, and only the label shows it", () => {
    const { basis, bias } = named(never(), "slider-10")
    assert.isBelow(bias, -0.01)
    assert.strictEqual(basis, "partly-model-based")
  })

  it("exploring one pick in ten repairs the estimate and its interval", () => {
    const { basis, bias, covered } = named(explored(), "slider-10")
    assert.isBelow(Math.abs(bias), 0.008)
    assert.isAtLeast(covered, 0.9)
    assert.strictEqual(basis, "doubly-robust")
  })

  it("exploring costs no success and under a tenth of the bill: no pick is below the threshold", () => {
    const [before, after] = [named(never(), "deployed"), named(explored(), "deployed")]
    assert.isBelow(Math.abs(after.truth - before.truth), 0.01)
    assert.isBelow(after.costUsd / before.costUsd, 1.1)
  })
})
