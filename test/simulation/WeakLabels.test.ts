import { assert, describe, it } from "@effect/vitest"
import { cell } from "../../src/engine/recommend/prediction/BackOff.ts"
import { priorFactsOf } from "../../src/engine/recommend/prediction/Prior.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { logit, sigmoid } from "../../src/stats/Logit.ts"
import { predictedSuccess } from "../../src/stats/NeighbourMixture.ts"
import { bounded, taught } from "../../src/stats/WeakLabels.ts"
import { measuredCard } from "../support/builders.ts"

/*
 * What labels are worth whose error differs by model (issue 47, item 5): the regret of a pick among four models, in
 * percent of a success's value. A label passes what is wrong with .15 and fails what is right with .10 in the middle;
 * the log odds of both have the deviation `spread` between models. A tenth of the calls may have a gate's label.
 * Success is predicted as the service does where all calls of a lane are of one kind.
 */

/** A model's own success has this deviation about what is known of it before any label, logit. */
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

/**
 * The regret where the weak labels are weighed so, and weigh `max` together at most; of each model `near` outcomes
 * are as near as can be.
 */
const regret = (
  spread: number,
  count: number,
  checked: number,
  weigh: (labels: Labels) => Weighed,
  { max = Infinity, near = 0 } = {}
): number => {
  const uniform = generator(47)
  let sum = 0
  for (let world = 0; world < worlds; world++) {
    const models = Array.from({ length: 4 }, () => labelsOf(uniform, spread, count, checked))
    const believed = models.map((labels) => {
      const { gates, gateSuccesses, prior, weak, weakSuccesses } = labels
      const { failed, passed, weight } = weigh(labels)
      const rate = weak === 0 ? 0 : (weakSuccesses * passed + (weak - weakSuccesses) * failed) / weak
      const all = { weight: gates, success: gateSuccesses, weakWeight: weight, weakSuccess: weight * rate }
      const tally = taught(bounded(all, max))
      const tallies = { lane: tally, taskType: tally, cluster: tally, tags: none }
      const cells = cell(defaults, { ...model, prior }, tallies, { isDifficultyKnown: true, tags: [] }).mean
      if (near === 0) return cells
      const share = Math.min(1, near / count)
      const nearest = {
        weight: gates * share, success: gateSuccesses * share, weakWeight: weight * share, weakSuccess: weight * rate * share
      }
      const { localPull } = defaults
      return predictedSuccess({ cells, localPull, localShare: 0.5 }, taught(bounded(nearest, max))).mixed
    })
    const best = Math.max(...models.map(({ truth }) => truth))
    sum += 100 * (best - models[believed.indexOf(Math.max(...believed))]!.truth)
  }
  return sum / worlds
}

const { judge: weight } = defaults.provenanceWeight
const none = { weight: 0, success: 0 }
const model = priorFactsOf(defaults, measuredCard("alpha", 0.7, 1))
const asSaid = (weight: number): Weighed => ({ weight, passed: 1, failed: 0 })
const noLabels = () => asSaid(0)
const raw = ({ weak }: Labels) => asSaid(weight * weak)

// A rule that the service does not have, what checked pairs say: each label teaches how often it was right, and all
// weigh what a regression on them adds to gates.
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

const { weakOutcomesMax } = memorySettings
const near = defaults.recallPerModel

/** The regret as the service counts the labels, where no task is like another. */
const served = (spread: number, count: number, checked: number): number =>
  regret(spread, count, checked, raw, { max: weakOutcomesMax })

