import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { drift } from "../../src/stats/Drift.ts"

const Residual = Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))
const Small = Schema.Finite.check(Schema.isBetween({ minimum: -0.25, maximum: 0.25 }))

const times = (count: number, residual: number): ReadonlyArray<number> =>
  Array.from({ length: count }, () => residual)

// Each failure at a prediction of 0.75 adds 0.5: four reach 2, the fifth passes it.
it("five failures in a row at 0.75 are drift, four are not", () => {
  assert.strictEqual(drift(times(4, -0.75)), null)
  assert.strictEqual(drift(times(5, -0.75)), "below")
})

it("steady success where failure was predicted is drift the other way", () => {
  assert.strictEqual(drift(times(6, 0.75)), "above")
})

it("a model that breaks late is noticed however long it was fine", () => {
  assert.strictEqual(drift([...times(500, 0.1), ...times(16, -0.9)]), "below")
})

it("a model that breaks and is then avoided is noticed by its nine bad outcomes, not by four", () => {
  assert.strictEqual(drift([...times(100, 0.2), ...times(9, -0.75)]), "below")
  assert.strictEqual(drift([...times(100, 0.2), ...times(4, -0.75)]), null)
})

it("a drift that has ended is no longer reported", () => {
  assert.strictEqual(drift([...times(20, -0.75), ...times(40, 0.25)]), null)
})

it("a model without outcomes has no drift", () => {
  assert.strictEqual(drift([]), null)
})

it.prop("residuals inside the slack never are drift", { residuals: Schema.Array(Small) }, ({ residuals }) => {
  assert.strictEqual(drift(residuals), null)
})

it.prop("mirrored residuals drift the other way", { residuals: Schema.Array(Residual) }, ({ residuals }) => {
  const mirror = { above: "below", below: "above" } as const
  const side = drift(residuals)
  assert.strictEqual(drift(residuals.map((residual) => -residual)), side === null ? null : mirror[side])
})
