import { assert, describe, it } from "@effect/vitest"
import { judgesSection } from "../../packages/dashboard/src/JudgesSection.ts"
import { htmlOf } from "../../packages/dashboard/src/Html.ts"
import type { Provenance } from "../../src/domain/feedback/Feedback.ts"
import { type FeedbackReport, reported, type ReportedOutcome } from "../../src/domain/feedback/FeedbackPrecedence.ts"
import { reportOf } from "../ledger/LedgerContract.ts"
import { answersOn } from "../packages/dashboard/answers.ts"
import { checkedOf, overview } from "./reference/Overview.ts"
import { reported as row } from "./rows.ts"

const report = (provenance: Provenance, outcome: "success" | "failure"): FeedbackReport =>
  reportOf({ provenance, outcome, teaches: provenance !== "none", errorCause: null })
const after = (...reports: ReadonlyArray<FeedbackReport>): ReadonlyArray<ReportedOutcome> =>
  reports.reduce<ReadonlyArray<ReportedOutcome>>((outcomes, each, index) =>
    reported(outcomes, each, index + 1, 16).outcomes, [])

describe("A verdict that is not trusted by itself", () => {
  it("is kept beside that of a gate or a person, whichever came first, and its last word counts", () => {
    const checked = [{ source: "judge", said: 1, success: 0 } as const]
    assert.deepStrictEqual(checkedOf(after(report("judge", "success"), report("gate", "failure"))), checked)
    assert.deepStrictEqual(checkedOf(after(report("human", "failure"), report("judge", "success"))), checked)
    assert.deepStrictEqual(
      checkedOf(after(report("gate", "failure"), report("judge", "failure"), report("assertion", "success"), report("judge", "success"))),
      [{ source: "judge", said: 1, success: 0 }, { source: "assertion", said: 1, success: 0 }]
    )
  })

  it("is kept nowhere where it counts, and where nothing was checked", () => {
    for (const outcomes of [after(report("judge", "success")), after(report("none", "success"), report("judge", "success"))]) {
      assert.deepStrictEqual(checkedOf(outcomes), [])
      assert.notProperty(outcomes[0], "said")
    }
    assert.deepStrictEqual(checkedOf(after(report("assertion", "success"), report("judge", "failure"))), [])
  })
})

describe("What judges are worth", () => {
  const rows = (checks: number) => [
    ...Array.from({ length: 100 }, () => row({ provenance: "judge", outcome: "success" }, { taskType: "code" })),
    ...Array.from({ length: checks }, (_, i) => ({
      ...row({ provenance: "gate", outcome: i % 2 === 0 ? "success" : "failure" }, { taskType: "code" }),
      outcomes: after(report("judge", "success"), report("gate", i % 2 === 0 ? "success" : "failure"))
    }))
  ]

  it("is not said before 30 of their verdicts were checked", () => {
    const [judge, ...others] = overview(rows(29)).judges ?? []
    assert.lengthOf(others, 0)
    assert.deepInclude(judge, {
      source: "judge", taskType: null, nJudged: 129, nChecked: 29, isChecked: false, success: null, passWrong: null, successJudged: 1
    })
    const section = judgesSection(answersOn(rows(29)))
    assert.include(section === null ? "" : htmlOf(section), "judge not checked")
  })

  it("is said from then on: how often they err, and the success that the checked ones leave", () => {
    const [judge] = overview(rows(40)).judges ?? []
    assert.deepInclude(judge, { nJudged: 140, nChecked: 40, isChecked: true, passWrong: 1, failRight: 0, successJudged: 1 })
    assert.closeTo(judge?.success ?? 0, 0.5, 0.02)
    assert.isBelow(judge?.successHigh ?? 1, 0.7)
    assert.isNull(judgesSection(answersOn([row({ provenance: "gate" })])))
  })
})
