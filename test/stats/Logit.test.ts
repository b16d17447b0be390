import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { logit, sigmoid } from "../../src/stats/Logit.ts"

const Inside = Schema.Finite.check(Schema.isBetween({ minimum: 1e-6, maximum: 1 - 1e-6 }))

it("odds of three to one have the logit log 3", () => {
  assert.closeTo(logit(0.75), Math.log(3), 1e-12)
  assert.closeTo(sigmoid(Math.log(3)), 0.75, 1e-12)
})

it("certainty has a finite logit", () => {
  assert.closeTo(logit(1), 20.723, 0.001)
  assert.closeTo(logit(0), -20.723, 0.001)
})

it("the sigmoid saturates instead of overflowing", () => {
  assert.strictEqual(sigmoid(1e6), 1)
  assert.strictEqual(sigmoid(-1e6), 0)
  assert.strictEqual(sigmoid(0), 0.5)
})

it.prop("the sigmoid undoes the logit", { p: Inside }, ({ p }) => {
  assert.closeTo(sigmoid(logit(p)), p, 1e-9)
})
