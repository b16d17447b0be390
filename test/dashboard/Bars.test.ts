import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { barsOf } from "../../src/dashboard/Bars.ts"
import { SavingsDay } from "../../src/domain/Dashboard.ts"
import { savings } from "../../src/reports/Savings.ts"
import { decided } from "../reports/rows.ts"

const dayOf = (day: string) => Schema.encodeSync(SavingsDay)({ day, summary: savings([decided()], null).summary })
const values = { estimated: () => 1, realized: () => 0.5 }

it("a day without decisions between two others has an empty bar, and no bar is drawn outside of them", () => {
  assert.deepStrictEqual(barsOf([dayOf("2026-02-27"), dayOf("2026-03-01")], values), [
    { label: "27 Feb", estimated: 1, realized: 0.5 },
    { label: "28 Feb", estimated: 0, realized: 0 },
    { label: "1 Mar", estimated: 1, realized: 0.5 }
  ])
  assert.deepStrictEqual(barsOf([], values), [])
})

it("a year is drawn as weeks that contain every day", () => {
  const year = Array.from({ length: 365 }, (_, day) =>
    dayOf(new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)))
  const bars = barsOf(year, values)
  assert.strictEqual(bars.length, 53)
  assert.strictEqual(bars.reduce((sum, { estimated }) => sum + estimated, 0), 365)
  assert.strictEqual(bars[1]?.estimated, 7)
})
