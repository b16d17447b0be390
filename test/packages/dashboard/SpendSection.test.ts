import { assert, it } from "@effect/vitest"
import { periodsOf, spendSection } from "../../../packages/dashboard/src/SpendSection.ts"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import { reported } from "../../reports/rows.ts"
import { answersOn } from "./answers.ts"

const answers = answersOn([
  reported({ actualCostUsd: 3 }), reported({ computedCostUsd: 1 }), reported({ actualCostUsd: 5, chosenModelId: "<b>" })
])
const { dashboard } = answers
const [first] = dashboard.savings_by_day
const dayOf = (day: string) => ({ ...(first ?? assert.fail("a day")), day })
const on = (...days: ReadonlyArray<string>) => periodsOf({ ...dashboard, savings_by_day: days.map(dayOf), spend_by_day: [] })

it("a day without decisions between two others is empty, and none is drawn outside of them", () => {
  assert.deepStrictEqual(on("2026-02-27", "2026-03-01").map(({ dates, name, summaries }) => [name, dates, summaries.length]), [
    ["27 Feb", "2026-02-27/2026-02-27", 1], ["28 Feb", "2026-02-28/2026-02-28", 0], ["1 Mar", "2026-03-01/2026-03-01", 1]
  ])
  assert.deepStrictEqual(on(), [])
})

it("a year is drawn as weeks that contain every day", () => {
  const weeks = on(...Array.from({ length: 365 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)))
  assert.strictEqual(weeks.length, 53)
  assert.strictEqual(weeks.reduce((sum, { summaries }) => sum + summaries.length, 0), 365)
  assert.deepStrictEqual([weeks[0], weeks[52]].map((week) => week?.dates), ["2026-01-01/2026-01-07", "2026-12-31/2026-12-31"])
})

it("spending is stacked by model, solid by bills and hollow at list prices, names as text", () => {
  const html = htmlOf(spendSection(answers) ?? assert.fail("a section"))
  assert.match(html, /class="bar hue-0"><title>[^<]*&lt;b&gt;: \$5\.00<\/title>/)
  assert.match(html, /class="bar hue-1"><title>[^<]*small: \$3\.00<\/title>/)
  assert.match(html, /class="bar hue-1 hollow"><title>[^<]*small: \$1\.00 at list prices<\/title>/)
  assert.include(html, "small $4.00")
  assert.isNull(spendSection(answersOn([reported()])))
})

it("the days of all models add up to what was spent", () => {
  const { spend } = answers.savings.summary
  const sum = (of: "billed_usd" | "list_prices_usd") => (dashboard.spend_by_day ?? []).reduce((usd, each) => usd + each[of], 0)
  assert.deepStrictEqual([sum("billed_usd"), sum("list_prices_usd")], [spend.billed_usd, spend.list_prices_usd])
})
