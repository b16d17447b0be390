import { assert, describe, it } from "@effect/vitest"
import type { JudgedRow } from "../../../../packages/backtest/src/stats/LogColumns.ts"
import type { LogFigures } from "../../../../packages/backtest/src/stats/LogFigures.ts"
import { makeLogPolicies, rowsUnjudged } from "../../../../packages/backtest/src/stats/LogPolicies.ts"
import { generator } from "../../../../src/stats/Generator.ts"

/** Two models at 1 and 2 cents; policies: always the first, always the second, and what was logged. */
interface Given {
  readonly model: number
  readonly quality?: number
  readonly costUsd?: number
  readonly block?: number
}

const prices = [0.01, 0.02]
const judge = (rows: ReadonlyArray<Given>): LogFigures => {
  const policies = makeLogPolicies(2, 3, 2)
  rows.forEach(({ block, costUsd, model, quality = 1 }, index) => {
    const row: JudgedRow = {
      block: block ?? Math.floor(index / 10),
      loggedModel: model,
      quality,
      costUsd: costUsd ?? prices[model]!,
      context: { taskType: 0, difficulty: 0, tags: 0, user: 0, logInputTokens: NaN },
      success: Float64Array.of(0.7, 0.9),
      expectedUsd: Float64Array.from(prices),
      picks: Int32Array.of(0, 1, model)
    }
    policies.add(row)
  })
  return policies.finish()
}

const times = (count: number, of: (index: number, uniform: number) => Given): ReadonlyArray<Given> => {
  const uniform = generator(7)
  return Array.from({ length: count }, (_, index) => of(index, uniform()))
}

const finiteOrNull = (figures: LogFigures): boolean =>
  !/NaN|Infinity/.test(JSON.stringify(figures, (_, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value))

describe("a foreign log of two models, each chosen by a coin", () => {
  const coin = judge(times(2000, (_, uniform) => ({ model: uniform < 0.5 ? 0 : 1 })))
  const [first, second, logged] = coin.policies

  it("says that always the cheaper saves a third of what was spent", () => {
    assert.strictEqual(first!.verdict, "saves")
    assert.closeTo(first!.saving!.value, 1 / 3, 0.02)
    assert.closeTo(first!.costUsd!.value, 0.01, 1e-4)
  })

  it("says that always the dearer costs more", () => {
    assert.strictEqual(second!.verdict, "costs_more")
    assert.isBelow(second!.saving!.high, 0)
  })

  it("gives the logged behaviour every row after the first 50, matched", () => {
    assert.deepInclude(logged, { verdict: "baseline", matchedLabelled: 2000 - rowsUnjudged, matchedShare: 1 })
  })

  it("does not call a success certain that never failed", () => {
    assert.isBelow(first!.success!.low, 1)
    assert.isBelow(first!.successDifference!.low, 0)
  })
})

describe("a foreign log that cannot tell", () => {
  it("of a model that it never shows gives no figure", () => {
    const { policies: [first] } = judge(times(2000, () => ({ model: 1 })))
    assert.deepInclude(first, { verdict: "not_enough", withheld: "not_shown", success: null, saving: null })
    assert.isNull(first!.labelsNeeded)
  })

  it("of a model that it shows once gives no figure", () => {
    const { policies: [first] } = judge(times(2000, (index) => ({ model: index === 900 ? 0 : 1 })))
    assert.deepInclude(first, { verdict: "not_enough", withheld: "not_shown" })
  })

  it("of fewer than 100 matched labels says how many more would do", () => {
    const { policies: [first] } = judge(times(250, (index) => ({ model: index % 3 === 0 ? 0 : 1 })))
    assert.deepInclude(first, { withheld: "few_matches", matchedLabelled: 67 })
    // 200 judged rows hold 67 matches; 100 need half as many rows again.
    assert.strictEqual(first!.labelsNeeded, Math.ceil(200 * (100 / 67 - 1)))
  })

  it("of one block of time gives no figure", () => {
    const { policies: [first] } = judge(
      times(2000, (_, uniform) => ({ model: uniform < 0.5 ? 0 : 1, block: 3 }))
    )
    assert.strictEqual(first!.withheld, "few_blocks")
  })

  it("sorted by model gives no figure", () => {
    const { policies: [first] } = judge(times(2000, (index) => ({ model: index < 1000 ? 0 : 1 })))
    assert.strictEqual(first!.withheld, "not_shown")
  })

  it("without labels gives no figure", () => {
    const { policies } = judge(times(2000, (_, uniform) => ({ model: uniform < 0.5 ? 0 : 1, quality: NaN })))
    assert.isTrue(policies.every(({ success }) => success === null))
    assert.isNull(policies[0]!.labelsNeeded)
  })

  it("with one bill a thousand times the others claims no saving", () => {
    const { policies: [first] } = judge(times(2000, (index, uniform) =>
      index === 1000 ? { model: 0, costUsd: 10 } : { model: uniform < 0.5 ? 0 : 1 }))
    assert.notStrictEqual(first!.verdict, "saves")
  })
})

it("a foreign log of any few or free rows has finite figures only", () => {
  const logs = [
    [],
    times(1, () => ({ model: 0 })),
    times(60, () => ({ model: 0, quality: NaN, costUsd: NaN })),
    times(2000, (_, uniform) => ({ model: uniform < 0.5 ? 0 : 1, costUsd: 0 })),
    times(2000, (_, uniform) => ({ model: uniform < 0.5 ? 0 : 1, quality: 0 }))
  ]
  for (const rows of logs) assert.isTrue(finiteOrNull(judge(rows)))
})

describe("the comparison with what was logged", () => {
  it("of a policy that picks what was logged is no difference, however sure", () => {
    const { policies: [, second] } = judge(
      times(2000, (_, uniform) => ({ model: 1, costUsd: 0.01 + uniform }))
    )
    assert.deepInclude(second, { verdict: "not_enough", withheld: "no_saving_excluded" })
    assert.deepStrictEqual(second!.saving, { value: 0, low: 0, high: 0 })
  })
})

it("every row twice in its block leaves the interval: both are resampled together", () => {
  const once = times(2000, (index, uniform): Given => ({
    model: uniform < 0.5 ? 0 : 1,
    quality: uniform * 1000 % 1 < 0.7 ? 1 : 0,
    block: Math.floor(index / 10)
  }))
  const widthOf = (rows: ReadonlyArray<Given>): number => {
    const { high, low } = judge(rows).policies[0]!.costUsd!
    return high - low
  }
  const billed = once.map((row, index): Given => ({ ...row, costUsd: 0.01 * (1 + index % 7) }))
  assert.closeTo(widthOf(billed.flatMap((row) => [row, row])) / widthOf(billed), 1, 0.15)
})