describe("labels of a weak source", () => {
  it("make better picks than no data while their errors are alike, or differ by a factor of e", () => {
    assert.strictEqual(defaults.provenanceWeight.assertion, weight)
    for (const spread of [0, 1]) {
      for (const count of [10, 30, 100]) assert.isBelow(served(spread, count, 0), regret(spread, count, 0, noLabels))
    }
  })

  it("make hardly worse picks than no data where errors differ by e squared, and beside gates'", () => {
    for (const count of [30, 100]) assert.isAtMost(served(2, count, 0), regret(2, count, 0, noLabels) + 0.4)
    for (const count of [30, 100]) {
      const twice = regret(2, count, 0, raw, { max: 2 * weakOutcomesMax })
      assert.isAbove(twice, regret(2, count, 0, noLabels) + 0.4)
    }
    for (const spread of [0, 1, 2]) {
      assert.isAtMost(served(spread, 1_000, 0.1), regret(spread, 1_000, 0.1, noLabels) + 0.1)
      assert.isAtMost(served(spread, 100, 0), regret(spread, 100, 0, noLabels) + 0.3)
    }
  })

  it("do less than half of that harm where all neighbours are near and have a hundred of them", () => {
    const harm = (count: number, checked: number, max: number): number =>
      regret(2, count, checked, raw, { max, near }) - regret(2, count, checked, noLabels, { near })
    for (const [count, checked] of [[100, 0], [1_000, 0.1]] as const) {
      assert.isBelow(harm(count, checked, weakOutcomesMax), harm(count, checked, Infinity) / 2)
    }
  })
})

it("the regrets of the guide's table are these", () => {
  const rounded = (value: number): number => Math.round(value * 10) / 10
  const rows = [[0, 30, 0], [0, 100, 0], [1, 30, 0], [1, 100, 0], [2, 30, 0], [2, 100, 0], [2, 1_000, 0.1]] as const
  const figures = rows.map(([spread, count, checked]) => [
    regret(spread, count, checked, noLabels), regret(spread, count, checked, raw), served(spread, count, checked),
    regret(spread, count, checked, raw, { max: weakOutcomesMax, near })
  ].map(rounded))
  assert.deepStrictEqual(figures, [
    [4.3, 2.6, 2.1, 2.2], [4.7, 1.1, 1.6, 1.3], [4.3, 4.3, 3, 3.5], [4.7, 3.4, 2.6, 2.7],
    [4.3, 6.5, 4.6, 5.6], [4.7, 6.7, 4.5, 5.3], [0.5, 5.6, 0.6, 1]
  ])
})

describe("labels of a weak source without a bound", () => {
  it("would make worse picks than no data where errors differ by e squared, and more not better", () => {
    for (const count of [30, 100]) assert.isAbove(regret(2, count, 0, raw), regret(2, count, 0, noLabels))
    assert.isAbove(regret(2, 100, 0, raw), regret(2, 30, 0, raw) - 0.5)
  })

  it("would make worse picks beside a hundred gates' labels than these alone, if errors differ", () => {
    for (const spread of [1, 2]) {
      assert.isAbove(regret(spread, 1_000, 0.1, raw), 2 * regret(spread, 1_000, 0.1, noLabels))
    }
  })
})

describe("a weight by checked pairs", () => {
  it("picks no better than the bound with few checked calls, unless errors differ by e squared", () => {
    assert.isAbove(regret(1, 30, 0.1, byPairs), served(1, 30, 0.1))
    assert.isAbove(regret(1, 100, 0.1, byPairs), served(1, 100, 0.1) - 0.2)
    assert.isBelow(regret(2, 100, 0.1, byPairs), served(2, 100, 0.1))
  })

  it("is nothing without pairs, where labels help more than no data while errors are alike", () => {
    assert.strictEqual(regret(0, 100, 0, byPairs), regret(0, 100, 0, noLabels))
  })
})

describe("an agent's own check", () => {
  it("passes whatever is right or wrong: weighing it teaches nothing, and it weighs nothing", () => {
    assert.strictEqual(defaults.provenanceWeight.self_check, 0)
    const { failRight, passWrong } = defaults.checkErrors.self_check
    assert.isAtMost(passWrong + failRight, 1)
    assert.isAbove(passWrong + failRight, 0.9)
  })
})
