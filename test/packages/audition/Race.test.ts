import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Contender, costInterval, nextContender, standing, successInterval } from "../../../packages/audition/src/Race.ts"
import { generator } from "../../../src/stats/Generator.ts"

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))

const contender = (given: Partial<Contender>): Contender => ({
  successes: 0, failures: 0, costUsd: 0, costSquares: 0, nextUsd: 0.01, begun: 0, underWay: 0, isOpen: true, ...given
})
const seen = (successes: number, failures: number, costUsd = 0.01, given: Partial<Contender> = {}): Contender => {
  const trials = successes + failures
  return contender({
    successes, failures, begun: trials, costUsd: trials * costUsd, costSquares: trials * costUsd ** 2, nextUsd: costUsd, ...given
  })
}

it("the interval of 8 successes in 10 is the uniform mixture's, wider than Wilson's .49 to .94", () => {
  const { high, low } = successInterval(8, 10)
  assert.closeTo(low, 0.353, 0.001)
  assert.closeTo(high, 0.9896, 0.001)
})

it.prop("the interval holds the rate, stays in [0, 1], and mirrors when the counts change places", {
  successes: Count, failures: Count
}, ({ failures, successes }) => {
  const trials = successes + failures
  const { high, low } = successInterval(successes, trials)
  const mirrored = successInterval(failures, trials)
  assert.isTrue(0 <= low && low <= high && high <= 1)
  if (trials > 0) assert.isTrue(low <= successes / trials && successes / trials <= high)
  assert.closeTo(low, 1 - mirrored.high, 1e-9)
})

it("a coin's rate is inside at every one of 400 lengths for 95 of 100 coins", () => {
  const uniform = generator(7)
  let held = 0
  for (let coin = 0; coin < 100; coin++) {
    const rate = 0.1 + 0.8 * uniform()
    let successes = 0
    let isInside = true
    for (let trials = 1; trials <= 400; trials++) {
      if (uniform() < rate) successes++
      const { high, low } = successInterval(successes, trials)
      isInside &&= low <= rate && rate <= high
    }
    if (isInside) held++
  }
  assert.isAtLeast(held, 95)
})

it("the interval of a mean cost holds the mean, and needs two observations", () => {
  assert.isNull(costInterval(1, 1, 1))
  const { high, low } = costInterval(3, 5, 2) ?? { low: NaN, high: NaN }
  assert.isTrue(0 <= low && low <= 1.5 && 1.5 <= high)
})

it("every model takes its first prompts before any is preferred, the one with fewest first", () => {
  const rule = { firstPrompts: 3, valueUsd: 1 }
  assert.strictEqual(nextContender([seen(3, 0), contender({ begun: 2 }), contender({ begun: 1 })], rule), 2)
  assert.isNull(nextContender([contender({ isOpen: false })], rule))
})

const rule = { firstPrompts: 8, valueUsd: 1 }

it("a call goes to the leader or its rival, the one whose call tells more for its price", () => {
  const behind = seen(5, 95, 0.001)
  assert.strictEqual(nextContender([seen(80, 20, 0.001), seen(82, 18, 0.01), behind], rule), 0)
  assert.strictEqual(nextContender([seen(800, 200, 0.001), seen(82, 18, 0.001), behind], rule), 1)
  // What is under way will have told its part.
  assert.strictEqual(nextContender([seen(80, 20, 0.01, { underWay: 60 }), seen(82, 18, 0.01), behind], rule), 1)
})

it("of two models that are equally far behind, the one with fewer prompts is the rival", () => {
  const leader = seen(900, 100)
  assert.strictEqual(nextContender([leader, seen(60, 40), seen(6, 4)], rule), 2)
})

it("a model that cannot be asked is never next, although it is one of the two best", () => {
  const models = [seen(90, 10, 0.01, { isOpen: false }), seen(88, 12, 0.01, { isOpen: false }), seen(1, 99)]
  assert.strictEqual(nextContender(models, rule), 2)
  assert.strictEqual(nextContender([seen(90, 10), seen(88, 12, 0.001, { isOpen: false })], rule), 0)
  // One that never answered is no rival, and leaves the calls to the two best that do.
  const silent = contender({ isOpen: false, begun: 0 })
  assert.strictEqual(nextContender([seen(800, 200, 0.001), silent, seen(82, 18, 0.001)], rule), 2)
})

it("a model alone takes all its prompts, and none where no answer was graded is preferred", () => {
  assert.strictEqual(nextContender([seen(9, 1)], rule), 0)
  assert.strictEqual(nextContender([contender({ begun: 9 }), contender({ begun: 8 })], rule), 1)
})

it("the leader is worth most by success times value less cost; of equals it is the cheaper", () => {
  const models = [seen(90, 10, 0.05), seen(80, 20, 0.001)]
  assert.strictEqual(standing(models, 1)?.leader, 0)
  const cheap = standing(models, 0.01)
  assert.strictEqual(cheap?.leader, 1)
  assert.isAbove(cheap?.chance ?? 0, 0.9999)
  assert.strictEqual(standing([seen(9, 1, 0.02), seen(9, 1, 0.01)], null)?.leader, 1)
  assert.isNull(standing([contender({})], 1))
})

it("two models with the same outcomes have even chances, and a surer leader a higher one", () => {
  assert.closeTo(standing([seen(40, 10), seen(40, 10)], 1)?.chance ?? 0, 0.5, 1e-7)
  assert.closeTo(standing([seen(9, 1, 0), seen(9, 1, 0)], 0)?.chance ?? 0, 0.5, 1e-7)
  assert.closeTo(standing([seen(45, 5), seen(40, 10)], 1)?.chance ?? 0, 0.92, 0.01)
  assert.strictEqual(standing([seen(9, 1, 0), seen(9, 1, 1)], 0)?.chance, 1)
})
