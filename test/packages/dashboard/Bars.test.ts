import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { barsOf } from "../../../packages/dashboard/src/Bars.ts"
import { SavingsDay } from "../../../src/domain/reports/Dashboard.ts"
import { savings } from "../../reports/reference/Savings.ts"
import { decided } from "../../reports/rows.ts"

const dayOf = (day: string) => Schema.encodeSync(SavingsDay)({ day, summary: savings([decided()], null).summary })
const amounts = [() => 1, () => 0.5]

it("a day without decisions between two others has an empty bar, and no bar is outside of them", () => {
  assert.deepStrictEqual(barsOf([dayOf("2026-02-27"), dayOf("2026-03-01")], amounts), [
    { label: "27 Feb", dates: "2026-02-27/2026-02-27", values: [1, 0.5] },
    { label: "28 Feb", dates: "2026-02-28/2026-02-28", values: [0, 0] },
    { label: "1 Mar", dates: "2026-03-01/2026-03-01", values: [1, 0.5] }
  ])
  assert.deepStrictEqual(barsOf([], amounts), [])
})

it("a year is drawn as weeks that contain every day", () => {
  const year = Array.from({ length: 365 }, (_, day) =>
    dayOf(new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)))
  const bars = barsOf(year, amounts)
  assert.strictEqual(bars.length, 53)
  assert.strictEqual(bars.reduce((sum, { values }) => sum + (values[0] ?? 0), 0), 365)
  assert.strictEqual(bars[1]?.values[0], 7)
  assert.deepStrictEqual([bars[0], bars[52]].map((bar) => bar?.dates), ["2026-01-01/2026-01-07", "2026-12-31/2026-12-31"])
})
