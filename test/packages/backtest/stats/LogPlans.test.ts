import { assert, describe, it } from "@effect/vitest"
import { makeLogPlans, planOutcomesMin } from "../../../../packages/backtest/src/stats/LogPlans.ts"
import { generator } from "../../../../src/stats/Generator.ts"

const right = { quality: 1, hasFailed: false, costUsd: 1 }
const wrong = { quality: 0, hasFailed: true, costUsd: 3 }

/** What 40 tasks come to that model 0 began and failed at `failures` of, each of which model 1 then ran. */
const plansOf = (failures: number, second: ReadonlyArray<typeof right>) => {
  const plans = makeLogPlans(3)
  for (let i = 0; i < 40; i++) plans.begin(0, i < failures ? wrong : right)
  second.forEach((attempt) => plans.goOn(0, 1, attempt))
  return plans.finish()
}

describe("a plan of two attempts on a log", () => {
  it("succeeds where the first is right or the second after its failure, and costs both then", () => {
    const second = Array.from({ length: 32 }, (_, i) => i % 4 === 0 ? wrong : right)
    const [plan] = plansOf(32, second)
    assert.deepInclude(plan, { first: 0, then: 1, begun: 40, failed: 32, outcomes: 32 })
    // 8 of 40 right at $1, and 32 that failed at $3: three of four of these end well, at $1.50 more.
    assert.closeTo(plan!.success!.value, 0.2 + 0.8 * 0.75, 1e-12)
    assert.closeTo(plan!.costUsd!.value, 2.6 + 0.8 * 1.5, 1e-12)
  })

  it("ends with what was no failure, at its quality, and counts a failure's own quality nowhere", () => {
    const plans = makeLogPlans(2)
    plans.begin(0, { quality: 0.5, hasFailed: false, costUsd: 1 })
    plans.begin(0, { quality: 0.3, hasFailed: true, costUsd: 1 })
    for (let i = 0; i < planOutcomesMin; i++) plans.goOn(0, 0, right)
    assert.closeTo(plans.finish()[0]!.success!.value, 0.5 * 0.5 + 0.5 * 1, 1e-12)
  })

  it("is judged from thirty outcomes on, its cost from thirty that are known, and is none without any", () => {
    assert.isNull(plansOf(29, Array.from({ length: 29 }, () => right))[0]!.success)
    const unbilled = plansOf(30, Array.from({ length: 30 }, () => ({ ...right, costUsd: NaN })))[0]!
    assert.isNotNull(unbilled.success)
    assert.isNull(unbilled.costUsd)
    assert.deepStrictEqual(plansOf(30, []), [])
  })

  it("has intervals in [0, 1] that hold the truth in 19 of 20 logs, about", () => {
    const random = generator(7)
    const logs = 400
    let [success, cost] = [0, 0]
    for (let log = 0; log < logs; log++) {
      const plans = makeLogPlans(2)
      for (let i = 0; i < 300; i++) {
        const hasFailed = random() < 0.3
        plans.begin(0, { quality: hasFailed ? 0 : 1, hasFailed, costUsd: 0.5 + random() })
        if (!hasFailed) continue
        const isRight = random() < 0.6
        plans.goOn(0, 1, { quality: isRight ? 1 : 0, hasFailed: !isRight, costUsd: 5 + 10 * random() })
      }
      const { costUsd, success: found } = plans.finish()[0]!
      assert.isTrue(found!.low >= 0 && found!.high <= 1)
      if (found!.low < 0.88 && 0.88 < found!.high) success++
      if (costUsd!.low < 4 && 4 < costUsd!.high) cost++
    }
    assert.isAtLeast(success / logs, 0.93)
    assert.isAtLeast(cost / logs, 0.93)
    assert.isAtMost(success / logs, 0.99)
  })
})
