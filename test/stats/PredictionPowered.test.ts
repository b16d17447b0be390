import { assert, describe, it } from "@effect/vitest"
import { generator } from "../../src/stats/Generator.ts"
import { type PairSums, poweredMean } from "../../src/stats/PredictionPowered.ts"
import { interval95 } from "../../src/stats/Wilson.ts"
import { judgeWorld } from "../simulation/judges.ts"

/** Sums of pairs by how many there are of each: right and passed, right and failed, wrong and passed, wrong and failed. */
const pairsOf = (rightPassed: number, rightFailed: number, wrongPassed: number, wrongFailed: number): PairSums => {
  const [y, f] = [rightPassed + rightFailed, rightPassed + wrongPassed]
  return { n: y + wrongPassed + wrongFailed, y, f, yy: y, ff: f, yf: rightPassed }
}

describe("A mean that a cheap measure powers", () => {
  it("of a judge that passes 40 of 50 wrong calls is the checked ones', not its own word", () => {
    const { high, low, mean } = poweredMean(pairsOf(50, 0, 40, 10), { n: 1_000, f: 900, ff: 900 })
    assert.closeTo(mean, 0.5, 0.01)
    assert.isBelow(high, 0.62)
    assert.isAbove(low, 0.38)
  })

  it("follows the rest where the measure is right, much narrower than the pairs alone", () => {
    const { high, low, mean, power } = poweredMean(pairsOf(50, 0, 0, 50), { n: 10_000, f: 8_000, ff: 8_000 })
    assert.isAbove(power, 0.9)
    assert.closeTo(mean, 0.8, 0.02)
    const alone = interval95(0.5, 100)
    assert.isBelow(high - low, 0.4 * (alone.high - alone.low))
  })

  it("is the pairs' where the measure says nothing or there is no rest, with an interval", () => {
    assert.closeTo(poweredMean(pairsOf(25, 25, 25, 25), { n: 500, f: 400, ff: 400 }).power, 0, 1e-12)
    assert.closeTo(poweredMean(pairsOf(40, 0, 0, 60), { n: 0, f: 0, ff: 0 }).mean, 0.4, 0.01)
    const { high, low } = poweredMean(pairsOf(30, 0, 0, 0), { n: 500, f: 500, ff: 500 })
    assert.isBelow(low, 0.95)
    assert.strictEqual(high, 1)
  })

  it("holds the truth in 94 % of worlds, of judges that err in 5 to 30 %, also by family", () => {
    for (const favour of [0, 0.2]) {
      for (const error of [0.05, 0.1, 0.2, 0.3]) {
        const uniform = generator(100 * error + favour)
        let held = 0
        for (let world = 0; world < 600; world++) {
          const { pairs, rest, truth } = judgeWorld({ uniform, error, favour, checked: 60, judged: 600 })
          const { high, low } = poweredMean(pairs, rest)
          if (low <= truth && truth <= high) held++
        }
        // Three standard errors of 600 worlds below 94 %.
        assert.isAtLeast(held / 600, 0.94 - 3 * Math.sqrt(0.94 * 0.06 / 600), `${error} ${favour}`)
      }
    }
  })
})
