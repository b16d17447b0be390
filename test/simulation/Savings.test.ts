import { assert, it } from "@effect/vitest"
import type { LedgerRow } from "../../src/domain/Decision.ts"
import { overview } from "../reports/reference/Overview.ts"
import { savings } from "../reports/reference/Savings.ts"
import { epsilonSoftmax, logOf, makeWorld } from "./world.ts"

/** Dollars in units of 2^-12: sums are exact in whatever order, and have no more decimals than are sent. */
const unit = 2 ** -12
const exact = (usd: number): number => Math.round(usd / unit) * unit
const units = (usd: number): bigint => BigInt(Math.round(usd / unit))

/** A log over three days: a third has a baseline, a fifth no feedback, some bills are 0. */
const ledger: ReadonlyArray<LedgerRow> = logOf(makeWorld({ seed: 4 }), {
  rows: 4000,
  logging: epsilonSoftmax(0.1),
  override: () => 0.2
}).map(({ decision, feedback }, index) => ({
  decision: {
    ...decision,
    costRecommendedUsd: exact(decision.costRecommendedUsd),
    costPremiumUsd: exact(decision.costPremiumUsd),
    costDeclaredUsd: index % 3 === 0 ? exact(decision.costRecommendedUsd * 1.5) : null
  },
  feedback: feedback === null || index % 5 === 0 ? null : {
    ...feedback,
    actualCostUsd: feedback.actualCostUsd === null || index % 7 > 0
      ? feedback.actualCostUsd && exact(feedback.actualCostUsd)
      : 0
  }
}))

/** The same figures, added up by hand in whole units. */
const byHand = (rows: ReadonlyArray<LedgerRow>) => {
  const total = (of: (row: LedgerRow) => number | null | undefined) =>
    Number(rows.reduce((sum, row) => sum + units(of(row) ?? 0), 0n)) * unit
  const isBilled = ({ feedback }: LedgerRow) => typeof feedback?.actualCostUsd === "number"
  const billed = rows.filter(isBilled)
  const declared = rows.filter(({ decision }) => decision.costDeclaredUsd !== null)
  return {
    n: rows.length,
    nReconciled: billed.length,
    savingsVsPremiumUsd: total(({ decision }) => decision.costPremiumUsd - decision.costRecommendedUsd),
    savingsVsDeclaredUsd: total(({ decision }) =>
      decision.costDeclaredUsd === null ? 0 : decision.costDeclaredUsd - decision.costRecommendedUsd),
    nDeclared: declared.length,
    realizedCostUsd: total(({ feedback }) => feedback?.actualCostUsd),
    savingsVsPremiumEstUsd: total((row) =>
      isBilled(row) ? row.decision.costPremiumUsd - (row.feedback?.actualCostUsd ?? 0) : 0),
    savingsVsDeclaredEstUsd: total((row) =>
      isBilled(row) && row.decision.costDeclaredUsd !== null
        ? row.decision.costDeclaredUsd - (row.feedback?.actualCostUsd ?? 0)
        : 0)
  }
}

const told = ({ estimated, realized }: ReturnType<typeof savings>["summary"]) => ({
  n: estimated.n,
  nReconciled: realized.nReconciled,
  savingsVsPremiumUsd: estimated.savingsVsPremiumUsd,
  savingsVsDeclaredUsd: estimated.savingsVsDeclaredUsd,
  nDeclared: estimated.nDeclared,
  realizedCostUsd: realized.realizedCostUsd,
  savingsVsPremiumEstUsd: realized.savingsVsPremiumEstUsd,
  savingsVsDeclaredEstUsd: realized.savingsVsDeclaredEstUsd
})

it("savings equal the sums of the ledger exactly", () => {
  assert.deepStrictEqual(told(savings(ledger, null).summary), byHand(ledger))
})

it("savings of every cluster and every day equal the sums of the ledger exactly", () => {
  for (const { key, summary } of savings(ledger, "cluster").groups) {
    assert.deepStrictEqual(told(summary), byHand(ledger.filter(({ decision }) => decision.cluster === key)))
  }
  const days = overview(ledger).savingsByDay
  assert.strictEqual(days.length, 3)
  for (const { day, summary } of days) {
    const own = ledger.filter(({ decision }) => decision.createdAt.toISOString().startsWith(day))
    assert.deepStrictEqual(told(summary), byHand(own))
  }
})
