import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Beta from "../../src/stats/Beta.ts"
import { logBeta, regularisedBeta } from "../../src/stats/IncompleteBeta.ts"

const between = (minimum: number, maximum: number) =>
  Schema.Finite.check(Schema.isBetween({ minimum, maximum }))
const Count = between(0.05, 2_000)

const area = (x: number, { alpha, beta }: Beta.Beta) =>
  regularisedBeta(x, 1 - x, alpha, beta, logBeta(alpha, beta))

it("a distribution of a mean and a sample size has that mean, at the edges too", () => {
  assert.deepStrictEqual(Beta.ofMean(0.75, 8), { alpha: 6, beta: 2 })
  assert.strictEqual(Beta.mean(Beta.ofMean(1, 5)), 1)
  assert.strictEqual(Beta.mean(Beta.ofMean(0, 5)), 0)
  assert.closeTo(Beta.mean(Beta.ofMean(0.3, 0)), 0.3, 1e-12)
})

it("Beta(1, 3) has a variance of 3/80, as its mean and its sample size say", () => {
  assert.closeTo(Beta.variance({ alpha: 1, beta: 3 }), 3 / 80, 1e-15)
  assert.closeTo(Beta.varianceOf(1 / 4, 4), 3 / 80, 1e-15)
})

// Beta(1, 3) by hand: 1 - (1 - x)^3 = 0.025. The arcsine law Beta(1/2, 1/2): x = sin^2(pi p / 2). Others:
// SciPy 1.x.
it("intervals agree with closed forms and published tables", () => {
  const known: ReadonlyArray<readonly [number, number, number, number]> = [
    [1, 1, 0.025, 0.975],
    [2, 2, 0.0942993241, 0.9057006759],
    [1, 3, 1 - 0.975 ** (1 / 3), 1 - 0.025 ** (1 / 3)],
    [0.5, 0.5, Math.sin(Math.PI * 0.0125) ** 2, Math.sin(Math.PI * 0.4875) ** 2],
    [10, 5, 0.4189647428, 0.8724015701],
    [700, 3, 0.98974665, 0.99911783]
  ]
  for (const [alpha, beta, low, high] of known) {
    const interval = Beta.interval95({ alpha, beta })
    assert.closeTo(interval.low, low, 1e-8)
    assert.closeTo(interval.high, high, 1e-8)
  }
})

const width95 = (self: Beta.Beta): number => {
  const { high, low } = Beta.interval95(self)
  return high - low
}

it("the interval is finite and ordered for counts that no posterior should have", () => {
  const odd = [0, 1e-300, 1e-6, 0.001, 1, 1e6, 1e15, Number.MAX_VALUE, Infinity, NaN, -1]
  for (const alpha of odd) {
    for (const beta of odd) {
      const { low, high } = Beta.interval95({ alpha, beta })
      assert.isTrue(0 <= low && low <= high && high <= 1, `${alpha}, ${beta}: ${low} to ${high}`)
    }
  }
})

it.prop("each end of the interval leaves 2.5 % outside", { alpha: Count, beta: Count }, (self) => {
  const { low, high } = Beta.interval95(self)
  if (low > 1e-9) assert.closeTo(area(low, self), 0.025, 1e-7)
  if (high < 1 - 1e-9) assert.closeTo(area(high, self), 0.975, 1e-7)
})

it.prop("success and failure are mirror images", { alpha: Count, beta: Count }, ({ alpha, beta }) => {
  const there = Beta.interval95({ alpha, beta })
  const back = Beta.interval95({ alpha: beta, beta: alpha })
  assert.closeTo(there.low, 1 - back.high, 1e-12)
  assert.closeTo(there.high, 1 - back.low, 1e-12)
})

const Shaped = between(1, 1_000)

it.prop("ten times the evidence narrows the interval", { alpha: Shaped, beta: Shaped }, ({ alpha, beta }) => {
  assert.isBelow(width95({ alpha: alpha * 10, beta: beta * 10 }), width95({ alpha, beta }))
})
