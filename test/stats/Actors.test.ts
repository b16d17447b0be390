import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { backOffForActor, shieldWeights, withoutMajority } from "../../src/stats/Actors.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Count = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 500 }))
const rule = { pull: 4, othersHalf: 2 }
const prior = { mean: 0.6, sampleSize: 12 }
const nothing = { weight: 0, success: 0 }
const tally = (weight: number, mean: number) => ({ weight, success: weight * mean })

it("forty failures of one actor count as the five outcomes of all others", () => {
  const { success, weight } = withoutMajority(tally(45, 0.1), tally(40, 0), 2)
  assert.strictEqual(weight, 10)
  assert.closeTo(success, 4.5, 1e-9)
})

it("an actor with no more than half keeps its weight", () => {
  const run = tally(40, 0.1)
  assert.strictEqual(withoutMajority(run, tally(20, 0), 2), run)
})

it("an actor without company keeps its mean, and comes to half of the most at as many outcomes", () => {
  for (const [weight, left] of [[0.1, 0.2 / 2.1], [2, 1], [4, 8 / 6], [1e9, 2]] as const) {
    const shielded = withoutMajority(tally(weight, 0.1), tally(weight, 0.1), 2)
    assert.closeTo(shielded.weight, left, 1e-6)
    assert.closeTo(shielded.success, left * 0.1, 1e-6)
  }
  assert.deepStrictEqual(withoutMajority(tally(40, 0.5), tally(40, 0.5), Infinity), tally(40, 0.5))
})

it("a second actor's first outcome takes no weight from a hundred of the first one's", () => {
  const alone = withoutMajority(tally(100, 0.3), tally(100, 0.3), 2)
  const beside = withoutMajority({ weight: 100.1, success: 30 }, tally(100, 0.3), 2)
  assert.closeTo(beside.weight, alone.weight + 0.1, 1e-9)
  assert.closeTo(beside.success, alone.success, 1e-9)
})

it.prop("no outcome of another actor takes weight away", { first: Count, rest: Count, more: Unit }, ({ first, more, rest }) => {
  const weightWith = (others: number) => withoutMajority(tally(first + others, 0.5), tally(first, 0.5), 2).weight
  assert.isAtLeast(weightWith(rest + more), weightWith(rest) - 1e-9)
})

it.prop("no actor has over half of what is left or than it has alone, and no outcome gains weight", {
  first: Count, rest: Count, firstMean: Unit, restMean: Unit
}, ({ first, firstMean, rest, restMean }) => {
  const [one, others] = [tally(first, firstMean), tally(rest, restMean)]
  const all = { weight: first + rest, success: one.success + others.success }
  const left = withoutMajority(all, one, 2)
  assert.isAtMost(left.weight, all.weight + 1e-9)
  assert.isTrue(left.success >= 0 && left.success <= left.weight + 1e-9)
  if (rest > 1e-6) assert.isAtMost(left.weight - rest, Math.max(left.weight / 2, withoutMajority(one, one, 2).weight) + 1e-9)
})

it("four own successes outweigh any number of failures that others report", () => {
  const own = tally(4, 1)
  const alone = backOffForActor(prior, 12, { own, others: nothing }, rule)
  assert.closeTo(alone.mean, (7.2 + 4) / 16, 1e-12)
  const beside = (failures: number) => backOffForActor(prior, 12, { own, others: tally(failures, 0) }, rule).mean
  assert.isAbove(beside(4), 0.6)
  // Half of it is the actor's own where the others' pull is complete.
  assert.isAbove(beside(1e6), 0.5)
  // All four failures in one tally would leave (7.2 + 4) / 20.
  assert.isAbove(beside(4), (7.2 + 4) / 20)
})

it.prop("without others, and without own outcomes, a level is the plain one", { weight: Count, mean: Unit, pull: Count }, (given) => {
  const part = tally(given.weight, given.mean)
  const pull = given.pull + 1
  const plain = (pull * prior.mean + part.success) / (pull + part.weight)
  for (const parts of [{ own: part, others: nothing }, { own: nothing, others: part }]) {
    const { mean, sampleSize } = backOffForActor(prior, pull, parts, rule)
    assert.closeTo(mean, plain, 1e-8)
    assert.closeTo(sampleSize, Math.min(12, pull) + part.weight, 1e-8)
  }
})

it.prop("a first own outcome moves the estimate toward itself, no farther than the few it faces", {
  others: Count, mean: Unit, quality: Unit
}, ({ mean, others, quality }) => {
  const before = backOffForActor(prior, 12, { own: nothing, others: tally(others, mean) }, rule)
  const after = backOffForActor(prior, 12, { own: tally(1, quality), others: tally(others, mean) }, rule)
  const [moved, distance] = [after.mean - before.mean, quality - before.mean]
  assert.isAtLeast(moved * distance, -1e-12)
  assert.isAtMost(Math.abs(moved), Math.abs(distance) / 5 + 1e-9)
})

it.prop("a mean and its sample size stay in range", { own: Count, ownMean: Unit, others: Count, mean: Unit }, (given) => {
  const parts = { own: tally(given.own, given.ownMean), others: tally(given.others, given.mean) }
  const { mean, sampleSize } = backOffForActor(prior, 12, parts, rule)
  assert.isTrue(mean >= 0 && mean <= 1)
  assert.isTrue(sampleSize > 0 && sampleSize <= 12 + given.own + given.others + 1e-6)
})

const shieldedWeights = (weights: ReadonlyArray<number>, actors: ReadonlyArray<number | undefined>) => {
  const shielded = Float64Array.from(weights)
  shieldWeights(shielded, (i) => actors[i] ?? NaN)
  return [...shielded]
}

it("others' single outcomes weigh less beside more own ones, and no one over half of others'", () => {
  // Own 2; one other actor has 6 and another 1: 1 and 1 are left, and of these a quarter, half an outcome.
  const weights = shieldedWeights([1, 1, 3, 3, 1], [undefined, undefined, 7, 7, 8])
  for (const [i, expected] of [1, 1, 0.125, 0.125, 0.25].entries()) assert.closeTo(weights[i] ?? -1, expected, 1e-12)
  // Without own ones, and of a single other actor, all count.
  assert.deepStrictEqual(shieldedWeights([3, 3], [7, 7]), [3, 3])
  assert.deepStrictEqual(shieldedWeights([1, 2], [undefined, undefined]), [1, 2])
})

it.prop("shielding raises no weight, and leaves the own ones", {
  outcomes: Schema.Array(Schema.Struct({ weight: Unit, actor: Schema.Literals([0, 1, 2, 3]) }))
}, ({ outcomes }) => {
  const actors = outcomes.map(({ actor }) => actor === 0 ? undefined : actor)
  const shielded = shieldedWeights(outcomes.map(({ weight }) => weight), actors)
  const sum = (of: (actor: number | undefined) => boolean) =>
    shielded.reduce((total, weight, i) => of(actors[i]) ? total + weight : total, 0)
  outcomes.forEach(({ actor, weight }, i) => {
    assert.isAtMost(shielded[i] ?? NaN, weight + 1e-12)
    if (actor === 0) assert.strictEqual(shielded[i], weight)
  })
  const [own, others] = [sum((actor) => actor === undefined), sum((actor) => actor !== undefined)]
  assert.isAtMost(others * own, 1 + 1e-9)
})
