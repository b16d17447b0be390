import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { SavingsDay } from "../../../src/domain/reports/Dashboard.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { SavingsResponse } from "../../../src/domain/reports/Report.ts"
import { usd } from "../../../src/domain/Rounding.ts"
import { laneOf } from "../../../src/domain/Scope.ts"
import { overview } from "../reference/Overview.ts"
import { savings } from "../reference/Savings.ts"
import { assertRounded } from "../../support/digits.ts"
import { decided, reported } from "../rows.ts"

const savingsByDay = (rows: ReadonlyArray<LedgerRow>) => overview(rows).savingsByDay

/**
 * Dollars, all exact in binary:
 *
 * | row | recommended | premium | declared | billed | cluster      |
 * |  1  | 0.25        | 1       |          |        | code:hard    |
 * |  2  | 0.25        | 2       | 0.5      | 0.125  | code:hard    |
 * |  3  | 0.5         | 1       | 0.5      | 0      | qa:easy      |
 * |  4  | 0.5         | 1       |          | 4      | qa:easy      |
 * |  5  | 1           | 1       | 0.75     |        | code:trivial |
 */
const easy = { taskType: "qa", difficulty: "easy", cluster: "qa:easy" } as const

const ledger = [
  decided(),
  reported({ actualCostUsd: 0.125 }, { costPremiumUsd: 2, costDeclaredUsd: 0.5 }),
  reported({ actualCostUsd: 0 }, {
    costRecommendedUsd: 0.5,
    costDeclaredUsd: 0.5,
    ...easy,
    lane: laneOf("support")
  }),
  reported({ actualCostUsd: 4 }, { costRecommendedUsd: 0.5, ...easy }),
  reported({}, {
    costRecommendedUsd: 1,
    costDeclaredUsd: 0.75,
    difficulty: "trivial",
    cluster: "code:trivial"
  })
]

