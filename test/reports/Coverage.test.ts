import { assert, describe, it } from "@effect/vitest"
import type { VerdictCell } from "../../src/reports/VerdictSums.ts"
import { coverageOf } from "../../src/reports/Coverage.ts"
import { htmlOf } from "../../packages/dashboard/src/Html.ts"
import { coverageSection } from "../../packages/dashboard/src/CoverageSection.ts"
import { summaryPage } from "../../packages/dashboard/src/SummaryPage.ts"
import { answersOn } from "../packages/dashboard/answers.ts"
import { decided, reported } from "./rows.ts"
import { laneOf } from "../../src/domain/Scope.ts"

const cell = (lane: string, source: VerdictCell["source"], n: number): VerdictCell => ({ lane: laneOf(lane), source, n })

describe("The coverage of verdicts", () => {
  it("counts decisions, reports and verdicts by lane and source, those with most missing first", () => {
    const { lanes, n, nVerdicts } = coverageOf([
      cell("search", null, 10), cell("search", "gate", 90), cell("support", null, 100), cell("support", "none", 300),
      cell("support", "judge", 5), cell("support", "human", 7)
    ])
    assert.deepStrictEqual([n, nVerdicts], [512, 102])
    assert.deepStrictEqual(lanes, [
      { lane: laneOf("support"), n: 412, nReported: 312, nVerdicts: 12, sources: [{ n: 7, source: "human" }, { n: 5, source: "judge" }] },
      { lane: laneOf("search"), n: 100, nReported: 90, nVerdicts: 90, sources: [{ n: 90, source: "gate" }] }
    ])
  })

  it("names the one thing that helps most: reports, then verdicts, then trusted ones", () => {
    const stepIn = (...cells: ReadonlyArray<VerdictCell>) => coverageOf(cells).next
    assert.deepStrictEqual(stepIn(cell("a", null, 300), cell("a", "none", 100)), { lane: laneOf("a"), step: "report" })
    assert.deepStrictEqual(stepIn(cell("a", "none", 400), cell("b", null, 20)), { lane: laneOf("a"), step: "verdict" })
    assert.deepStrictEqual(
      stepIn(cell("a", "none", 800), cell("a", "judge", 60), cell("b", "none", 40)), { lane: laneOf("b"), step: "verdict" }
    )
    assert.deepStrictEqual(stepIn(cell("a", "none", 800), cell("a", "judge", 60)), { lane: laneOf("a"), step: "trusted" })
    assert.isNull(stepIn(cell("a", "none", 800), cell("a", "gate", 60)))
    assert.isNull(stepIn(cell("a", "human", 3)))
    assert.isNull(stepIn())
  })

  it("is on the page and in the summary, with the advice in a sentence", () => {
    const answers = answersOn([
      decided({ lane: laneOf("support") }), reported({ provenance: "none", teaches: false }, { lane: laneOf("support") }),
      reported({ provenance: "judge" }, { lane: laneOf("search") })
    ])
    const section = coverageSection(answers)
    const text = section === null ? "" : htmlOf(section).replaceAll("\u00a0", " ")
    assert.include(text, "33 % of 3 decisions have a verdict")
    assert.include(text, "Namespace support has too few verdicts: check its answers by a schema (gates.json)")
    assert.include(text, "1 by a judging model")
    const page = summaryPage({ answers, madeAt: new Date("2026-11-26T00:00:00Z"), version: "1" })
    assert.include(page, "have a verdict")
    assert.isNull(coverageSection(answersOn([])))
  })
})
