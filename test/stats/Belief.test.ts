import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Belief from "../../src/stats/Belief.ts"
import { generator } from "../../src/stats/Generator.ts"
import { logit, sigmoid } from "../../src/stats/Logit.ts"

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 0.99 }))
const Deviation = Schema.Finite.check(Schema.isBetween({ minimum: 0.05, maximum: 2 }))

it("a rate is as likely above its own centre as below", () => {
  assert.closeTo(Belief.chanceOf(Belief.of(0.7, 0.5), 0.7), 0.5, 1e-12)
  assert.isAbove(Belief.chanceOf(Belief.of(0.8, 0.3), 0.7), 0.9)
})

it("a known rate is certain, and its shortfall is its distance from the bar", () => {
  const known = Belief.of(0.6, 0)
  assert.deepStrictEqual([Belief.chanceOf(known, 0.59), Belief.chanceOf(known, 0.61)], [1, 0])
  assert.strictEqual(Belief.shortfall(known, 0.5), 0)
  assert.closeTo(Belief.shortfall(known, 0.61), 0.01, 1e-4)
})

it("chance and shortfall are those of draws from the distribution", () => {
  const uniform = generator(11)
  const self = Belief.of(0.78, 0.4)
  const bar = 0.735
  const draws = Array.from({ length: 200_000 }, () => {
    const u = Math.min(1 - 1e-12, Math.max(1e-12, uniform()))
    return self.logit + self.scale * Math.log(u / (1 - u))
  })
  const share = draws.filter((x) => sigmoid(x) >= bar).length / draws.length
  assert.closeTo(Belief.chanceOf(self, bar), share, 0.005)
  const below = draws.reduce((sum, x) => sum + Math.max(0, logit(bar) - x), 0) / draws.length
  assert.closeTo(Belief.shortfall(self, bar), below * bar * (1 - bar), 0.001)
})

it.prop("a higher bar is never likelier reached, and never nearer", {
  mean: Rate, deviation: Deviation, bar: Rate, other: Rate
}, ({ bar, deviation, mean, other }) => {
  const self = Belief.of(mean, deviation)
  const [low, high] = [Math.min(bar, other), Math.max(bar, other)]
  assert.isAtLeast(Belief.chanceOf(self, low), Belief.chanceOf(self, high))
  const inLogits = (at: number) => Belief.shortfall(self, at) / (at * (1 - at))
  assert.isAtMost(inLogits(low), inLogits(high) + 1e-12)
  assert.isAtLeast(Belief.shortfall(self, low), 0)
})
