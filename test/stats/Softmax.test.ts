import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { draw, epsilonMix, tempered } from "../../src/stats/Softmax.ts"

const Score = Schema.Finite.check(Schema.isBetween({ minimum: -1e9, maximum: 1e9 }))
const Scores = Schema.Array(Score).check(Schema.isMinLength(1), Schema.isMaxLength(20))
const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Temperature = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

it("a score higher by the temperature is e times as likely", () => {
  const [low = NaN, high = NaN] = tempered([0.5, 0.6], 0.1)
  assert.closeTo(high / low, Math.E, 1e-9)
})

it("temperature 0 puts all probability on the best, half each on equals", () => {
  assert.deepStrictEqual(tempered([1, 2], 0), [0, 1])
  assert.deepStrictEqual(tempered([2, 2], 0), [0.5, 0.5])
  assert.deepStrictEqual(tempered([], 0.1), [])
})

it("epsilon 0.1 over even odds leaves the greedy pick 0.95", () => {
  const [greedy = NaN, other = NaN] = epsilonMix([0.5, 0.5], 0, 0.1)
  assert.closeTo(greedy, 0.95, 1e-12)
  assert.closeTo(other, 0.05, 1e-12)
})

it("a draw falls on the entry that holds the uniform number", () => {
  assert.strictEqual(draw([0.2, 0.5, 0.3], 0), 0)
  assert.strictEqual(draw([0.2, 0.5, 0.3], 0.2), 1)
  assert.strictEqual(draw([0.2, 0.5, 0.3], 0.69), 1)
  assert.strictEqual(draw([0.2, 0.5, 0.3], 0.9999), 2)
})

it("a draw never falls on an entry without probability", () => {
  assert.strictEqual(draw([0, 1, 0], 0), 1)
  assert.strictEqual(draw([0.1, 0.2, 0], 0.99), 1)
  assert.strictEqual(draw([], 0.5), -1)
  assert.strictEqual(draw([0, 0], 0.5), -1)
})

// Chi-square with 3 degrees of freedom stays under 0.35 in 5 % of random samples; an even grid must do far
// better.
it("an even grid of uniform numbers is drawn in proportion", () => {
  const distribution = epsilonMix(tempered([0.9, 0.8, 0.85, 0.6], 0.1), 1, 0.4)
  const draws = 10_000
  const counts = distribution.map(() => 0)
  for (let index = 0; index < draws; index++) {
    const drawn = draw(distribution, (index + 0.5) / draws)
    counts[drawn] = (counts[drawn] ?? 0) + 1
  }
  const chiSquare = sum(distribution.map((share, index) => {
    const expected = draws * share
    return ((counts[index] ?? 0) - expected) ** 2 / expected
  }))
  assert.isBelow(chiSquare, 0.01)
})

it.prop("probabilities sum to one for any scores", { scores: Scores, temperature: Temperature }, (given) => {
  const distribution = tempered(given.scores, given.temperature)
  assert.closeTo(sum(distribution), 1, 1e-9)
  assert.isTrue(distribution.every((share) => share >= 0 && share <= 1))
})

it.prop("a shift of all scores changes nothing", { scores: Schema.Array(Unit), shift: Unit }, (given) => {
  const plain = tempered(given.scores, 0.1)
  const shifted = tempered(given.scores.map((score) => score + given.shift), 0.1)
  plain.forEach((share, index) => assert.closeTo(shifted[index] ?? NaN, share, 1e-9))
})

it.prop("mixing in epsilon keeps the sum", { scores: Scores, epsilon: Unit }, ({ scores, epsilon }) => {
  const mixed = epsilonMix(tempered(scores, 0.1), 0, epsilon)
  assert.closeTo(sum(mixed), 1, 1e-9)
  assert.isAtLeast(mixed[0] ?? NaN, 1 - epsilon - 1e-12)
})