describe("savings", () => {
  it("leave out decisions in shadow: their estimates, bills, and what they say of other bills", () => {
    const inShadow = ledger.map(({ decision, feedback }) => ({ decision: { ...decision, isShadow: true }, feedback }))
    for (const groupBy of [null, "cluster", "task_type", "lane"] as const) {
      assert.deepStrictEqual(savings([...ledger, ...inShadow], groupBy), savings(ledger, groupBy))
      assert.deepStrictEqual(savings(inShadow, groupBy), savings([], groupBy))
    }
    assert.deepStrictEqual(savingsByDay([...ledger, ...inShadow]), savingsByDay(ledger))
    // Two bills that are far above every estimate confirm each other, unless one of them is of a shadow.
    const far = reported({ actualCostUsd: 900 })
    const farInShadow = reported({ actualCostUsd: 900 }, { isShadow: true })
    assert.strictEqual(savings([far, far], null).summary.nCostOutliers, 0)
    assert.strictEqual(savings([far, farInShadow], null).summary.nCostOutliers, 1)
  })

  it("know what was spent from bills, else tokens at list prices, and of what share of reports", () => {
    assert.deepStrictEqual(savings(ledger, null).summary.spend, {
      costUsd: 4.125, billedUsd: 4.125, nBilled: 3, listPricesUsd: 0, nListPrices: 0, coverage: 0.75
    })
    // A bill takes the place of what the tokens cost, and a shadow's call is no call of the report.
    const more = [
      reported({ computedCostUsd: 0.5 }), reported({ actualCostUsd: 1, computedCostUsd: 8 }),
      reported({ computedCostUsd: 2 }, { isShadow: true })
    ]
    assert.deepStrictEqual(savings([...ledger, ...more], null).summary.spend, {
      costUsd: 5.625, billedUsd: 5.125, nBilled: 4, listPricesUsd: 0.5, nListPrices: 1, coverage: 0.833333
    })
    assert.isNull(savings([decided()], null).summary.spend.coverage)
  })

  it("estimates cover every decision, the declared ones only where a baseline was named", () => {
    assert.deepStrictEqual(savings(ledger, null).summary.estimated, {
      n: 5,
      costRecommendedUsd: 2.5,
      costPremiumUsd: 6,
      savingsVsPremiumUsd: 3.5,
      nDeclared: 3,
      costDeclaredUsd: 1.75,
      savingsVsDeclaredUsd: 0
    })
  })

  const bill = (actualCostUsd: number, chosenModelId = "small") => reported({ actualCostUsd, chosenModelId })

  it("bills far above every estimate stay in sums, as outliers unless another bill is near", () => {
    const alone = savings([bill(0.5), bill(1_000_000)], null).summary
    assert.strictEqual(alone.realized.realizedCostUsd, 1_000_000.5)
    assert.deepStrictEqual([alone.nCostOutliers, alone.costOutliersUsd], [1, 1_000_000])
    assert.deepInclude(alone.realizedWithoutOutliers, { nReconciled: 1, realizedCostUsd: 0.5, savingsVsPremiumEstUsd: 0.5 })
    for (const [others, count] of [
      [[bill(51)], 1], [[bill(50)], 0], [[bill(51), bill(255)], 0], [[bill(51), bill(256)], 2],
      [[bill(51), bill(10.2)], 0], [[bill(51), bill(51, "large")], 2], [[bill(60), bill(299), bill(1_400)], 0]
    ] as const) {
      const { nCostOutliers, realized, realizedWithoutOutliers } = savings(others, null).summary
      assert.strictEqual(nCostOutliers, count)
      assert.strictEqual(realized.nReconciled, others.length)
      assert.strictEqual(realizedWithoutOutliers === null, count === 0)
    }
  })

  it("bills are confirmed across the groups and days of a month", () => {
    const rows = [bill(100), reported({ actualCostUsd: 120 }, { lane: laneOf("support"), createdAt: new Date("2026-11-01") })]
    for (const { summary } of [...savings(rows, "lane").groups, ...savingsByDay(rows)]) {
      assert.strictEqual(summary.nCostOutliers, 0)
    }
    const apart = [rows[0]!, reported({ actualCostUsd: 120 }, { createdAt: new Date("2026-10-31") })]
    assert.strictEqual(savings(apart, null).summary.nCostOutliers, 2)
  })

  it("realized figures cover the billed rows only, a bill of 0 included, and may be below zero", () => {
    assert.deepStrictEqual(savings(ledger, null).summary.realized, {
      nReconciled: 3,
      realizedCostUsd: 4.125,
      estCostRecommendedUsd: 1.25,
      estCostPremiumUsd: 4,
      savingsVsPremiumEstUsd: -0.125,
      nDeclared: 2,
      estCostDeclaredUsd: 1,
      savingsVsDeclaredEstUsd: 0.875
    })
  })

  it("groups are sorted by key", () => {
    const keys = (by: "cluster" | "task_type" | "lane") => savings(ledger, by).groups.map(({ key }) => key)
    assert.deepStrictEqual(keys("cluster"), ["code:hard", "code:trivial", "qa:easy"])
    assert.deepStrictEqual(keys("task_type"), ["code", "qa"])
    assert.deepStrictEqual(keys("lane"), ["sextant:default", "sextant:support"])
    assert.deepStrictEqual(savings(ledger, null).groups, [])
  })

  it("a group's figures are those of its own rows", () => {
    const group = savings(ledger, "cluster").groups.find(({ key }) => key === "qa:easy")
    assert.strictEqual(group?.summary.estimated.savingsVsPremiumUsd, 1)
    assert.strictEqual(group?.summary.realized.savingsVsPremiumEstUsd, -2)
    assert.strictEqual(group?.health.feedbackCoverage, 1)
  })

  it("by tag a decision counts for each of its tags, and the whole counts it once", () => {
    const tagged = ledger.map(({ decision, feedback }, index) =>
      ({ feedback, decision: { ...decision, tags: [["a", "b"], ["b"], []][index % 3]!, userId: index === 0 ? "ann" : null } }))
    const { groups, summary } = savings(tagged, "tag")
    assert.deepStrictEqual(groups.map(({ key, summary: { estimated: { n } } }) => [key, n]), [["", 1], ["a", 2], ["b", 4]])
    assert.deepStrictEqual(summary, savings(ledger, null).summary)
    const whole = groups[2]!.summary.realized.realizedCostUsd
    assert.strictEqual(whole, 0.125 + 4)
    assert.deepStrictEqual(savings(tagged, "user_id").groups.map(({ key }) => key), ["", "ann"])
    // Tags of which no decision has two add up as users do.
    const once = tagged.map(({ decision, feedback }) => ({ feedback, decision: { ...decision, tags: decision.tags.slice(0, 1) } }))
    for (const [rows, by] of [[once, "tag"], [tagged, "user_id"]] as const) {
      const parts = savings(rows, by).groups.map(({ summary: { estimated, realized } }) => [estimated.n, realized.realizedCostUsd])
      assert.deepStrictEqual(parts.reduce((one, other) => one.map((each, at) => each + other[at]!)), [5, 4.125])
    }
  })

  it("an empty ledger saved nothing", () => {
    const { summary, groups } = savings([], "lane")
    assert.isTrue(Object.values(summary.estimated).every((value) => value === 0))
    assert.isTrue(Object.values(summary.realized).every((value) => value === 0))
    assert.deepStrictEqual(groups, [])
  })

  it("what the reasoner cost stands beside the savings, and is unknown until a row knows it", () => {
    assert.isNull(savings(ledger, null).summary.reasonerCostUsd)
    const asked = [decided({ reasonerCostUsd: 0.5 }), decided({ reasonerCostUsd: 0 }), ...ledger]
    const { estimated, reasonerCostUsd } = savings(asked, null).summary
    assert.strictEqual(reasonerCostUsd, 0.5)
    assert.strictEqual(estimated.savingsVsPremiumUsd, 3.5 + 2 * 0.75)
    assert.strictEqual(savings([decided({ reasonerCostUsd: 0 })], null).summary.reasonerCostUsd, 0)
  })
})

