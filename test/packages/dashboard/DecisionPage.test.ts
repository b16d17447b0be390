import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { KeptDecision } from "../../../packages/dashboard/src/Answers.ts"
import { decisionIn, decisionPage, fragmentOf } from "../../../packages/dashboard/src/DecisionPage.ts"
import type { Decision } from "../../../src/domain/Decision.ts"
import { reported, type ReportedOutcome } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import { DecisionResponse } from "../../../src/domain/reports/DecisionReport.ts"
import { decisionReport } from "../../../src/reports/DecisionReport.ts"
import { reportOf } from "../../ledger/LedgerContract.ts"
import { decision } from "../../support/builders.ts"
import { htmlIn } from "./answers.ts"

const textOf = (id: string, kept: KeptDecision | null): string => htmlIn(decisionPage(id, kept))

const textOn = (changed: Partial<Decision>, outcomes: ReadonlyArray<ReportedOutcome> = []): string => {
  const made = decision(changed)
  const kept = Schema.encodeSync(DecisionResponse)({ decision: decisionReport(made, outcomes) }).decision
  return textOf(made.recommendationId, kept)
}

describe("the page of a decision", () => {
  it("says that a budget lowered the threshold, and only then", () => {
    const words = ", lowered to keep the budget."
    assert.include(textOn({ warnings: ["budget_paced"] }), words)
    assert.notInclude(textOn({ warnings: [] }), words)
  })

  it("says what a run showed of itself, and of another report nothing", () => {
    const signals = { steps: 1, outputTokens: 1_200, toolErrors: 2, ended: "limit" } as const
    const [told, silent] = [{ signals }, {}].map((over) =>
      textOn({}, reported([], { ...reportOf({ provenance: "self_check", teaches: false }), ...over }, 1, 16).outcomes))
    assert.include(told, "1 step, 1,200 output tokens, 2 tool calls failed, ended at a limit, not counted")
    assert.match(told ?? "", /by the agent.{1,6}s own check/)
    assert.notInclude(silent, "step")
  })
})

describe("the fragment of a decision", () => {
  const id = "01a208ac-ded5-756b-bd12-e33275e862d8"

  it("opens it in either case, and no other fragment does", () => {
    assert.strictEqual(decisionIn(fragmentOf(id)), id)
    assert.strictEqual(decisionIn(fragmentOf(id.toUpperCase())), id.toUpperCase())
    for (const other of ["", "#", "#report", "#decisions", "decision/", "#__proto__"]) assert.isNull(decisionIn(other))
  })

  it("names none where the service would refuse its id", () => {
    const refused = ["", id.slice(1), `${id}/`, `${id}\n`, "0".repeat(36), "-".repeat(36), id.replace("-7", "-4"), "<b>x</b>"]
    for (const each of refused) assert.strictEqual(decisionIn(fragmentOf(each)), "", each)
    assert.include(textOf("", null), "incomplete or misspelt")
  })
})
