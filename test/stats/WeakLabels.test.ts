import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { bounded, minus, nothing, taught, weightOf } from "../../src/stats/WeakLabels.ts"

const weightOf100 = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const share = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const given = { weight: weightOf100, rate: share, weakWeight: weightOf100, weakRate: share, max: weightOf100 }

it.prop("a bound leaves trusted labels and the rate of weak ones, which weigh no more than it", given, (of) => {
  const all = {
    weight: of.weight, success: of.weight * of.rate, weakWeight: of.weakWeight, weakSuccess: of.weakWeight * of.weakRate
  }
  const within = bounded(all, of.max)
  assert.strictEqual(within.weight, all.weight)
  assert.strictEqual(within.success, all.success)
  assert.strictEqual(within.weakWeight, Math.min(all.weakWeight, of.max))
  assert.closeTo(within.weakSuccess, within.weakWeight * of.weakRate, 1e-9)
  assert.deepStrictEqual(bounded(within, of.max), within)
  assert.strictEqual(taught(within).weight, weightOf(within))
})

it("a hundred of a judge's labels beside ten of a gate's count as four", () => {
  const all = { weight: 10, success: 5, weakWeight: 60, weakSuccess: 45 }
  assert.deepStrictEqual(taught(bounded(all, 4)), { weight: 14, success: 8 })
  assert.deepStrictEqual(minus(all, all), nothing)
})
