import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { logBeta, logGamma, regularisedBeta } from "../../src/stats/IncompleteBeta.ts"

const Inside = Schema.Finite.check(Schema.isBetween({ minimum: 0.001, maximum: 0.999 }))
const Count = Schema.Finite.check(Schema.isBetween({ minimum: 0.05, maximum: 500 }))

const area = (x: number, alpha: number, beta: number) =>
  regularisedBeta(x, 1 - x, alpha, beta, logBeta(alpha, beta))

it("gamma is the factorial, and the root of pi at one half", () => {
  assert.closeTo(logGamma(6), Math.log(120), 1e-12)
  assert.closeTo(logGamma(0.5), Math.log(Math.sqrt(Math.PI)), 1e-12)
})

it("the complete beta function of 2 and 3 is 1/12", () => {
  assert.closeTo(Math.exp(logBeta(2, 3)), 1 / 12, 1e-14)
})

it("Beta(2, 2) below 1/4 holds 3x^2 - 2x^3 = 0.15625", () => {
  assert.closeTo(area(0.25, 2, 2), 0.15625, 1e-14)
})

it("nothing lies below 0 and everything below 1", () => {
  assert.strictEqual(area(0, 3, 4), 0)
  assert.strictEqual(area(1, 3, 4), 1)
})

it.prop("with one imaginary failure the area is a power", { x: Inside, alpha: Count }, ({ x, alpha }) => {
  assert.closeTo(area(x, alpha, 1), x ** alpha, 1e-11)
})

it.prop("both tails add up to one", { x: Inside, alpha: Count, beta: Count }, ({ x, alpha, beta }) => {
  assert.closeTo(area(x, alpha, beta) + area(1 - x, beta, alpha), 1, 1e-10)
})
