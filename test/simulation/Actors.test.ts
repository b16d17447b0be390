import { assert, it } from "@effect/vitest"
import { defaults } from "../../src/engine/Settings.ts"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import { backOffForActor, withoutMajority } from "../../src/stats/Actors.ts"
import { generator, normal } from "../../src/stats/Generator.ts"

/*
 * Two users of a model. The model's success rate is drawn from its prior, of mean 0.69; the users' rates from a Beta
 * distribution of standard deviation 0.2 around that. One user in ten reports failures alone: its check is broken. The
 * first user has reported n outcomes, and the second asks for the first time.
 */

const prior = 0.69
const actorSpread = 0.2
const brokenShare = 0.1
const draws = 10_000

const random = generator(44)

/** Draws by Marsaglia and Tsang's method; below 1 by a power of a uniform number. */
const gamma = (shape: number): number => {
  if (shape < 1) return gamma(shape + 1) * random() ** (1 / shape)
  const d = shape - 1 / 3
  for (;;) {
    const x = normal(random)
    const v = (1 + x / Math.sqrt(9 * d)) ** 3
    if (v > 0 && Math.log(1 - random()) < x * x / 2 + d * (1 - v + Math.log(v))) return d * v
  }
}
const beta = (mean: number, strength: number): number => {
  const [a, b] = [gamma(mean * strength), gamma((1 - mean) * strength)]
  return a / (a + b)
}
const rateAround = (mean: number): number =>
  beta(mean, Math.max(0.5, mean * (1 - mean) / actorSpread ** 2 - 1))

/** Mean squared error of what the second user is told, for each most that the first user's outcomes count. */
const errorsOf = (strength: number, outcomes: number, mosts: ReadonlyArray<number>): ReadonlyArray<number> => {
  const errors = mosts.map(() => 0)
  for (let draw = 0; draw < draws; draw++) {
    const mean = Math.min(0.99, Math.max(0.01, beta(prior, strength)))
    const [first, second] = [random() < brokenShare ? 0.02 : rateAround(mean), rateAround(mean)]
    let success = 0
    for (let i = 0; i < outcomes; i++) if (random() < first) success++
    const all = { weight: outcomes, success }
    mosts.forEach((most, i) => {
      const parts = { own: { weight: 0, success: 0 }, others: withoutMajority(all, all, most) }
      const told = backOffForActor({ mean: prior, sampleSize: strength }, strength, parts, defaults.actorRule).mean
      errors[i] = errors[i]! + (told - second) ** 2 / draws
    })
  }
  return errors
}

it("a lone user's outcomes predict another one's best when they count as two at most", () => {
  const mosts = [0.5, 1, memorySettings.loneActorMax, 4, 8, Infinity]
  const sums = mosts.map(() => 0)
  for (const strength of [defaults.priorStrengthImputed, defaults.priorStrengthMeasured]) {
    for (const outcomes of [1, 4, 20, 100]) {
      errorsOf(strength, outcomes, mosts).forEach((error, i) => sums[i] = sums[i]! + error)
    }
  }
  const [, , bounded, , , whole] = sums
  const figures = sums.map((sum) => sum.toFixed(3)).join(" ")
  // 0.456 0.451 0.448 0.451 0.468 0.610
  assert.strictEqual(bounded, Math.min(...sums), figures)
  assert.isAbove(whole!, 1.3 * bounded!, figures)
})
