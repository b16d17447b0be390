import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Beta, mean, prior } from "../../src/stats/Beta.ts"
import { normalBelow, normalQuantile } from "../../src/stats/Normal.ts"
import { beliefOf, informationOf, type Round, roundsMax, tellRule, verdictsNeeded } from "../../src/stats/VerdictsNeeded.ts"

const believed = (successes: number, count: number, before?: Beta): Beta => beliefOf({ successes, count }, before)

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 500 }))
const rounds: ReadonlyArray<Round> = ["separate", "paired", "second"]

it("the 95 % quantile of the normal distribution is 1.645, and half of it lies below 0", () => {
  assert.closeTo(normalQuantile(0.95), 1.6449, 4.5e-4)
  for (const p of [0.5, 0.7, 0.9, 0.99, 0.999]) assert.closeTo(normalBelow(normalQuantile(p)), p, 2e-4)
})

describe("verdicts needed", () => {
  it("are 85 of each model after 8 successes of 10 each, and 55 of each where both run each task", () => {
    const alike = believed(8, 10, prior(0.75, 10))
    assert.strictEqual(verdictsNeeded(alike, alike, "separate"), 85)
    assert.strictEqual(verdictsNeeded(alike, alike, "paired"), 55)
  })

  it("are none where the difference lies clear of 0, or is known to be small", () => {
    assert.strictEqual(verdictsNeeded(believed(95, 100), believed(50, 100), "separate"), 0)
    assert.strictEqual(verdictsNeeded(believed(8_000, 10_000), believed(8_010, 10_000), "separate"), 0)
  })

  it("are as many as a fixed difference takes where the verdicts to come cannot move it", () => {
    // One model is known, and so is nearly the other: z² v / (d + tolerance)² = 1.645² (0.16 + 0.16) / 0.0025.
    const rule = { ...tellRule, assurance: 0.999 }
    const known = 1 / informationOf(tellRule.tolerance, 2 * 0.16) * informationOf(normalQuantile(0.95), 1)
    assert.closeTo(known, 346, 1)
    const named = verdictsNeeded(believed(80, 100), believed(80, 100), "separate", rule) ?? assert.fail("not in sight")
    assert.isAtMost(named, known)
    assert.isAtLeast(named, known - 110)
  })

  it("are told of a model that has no outcome by its prior, and by its own verdicts alone", () => {
    const usual = believed(240, 300)
    const untried = believed(0, 0, prior(0.75, 10))
    const alone = verdictsNeeded(usual, untried, "second") ?? assert.fail("not in sight")
    assert.isAbove(alone, 10)
    assert.isBelow(alone, 80)
    assert.isAtLeast(alone, verdictsNeeded(usual, untried, "separate") ?? Infinity)
  })

  it("are not in sight where the other model stays unknown, or the tolerance is tiny", () => {
    assert.isNull(verdictsNeeded(prior(0.75, 10), prior(0.75, 10), "second"))
    const strict = { ...tellRule, tolerance: 1e-4 }
    assert.isNull(verdictsNeeded(believed(800, 1_000), believed(800, 1_000), "separate", strict))
  })

  it("are fewer, the more difficulty two models share in pairs, else as many as apart", () => {
    const one = believed(24, 30)
    const other = believed(22, 30)
    const paired = [0, 1, 2, 4].map((spread) => verdictsNeeded(one, other, "paired", tellRule, spread) ?? Infinity)
    assert.strictEqual(paired[0], verdictsNeeded(one, other, "separate"))
    for (let at = 1; at < paired.length; at++) assert.isBelow(paired[at]!, paired[at - 1]!)
  })

  it.prop("are the same whichever model comes first, and whether successes or failures are counted", {
    one: Share, other: Share, count: Count, others: Count
  }, ({ count, one, other, others }) => {
    const first = believed(one * count, count)
    const second = believed(other * others, others)
    const turned = ({ alpha, beta }: Beta): Beta => ({ alpha: beta, beta: alpha })
    for (const round of ["separate", "paired"] as const) {
      const named = verdictsNeeded(first, second, round)
      assert.strictEqual(verdictsNeeded(second, first, round), named)
      const ofFailures = verdictsNeeded(turned(first), turned(second), round)
      assert.isAtMost(Math.abs((ofFailures ?? Infinity) - (named ?? Infinity)) || 0, 1)
    }
  })

  it.prop("are a count up to the most, or not in sight, and no fewer for more confidence", {
    one: Share, other: Share, count: Count, others: Count
  }, ({ count, one, other, others }) => {
    for (const round of rounds) {
      const [less, more] = [0.9, 0.99].map((confidence) =>
        verdictsNeeded(believed(one * count, count), believed(other * others, others), round, { ...tellRule, confidence }))
      if (less !== null) assert.isTrue(Number.isInteger(less) && less! >= 0 && less! <= roundsMax)
      assert.isAtLeast(more ?? Infinity, less ?? Infinity)
    }
  })

  it.prop("a belief lies between its prior and its verdicts", { share: Share, count: Count, before: Share }, ({ before, count, share }) => {
    const start = 0.01 + 0.98 * before
    const then = mean(believed(share * count, count, prior(start, 10)))
    assert.isAtLeast(then, Math.min(start, share) - 1e-12)
    assert.isAtMost(then, Math.max(start, share) + 1e-12)
  })
})
