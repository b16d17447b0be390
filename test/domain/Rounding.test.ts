import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Rounding from "../../src/domain/Rounding.ts"
import { decimalsOf, digitsOf } from "../support/digits.ts"

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Amount = Schema.Finite.check(Schema.isBetween({ minimum: -1e9, maximum: 1e9 }))

describe("a rounded probability", () => {
  it.prop("has at most six digits and is within half a step", { share: Share }, ({ share }) => {
    const rounded = Rounding.probability(share)
    assert.isAtMost(digitsOf(rounded), 6)
    assert.isAtMost(decimalsOf(rounded), 6)
    const isInside = share > 0 && share < 1
    assert.isAtMost(Math.abs(rounded - share), isInside ? 1e-6 : 0)
    if (share >= 1e-6 && share <= 1 - 1e-6) assert.isAtMost(Math.abs(rounded - share), 0.5e-6 + 1e-15)
    assert.strictEqual(Rounding.probability(rounded), rounded)
  })

  it.prop("keeps the order", { one: Share, other: Share }, ({ one, other }) => {
    const [low, high] = one <= other ? [one, other] : [other, one]
    assert.isAtMost(Rounding.probability(low), Rounding.probability(high))
  })

  it("is never certain unless it was", () => {
    assert.deepStrictEqual([0, 1e-12, 1 - 1e-12, 1].map(Rounding.probability), [0, 1e-6, 0.999999, 1])
  })

  it.prop("from a share is never below it", { share: Share }, ({ share }) => {
    const rounded = Rounding.probabilityFrom(share)
    assert.isAtLeast(rounded, share)
    assert.isAtMost(rounded, Math.min(1, share + 1e-6))
    assert.isAtMost(decimalsOf(rounded), 6)
  })

  it("from a share with few decimals is that share", () => {
    assert.deepStrictEqual([0, 0.55, 0.735, 0.92, 1].map(Rounding.probabilityFrom), [0, 0.55, 0.735, 0.92, 1])
  })
})

describe("a rounded amount", () => {
  it.prop("has at most twelve decimals", { amount: Amount }, ({ amount }) => {
    const rounded = Rounding.usd(amount)
    assert.isAtMost(decimalsOf(rounded), 12)
    assert.isAtMost(Math.abs(rounded - amount), Math.max(0.5e-12, Math.abs(amount) * 1e-12))
    assert.strictEqual(Rounding.usd(rounded), rounded)
  })

  it.prop("keeps the order", { one: Amount, other: Amount }, ({ one, other }) => {
    const [low, high] = one <= other ? [one, other] : [other, one]
    assert.isAtMost(Rounding.usd(low), Rounding.usd(high))
  })

  it("of a sum has no trace of binary fractions", () => {
    assert.strictEqual(Rounding.usd(0.1 + 0.2), 0.3)
    assert.strictEqual(Rounding.usd(0.000001 + 0.0000002), 0.0000012)
  })
})

describe("a rounded figure", () => {
  it.prop("has at most six significant digits, or is whole", { value: Amount }, ({ value }) => {
    const rounded = Rounding.figure(value)
    if (!Number.isInteger(rounded) && Math.abs(value) > 1e-15) assert.isAtMost(digitsOf(rounded), 6)
    assert.isAtMost(Math.abs(rounded - value), Math.max(5e-23, 5e-6 * Math.abs(value)))
    assert.strictEqual(Rounding.figure(rounded), rounded)
  })

  it("keeps whole numbers and the digits of small ones", () => {
    assert.deepStrictEqual(
      [1_234_567, 1234.56789, -0.000123456789, 0].map(Rounding.figure),
      [1_234_567, 1234.57, -0.000123457, 0]
    )
  })
})
