import { assert, describe, it } from "@effect/vitest"
import { defaults } from "../../src/engine/Settings.ts"
import { mean } from "../../src/stats/Beta.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { logit, sigmoid } from "../../src/stats/Logit.ts"

/*
 * What labels are worth whose error differs by model (issue 47, item 5): the regret of a pick among four models, in
 * percent of a success's value. A label passes what is wrong with .15 and fails what is right with .10 in the middle;
 * the log odds of both have the deviation `spread` between models. A tenth of the calls may have a gate's label.
 */

/** What is known of a model before any label, in outcomes; its own success has the deviation .7 about it, logit. */
const priorStrength = 8
const successSpread = 0.7
const worlds = 600

interface Labels {
  readonly prior: number
  readonly truth: number
  /** Labels of gates and of the weak source, and how many of each are successes. */
  readonly gates: number
  readonly gateSuccesses: number
  readonly weak: number
  readonly weakSuccesses: number
  /** Calls with both labels by 2 * gate + weak, each 0 or 1, with two more as they are in the middle. */
  readonly pairs: ReadonlyArray<number>
}

/** What all weak labels of a model weigh together, and what their successes and failures teach. */
interface Weighed {
  readonly weight: number
  readonly passed: number
  readonly failed: number
}

const labelsOf = (uniform: () => number, spread: number, count: number, checked: number): Labels => {
  const prior = 0.6 + 0.3 * uniform()
  const truth = sigmoid(logit(prior) + successSpread * normal(uniform))
  const [passWrong, failRight] = [0.15, 0.1].map((middle) => sigmoid(logit(middle) + spread * normal(uniform)))
  let [gates, gateSuccesses, weak, weakSuccesses] = [0, 0, 0, 0]
  const pairs = [0.425, 0.075, 0.15, 1.35]
  for (let call = 0; call < count; call++) {
    const isRight = uniform() < truth
    const isPassed = isRight ? uniform() >= (failRight ?? 0) : uniform() < (passWrong ?? 0)
    if (uniform() < checked) {
      gates++
      gateSuccesses += Number(isRight)
      pairs[2 * Number(isRight) + Number(isPassed)]! += 1
    } else {
      weak++
      weakSuccesses += Number(isPassed)
    }
  }
  return { prior, truth, gates, gateSuccesses, weak, weakSuccesses, pairs }
}

/** The regret where the weak labels are weighed so. */
const regret = (spread: number, count: number, checked: number, weigh: (labels: Labels) => Weighed): number => {
  const uniform = generator(47)
  let sum = 0
  for (let world = 0; world < worlds; world++) {
    const models = Array.from({ length: 4 }, () => labelsOf(uniform, spread, count, checked))
    const believed = models.map((labels) => {
      const { gates, gateSuccesses, prior, weak, weakSuccesses } = labels
      const { failed, passed, weight } = weigh(labels)
      const taught = weak === 0 ? 0 : (weakSuccesses * passed + (weak - weakSuccesses) * failed) / weak
      const alpha = prior * priorStrength + gateSuccesses + weight * taught
      return mean({ alpha, beta: priorStrength + gates + weight - alpha })
    })
    const best = Math.max(...models.map(({ truth }) => truth))
    sum += 100 * (best - models[believed.indexOf(Math.max(...believed))]!.truth)
  }
  return sum / worlds
}

const { judge: weight } = defaults.provenanceWeight
const asSaid = (weight: number): Weighed => ({ weight, passed: 1, failed: 0 })
const none = () => asSaid(0)
const raw = ({ weak }: Labels) => asSaid(weight * weak)

// Rules that the service does not have. A bound on what all weak labels of a model and kind weigh together, and what
// checked pairs say: each label teaches how often it was right, and all weigh what a regression on them adds to gates.
const bounded = ({ weak }: Labels) => asSaid(Math.min(8, weight * weak))
const byPairs = ({ gates, pairs, weak }: Labels): Weighed => {
  const [neither = 0, passedWrong = 0, failedRight = 0, both = 0] = pairs
  const n = neither + passedWrong + failedRight + both
  const [right, passed] = [(failedRight + both) / n, (passedWrong + both) / n]
  const squared = (both / n - right * passed) ** 2 / (right * (1 - right) * passed * (1 - passed))
  return {
    weight: Math.min(weight * weak * squared, gates * squared / (1 - Math.min(0.95, squared))),
    passed: both / (passedWrong + both),
    failed: failedRight / (neither + failedRight)
  }
}

describe("labels of a weak source, at their weight", () => {
  it("make better picks than no data while their errors are alike, or differ by a factor of e in their odds", () => {
    assert.strictEqual(defaults.provenanceWeight.assertion, weight)
    for (const spread of [0, 1]) {
      for (const count of [10, 30, 100]) assert.isBelow(regret(spread, count, 0, raw), regret(spread, count, 0, none))
    }
  })

  it("make worse picks than no data where their errors differ by e squared, and then more labels help no more", () => {
    for (const count of [30, 100]) assert.isAbove(regret(2, count, 0, raw), regret(2, count, 0, none))
    assert.isAbove(regret(2, 100, 0, raw), regret(2, 30, 0, raw) - 0.5)
  })

  it("make worse picks beside a hundred gates' labels than these alone, once their errors differ", () => {
    for (const spread of [1, 2]) assert.isAbove(regret(spread, 1_000, 0.1, raw), 2 * regret(spread, 1_000, 0.1, none))
  })

  it("would do neither if all of a model and kind weighed eight outcomes together at most", () => {
    for (const spread of [0, 1, 2]) {
      assert.isAtMost(regret(spread, 1_000, 0.1, bounded), regret(spread, 1_000, 0.1, none) + 0.1)
      assert.isAtMost(regret(spread, 100, 0, bounded), regret(spread, 100, 0, none) + 0.3)
    }
  })
})

describe("a weight by checked pairs", () => {
  it("picks no better than the bound while three or ten calls of a model are checked, unless errors differ by e squared", () => {
    assert.isAbove(regret(1, 30, 0.1, byPairs), regret(1, 30, 0.1, bounded))
    assert.isAbove(regret(1, 100, 0.1, byPairs), regret(1, 100, 0.1, bounded) - 0.2)
    assert.isBelow(regret(2, 100, 0.1, byPairs), regret(2, 100, 0.1, bounded))
  })

  it("is nothing without pairs, where labels at their weight help more than no data while errors are alike", () => {
    assert.strictEqual(regret(0, 100, 0, byPairs), regret(0, 100, 0, none))
  })
})

describe("an agent's own check", () => {
  it("passes whatever is right or wrong, so that weighing it teaches nothing, and it weighs nothing", () => {
    assert.strictEqual(defaults.provenanceWeight.self_check, 0)
    const { failRight, passWrong } = defaults.checkErrors.self_check
    assert.isAtMost(passWrong + failRight, 1)
    assert.isAbove(passWrong + failRight, 0.9)
  })
})
