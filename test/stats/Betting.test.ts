import { assert, describe, it } from "@effect/vitest"
import { bet, type Capital, detect, evidence, highestEvidence, stake } from "../../src/stats/Betting.ts"
import { generator } from "../../src/stats/Generator.ts"

const after = (scores: ReadonlyArray<number>, play = bet): Capital =>
  scores.reduce((capital, score) => play(capital, score, 1), stake)

describe("betting", () => {
  it("multiplies each capital by 1 + its share of the score, and averages them", () => {
    // Shares 3/4, 3/8, 3/16, 3/32 and 3/64 of scores 1 and -1/2, by hand.
    const capitals = [3 / 4, 3 / 8, 3 / 16, 3 / 32, 3 / 64].map((share) => (1 + share) * (1 - share / 2))
    const mean = capitals.reduce((sum, each) => sum + each, 0) / 5
    assert.closeTo(evidence(after([1, -0.5])), Math.log(mean), 1e-12)
    assert.closeTo(mean, 1.0703857421875, 1e-12)
  })

  it("starts at a capital of 1, keeps it at scores of 0, and never loses it whole", () => {
    assert.closeTo(evidence(stake), 0, 1e-12)
    assert.closeTo(evidence(after([0, 0, 0])), 0, 1e-12)
    assert.isTrue(Number.isFinite(evidence(after(Array.from({ length: 5_000 }, () => -1)))))
  })

  it("gains nothing on average from scores without an expectation, whatever their spread", () => {
    // Every outcome of four throws of an unfair coin whose scores, -1/2 and 2, have the mean 0.
    let [mean, all] = [0, 0]
    for (let throws = 0; throws < 16; throws++) {
      const heads = [0, 1, 2, 3].map((at) => (throws >> at) % 2 === 1)
      const probability = heads.reduce((product, isHeads) => product * (isHeads ? 0.2 : 0.8), 1)
      mean += probability * Math.exp(evidence(after(heads.map((isHeads) => isHeads ? 2 : -0.5))))
      all += probability
    }
    assert.closeTo(all, 1, 1e-12)
    assert.closeTo(mean, 1, 1e-12)
  })

  it("reaches 1/0.05 in at most 5 % of sequences without an expectation, after every score", () => {
    let reached = 0
    for (let world = 0; world < 400; world++) {
      const uniform = generator(world)
      let capital = stake
      for (let at = 0; at < 1_000; at++) {
        capital = bet(capital, uniform() < 0.1 ? 9 : -1, 1)
        if (evidence(capital) >= Math.log(20)) {
          reached += 1
          break
        }
      }
    }
    assert.isAtMost(reached, 20)
    // A test that can never be reached would pass as well.
    assert.isAtLeast(reached, 2)
  })

  it("keeps the highest evidence of a sequence", () => {
    const high = after([1, 1, 1])
    const best = highestEvidence(0, high)
    assert.closeTo(best, evidence(high), 1e-12)
    assert.strictEqual(highestEvidence(best, bet(high, -1, 1)), best)
  })
})

describe("the detector of a change", () => {
  it("forgets what spoke against a change before it began", () => {
    const long = Array.from({ length: 500 }, () => -0.5)
    assert.isAbove(evidence(after([...long, 1, 1, 1], detect)), evidence(after([...long, 1, 1, 1])) + 10)
    assert.closeTo(evidence(after([...long, 1], detect)), evidence(after([-0.5, 1], detect)), 1e-12)
  })

  it("gives a false alarm at A only after A scores on average, or later", () => {
    const alarm = Math.log(50)
    let scores = 0
    for (let world = 0; world < 200; world++) {
      const uniform = generator(1_000 + world)
      let capital = stake
      do {
        capital = detect(capital, uniform() < 0.5 ? 1 : -1, 1)
        scores += 1
      } while (evidence(capital) < alarm)
    }
    assert.isAtLeast(scores / 200, 50)
  })
})