describe("savings by day", () => {
  const on = (day: string) => ({ createdAt: new Date(`2026-11-${day}Z`) })

  it("feedback counts on the day of its decision, however late it comes", () => {
    const days = savingsByDay([
      decided(on("03T23:59:59.999")),
      reported({ actualCostUsd: 0.5, feedbackAt: new Date("2026-11-19T00:00:00Z") }, on("01T00:00:00")),
      reported({ actualCostUsd: 0 }, on("03T00:00:00"))
    ])
    assert.deepStrictEqual(days.map(({ day }) => day), ["2026-11-01", "2026-11-03"])
    assert.deepStrictEqual(days.map(({ summary }) => summary.estimated.n), [1, 2])
    assert.deepStrictEqual(days.map(({ summary }) => summary.realized.nReconciled), [1, 1])
    assert.deepStrictEqual(days.map(({ summary }) => summary.realized.savingsVsPremiumEstUsd), [0.5, 1])
  })
})

const Usd = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 }))
const Row = Schema.Struct({
  cluster: Schema.Literals(["code:hard", "qa:easy", "rag:medium"]),
  recommended: Usd, premium: Usd, declared: Schema.NullOr(Usd), bill: Schema.NullOr(Usd), day: Schema.Int
})

describe("savings as they are sent", () => {
  it.prop("have few decimals, and their differences and their groups' sums hold to the last of them", {
    rows: Schema.Array(Row).check(Schema.isMaxLength(20))
  }, ({ rows }) => {
    const ledger = rows.map(({ bill, cluster, day, declared, premium, recommended }) =>
      reported({ actualCostUsd: bill === null ? null : usd(bill) }, {
        cluster, createdAt: new Date(Math.abs(day % 3) * 86_400_000), costRecommendedUsd: usd(recommended),
        costPremiumUsd: usd(premium), costDeclaredUsd: declared === null ? null : usd(declared)
      }))
    const { groups, summary } = Schema.encodeSync(SavingsResponse)({
      namespace: null, days: 30, groupBy: "cluster", comparison: null, tasks: null, ...savings(ledger, "cluster")
    })
    const days = Schema.encodeSync(Schema.Array(SavingsDay))(savingsByDay(ledger))
    assertRounded({ summary, groups, days })
    const { estimated, realized } = summary
    const minus = (one: number, other: number) => Number((one - other).toFixed(12)) + 0
    assert.strictEqual(
      estimated.savings_vs_premium_usd, minus(estimated.cost_premium_usd, estimated.cost_recommended_usd)
    )
    assert.strictEqual(
      realized.savings_vs_premium_est_usd, minus(realized.est_cost_premium_usd, realized.realized_cost_usd)
    )
    for (const kind of ["estimated", "realized"] as const) {
      for (const [name, whole] of Object.entries(summary[kind])) {
        for (const parts of [groups, days]) {
          const sum = parts.reduce(
            (total, part) => total + (part.summary[kind] as unknown as Record<string, number>)[name]!, 0
          )
          assert.strictEqual(Number(sum.toFixed(12)) + 0, whole, `${kind}.${name}`)
        }
      }
    }
  })
})
