import { assert, describe, it } from "@effect/vitest"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { savingsOf } from "../../../src/reports/savings/Savings.ts"
import { savings, savingsFigures } from "../reference/Savings.ts"
import { decided, reported } from "../rows.ts"

type Ran = Parameters<typeof reported>[0]

const declared = { baselineModelId: "large", costDeclaredUsd: 1 }
/** The pick, `small`, ran and was billed; the caller would otherwise use `large`, at an estimate of 1 USD. */
const followed = (actualCostUsd: number | null, over: Ran = {}) => reported({ actualCostUsd, ...over }, declared)
const overruled = (actualCostUsd: number) => followed(actualCostUsd, { chosenModelId: "large" })
const of = (rows: ReadonlyArray<LedgerRow>) =>
  savings(rows, null).summary.followed ?? assert.fail("no figure of the followed decisions")

describe("savings over followed decisions", () => {
  it("are exactly 0 where the model that ran is the baseline, however wrong its estimate", () => {
    const same = Array.from({ length: 10 }, () =>
      reported({ actualCostUsd: 0.0123 }, { baselineModelId: "small", costDeclaredUsd: 0.25 }))
    const { basis, costBaselineUsd, costUsd, nSameModel, ...rest } = of(same)
    assert.deepStrictEqual([rest.savingsUsd, rest.savingsLowUsd, rest.savingsHighUsd], [0, 0, 0])
    assert.deepStrictEqual([basis, nSameModel, costBaselineUsd], ["same_model", 10, costUsd])
    // The specified field keeps its definition: the estimate less the bills.
    assert.closeTo(savings(same, null).summary.realized.savingsVsDeclaredEstUsd, 10 * (0.25 - 0.0123), 1e-9)
  })

  it("have no other decision: overruled, without a bill, without a baseline, without feedback", () => {
    const own = [followed(0.2), followed(0.3)]
    const rest = [
      overruled(3), followed(9, { chosenModelId: "stranger" }), followed(null), decided(declared),
      reported({ actualCostUsd: 9 }), reported({ actualCostUsd: 9 }, { baselineModelId: "unpriced" })
    ]
    const { costUsd, followedShare, n, nFollowed } = of([...own, ...rest])
    assert.deepStrictEqual([n, nFollowed, costUsd], [2, 5, 0.5])
    assert.closeTo(followedShare ?? NaN, 5 / 7, 1e-12)
  })

  it("scale the baseline's estimate by its own bills, wherever it ran", () => {
    const bills = Array.from({ length: 30 }, () => overruled(0.5))
    const { basis, billToEstimateRatio, costBaselineUsd, nBaselineBills, ...rest } = of([...bills, followed(0.25)])
    assert.deepStrictEqual([basis, nBaselineBills], ["bills", 30])
    assert.closeTo(billToEstimateRatio ?? NaN, 0.5, 1e-12)
    assert.deepStrictEqual([costBaselineUsd, rest.savingsUsd], [0.5, 0.25])
    assert.isBelow(rest.savingsLowUsd ?? NaN, 0.25)
    assert.isAbove(rest.savingsHighUsd ?? NaN, 0.25)
    // Where the baseline was the pick, its estimate is the pick's.
    const picked = Array.from({ length: 30 }, () => reported(
      { chosenModelId: "large", actualCostUsd: 0.5 },
      { ...declared, recommendedModelId: "large", costRecommendedUsd: 1 }
    ))
    assert.strictEqual(of([...picked, followed(0.25)]).savingsUsd, 0.25)
  })

  it("shrink a cluster's ratio toward its model's, less with more bills", () => {
    const qa = { ...declared, cluster: "qa:hard" } as const
    const ratioWith = (count: number) => {
      const rows = [
        ...Array.from({ length: 200 }, () => overruled(1)),
        ...Array.from({ length: count }, () => reported({ chosenModelId: "large", actualCostUsd: 3 }, qa)),
        reported({ actualCostUsd: 0.1 }, qa)
      ]
      return of(rows).billToEstimateRatio ?? NaN
    }
    assert.isBelow(ratioWith(1), ratioWith(4))
    assert.isBelow(ratioWith(4), ratioWith(60))
    assert.closeTo(ratioWith(400), 3, 0.2)
  })

  it("say that they rest on an estimate where a baseline was never billed, and give no interval", () => {
    const only = of([followed(0.25)])
    assert.deepStrictEqual([only.basis, only.savingsUsd, only.nBaselineBills], ["estimate", 0.75, 0])
    assert.deepStrictEqual([only.savingsLowUsd, only.savingsHighUsd], [null, null])
    const other = reported({ actualCostUsd: 0.25 }, { baselineModelId: "never", costDeclaredUsd: 2 })
    const mixed = of([overruled(0.5), followed(0.25), other])
    assert.deepStrictEqual([mixed.basis, mixed.savingsLowUsd], ["partly_estimate", null])
    assert.deepStrictEqual([of([]).basis, of([]).followedShare, of([]).savingsUsd], ["none", null, 0])
  })

  it("are less sure with fewer bills, and never infinitely sure", () => {
    const width = (count: number) => {
      const { savingsHighUsd, savingsLowUsd } = of([
        ...Array.from({ length: count }, () => overruled(0.5)), followed(0.25)
      ])
      return (savingsHighUsd ?? NaN) - (savingsLowUsd ?? NaN)
    }
    assert.isAbove(width(1), width(5))
    assert.isAbove(width(5), width(100))
    assert.isAbove(width(1000), 0)
  })

  it("count the decisions without a bill, and are significant only if these could not turn them", () => {
    const bills = Array.from({ length: 200 }, () => overruled(1))
    const saved = [...bills, ...Array.from({ length: 20 }, () => followed(0.2))]
    const lost = [...bills, ...Array.from({ length: 20 }, () => followed(3))]
    const without = (count: number) => Array.from({ length: count }, () => followed(null))
    for (const [rows, isGain] of [[saved, true], [lost, false]] as const) {
      const whole = of(rows)
      assert.deepInclude(whole, { nMissing: 0, isSignificant: true })
      const low = isGain ? whole.savingsLowUsd ?? NaN : -(whole.savingsHighUsd ?? NaN)
      // Each could take or add as much as the baseline would have cost: 1 USD.
      const [few, many] = [Math.floor(low / 1.01), Math.ceil(low * 1.01)]
      assert.isAbove(few, 5)
      for (const [count, isSignificant] of [[few, true], [many, false]] as const) {
        assert.deepInclude(of([...rows, ...without(count)]), {
          nMissing: count, isSignificant, n: 20, savingsLowUsd: whole.savingsLowUsd, savingsHighUsd: whole.savingsHighUsd
        })
      }
    }
    // Calls of the baseline itself saved nothing, with a bill or without; what the infrastructure broke is no call.
    const same = Array.from({ length: 90 }, () => reported({ actualCostUsd: null }, { baselineModelId: "small", costDeclaredUsd: 1 }))
    const broken = Array.from({ length: 90 }, () => followed(null, { outcome: "failure", errorCause: "infra", teaches: false }))
    assert.deepInclude(of([...saved, ...same, ...broken]), { nMissing: 90, isSignificant: true })
    assert.deepInclude(of(same), { basis: "none", nMissing: 90, isSignificant: false })
    const billedSame = reported({ actualCostUsd: 1 }, { baselineModelId: "small", costDeclaredUsd: 1 })
    assert.deepInclude(of([billedSame]), { basis: "same_model", isSignificant: false })
    // Calls with tokens lack a bill, and are missing at list prices only without them.
    const listed = Array.from({ length: 25 }, () => followed(null, { computedCostUsd: 0.2 }))
    const both = of([...saved, ...bills.map((row) => row), ...listed, ...without(2)])
    assert.deepInclude(both, { nMissing: 27, isSignificant: false })
    assert.strictEqual(both.listPrices?.nMissing, 2)
    assert.deepInclude(of([bills[0]!, followed(null)]), { n: 0, nMissing: 1, isSignificant: false, savingsLowUsd: null })
  })

  it("leave out a bill far above every estimate, of the pick and of the baseline", () => {
    const bills = Array.from({ length: 5 }, () => overruled(0.5))
    const without = of([...bills, followed(0.25)])
    const withOutliers = of([...bills, followed(0.25), followed(10_000), overruled(90_000)])
    assert.deepStrictEqual(
      { ...withOutliers, nFollowed: 0, followedShare: 0 }, { ...without, nFollowed: 0, followedShare: 0 }
    )
  })

  it("leave out a call that the infrastructure broke, of the pick and of the baseline", () => {
    const bills = Array.from({ length: 10 }, () => overruled(0.5))
    const whole = of([...bills, followed(0.25)])
    for (const outcome of ["failure", "partial"] as const) {
      const broken = { outcome, errorCause: "infra", teaches: false } as const
      const { n, savingsHighUsd, savingsLowUsd, savingsUsd } =
        of([...bills, followed(0.25), followed(0, broken), followed(0, { ...broken, chosenModelId: "large" })])
      assert.deepStrictEqual(
        [n, savingsUsd, savingsLowUsd, savingsHighUsd],
        [1, whole.savingsUsd, whole.savingsLowUsd, whole.savingsHighUsd]
      )
    }
    // A failure of the model's own has been paid for, and counts.
    assert.strictEqual(of([...bills, followed(0.25), followed(0.25, { outcome: "failure" })]).n, 2)
  })

  it("take bills of 0 and next to 0, and estimates of 0, as they are", () => {
    for (const bill of [0, 1e-300, 1e-13]) {
      const { savingsLowUsd, savingsUsd } = of([overruled(bill), followed(0.25)])
      assert.closeTo(savingsUsd, -0.25, 1e-9)
      assert.isNull(savingsLowUsd)
    }
    const free = reported({ actualCostUsd: 0.25 }, { baselineModelId: "large", costDeclaredUsd: 0 })
    const { basis, n, savingsUsd } = of([free])
    assert.deepStrictEqual([basis, n, savingsUsd], ["estimate", 1, -0.25])
  })

  it("at list prices are the same figures of tokens without a bill, and none count twice", () => {
    const atList = (row: LedgerRow): LedgerRow => row.feedback === null ? row : {
      ...row, feedback: { ...row.feedback, actualCostUsd: null, computedCostUsd: row.feedback.actualCostUsd }
    }
    const billed = [
      ...Array.from({ length: 30 }, () => overruled(0.5)), followed(0.25), followed(0.125),
      reported({ actualCostUsd: 0.0625 }, { baselineModelId: "small", costDeclaredUsd: 0.25 }),
      followed(0, { outcome: "failure", errorCause: "infra", teaches: false }), followed(10_000), overruled(90_000)
    ]
    const { billToEstimateRatio, followedShare, listPrices: none, nBaselineBills, nFollowed, ...bills } = of(billed)
    const { costToEstimateRatio, nBaselineCosts, ...listed } = of(billed.map(atList)).listPrices ?? assert.fail()
    assert.deepStrictEqual(listed, bills)
    assert.deepStrictEqual([costToEstimateRatio, nBaselineCosts], [billToEstimateRatio, nBaselineBills])
    assert.deepStrictEqual([listed.n, listed.nSameModel, listed.basis], [3, 1, "bills"])
    const nothing = {
      n: 0, nSameModel: 0, costUsd: 0, costBaselineUsd: 0, savingsUsd: 0, savingsLowUsd: null, savingsHighUsd: null,
      basis: "none"
    } as const
    assert.deepInclude(none, nothing)
    assert.deepInclude(of(billed.map(atList)), nothing)
    // Beside each other, neither changes the other; a bill that comes later moves its call, and is never in both.
    const cheaper = billed.map((row) => atList(row)).map((row) => row.feedback?.computedCostUsd == null ? row : {
      ...row, feedback: { ...row.feedback, computedCostUsd: row.feedback.computedCostUsd / 2 }
    })
    const both = of([...billed, ...cheaper])
    // Only what is not billed is missing among the bills.
    const { isSignificant: _, ...figures } = bills
    assert.deepInclude(both, { ...figures, nMissing: 3 })
    assert.deepInclude(both.listPrices, of(cheaper).listPrices)
    const late = of([...billed, followed(0.25, { computedCostUsd: 0.5 })])
    assert.deepStrictEqual([late.n, late.listPrices?.n, late.costUsd], [bills.n + 1, 0, bills.costUsd + 0.25])
  })

  it("at list prices leave decisions in shadow out", () => {
    const own = Array.from({ length: 5 }, () => followed(null, { computedCostUsd: 0.25 }))
    const inShadow = ["small", "large"].map((chosenModelId) =>
      reported({ chosenModelId, computedCostUsd: 0.125 }, { ...declared, isShadow: true }))
    assert.deepStrictEqual(of([...own, ...inShadow]), of(own))
  })

  it("are scaled by the bills of the call's month and its neighbours, in whichever window", () => {
    const on = (day: string, row: LedgerRow): LedgerRow =>
      ({ ...row, decision: { ...row.decision, createdAt: new Date(`${day}T12:00:00Z`) } })
    const rows = [
      ...Array.from({ length: 40 }, () => on("2026-08-31", overruled(8))),
      ...Array.from({ length: 40 }, () => on("2026-10-31", overruled(0.5))),
      ...["2026-11-01", "2026-11-30", "2026-12-01"].map((day) => on(day, followed(0.25)))
    ]
    const { groups: days } = savingsOf(savingsFigures(rows, "day"), "day")
    const figures = days.slice(-3).map(({ summary }) => summary.followed)
    assert.deepStrictEqual(figures.map((each) => [each?.basis, each?.savingsUsd]), [["bills", 0.25], ["bills", 0.25], ["estimate", 0.75]])
    const earlier = [on("2026-09-30", followed(0.25)), on("2026-07-31", followed(0.25)), ...rows]
    assert.isAbove(savingsOf(savingsFigures(earlier, null, (row) => row === earlier[0]), null).summary.followed?.nBaselineBills ?? 0, 79)
    assert.strictEqual(savingsOf(savingsFigures(earlier, null, (row) => row === earlier[1]), null).summary.followed?.nBaselineBills, 40)
    for (const [at, row] of rows.slice(-3).entries()) {
      const alone = savingsOf(savingsFigures(rows, null, (each) => each === row), null)
      assert.deepStrictEqual(alone.summary.followed, figures[at])
    }
    const whole = savingsOf(savingsFigures(rows, null, (each) => rows.indexOf(each) >= 80), null).summary.followed
    assert.deepStrictEqual([whole?.savingsUsd, whole?.basis, whole?.nBaselineBills], [1.25, "partly_estimate", 40])
  })

  it("of two months that share bills are less sure than of one, and surer than if errors agreed", () => {
    const on = (day: string, count: number, row: LedgerRow) => Array.from({ length: count }, (): LedgerRow =>
      ({ ...row, decision: { ...row.decision, createdAt: new Date(`${day}T12:00:00Z`) } }))
    const rows = ["2026-09-01", "2026-10-01", "2026-11-01"].flatMap((day) =>
      [...on(day, 10, overruled(0.5)), ...on(day, 50, followed(0.25))])
    const width = (from: string) => {
      const { savingsHighUsd, savingsLowUsd } =
        savingsOf(savingsFigures(rows, null, ({ decision }) => decision.createdAt >= new Date(from)), null).summary.followed ?? assert.fail()
      return (savingsHighUsd ?? NaN) - (savingsLowUsd ?? NaN)
    }
    assert.isAbove(width("2026-10-01"), width("2026-11-01"))
    assert.isBelow(width("2026-10-01"), 2 * width("2026-11-01"))
  })

  it("of groups are scaled by the bills of the whole window", () => {
    const lane = { ...declared, lane: "sextant:other" }
    const rows = [
      ...Array.from({ length: 10 }, () => overruled(0.5)),
      ...[0.125, 0.25].map((actualCostUsd) => reported({ actualCostUsd }, { ...lane } as never))
    ]
    const { groups } = savings(rows, "lane")
    const other = groups.find(({ key }) => key === "sextant:other")?.summary.followed
    assert.deepStrictEqual([other?.n, other?.savingsUsd, other?.basis], [2, 0.625, "bills"])
  })
})
