import { assert, it } from "@effect/vitest"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import { summaryPage } from "../../../packages/dashboard/src/SummaryPage.ts"
import { untriedSection } from "../../../packages/dashboard/src/UntriedSection.ts"
import { laneOf } from "../../../src/domain/Scope.ts"
import { decided } from "../../reports/rows.ts"
import { answersOn } from "./answers.ts"

const rows = [
  decided({ untriedCheaper: { modelId: "mini#low", trials: 19, couldSaveUsdPer_1000: 10.5 } }),
  decided({ lane: laneOf("checkout"), untriedCheaper: { modelId: "<b>", trials: 7, couldSaveUsdPer_1000: 2 } })
]
const wordsOf = (html: string) => html.replaceAll("\u00a0", " ")

it("the section of what is hardly tried names model, outcomes and saving by kind, as text", () => {
  const section = untriedSection(answersOn(rows)) ?? assert.fail("a section")
  const text = wordsOf(htmlOf(section))
  assert.include(text, "A cheaper model is hardly tried for 2 kinds of task")
  assert.match(text, /default.*small.*mini#low.*19.*\$10\.50/s)
  assert.match(text, /checkout.*&lt;b&gt;.*7.*\$2\.00/s)
  assert.include(text, "Of the last 2 decisions")
})

it("the section is left away where nothing was named", () => {
  assert.isNull(untriedSection(answersOn([decided()])))
  const { dashboard: { untried_cheaper: _, ...older }, ...answers } = answersOn(rows)
  assert.isNull(untriedSection({ ...answers, dashboard: older }), "from a service that does not say")
})

it("the summary has the section", () => {
  const page = summaryPage({ answers: answersOn(rows), madeAt: new Date("2026-11-21T12:00:00Z"), version: "1.0.0" })
  assert.include(page, "A cheaper model is hardly tried for 2 kinds of task")
})
