import { assert, describe, it } from "@effect/vitest"
import { exportOf } from "../../../packages/dashboard/src/Exports.ts"
import { taskSection } from "../../../packages/dashboard/src/TaskSection.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { decided, reported } from "../../reports/rows.ts"
import { answersOn, htmlIn } from "./answers.ts"

const textOf = (rows: ReadonlyArray<LedgerRow>): string => htmlIn(taskSection(answersOn(rows)))

const attempt = (task: string, attemptNumber: number, outcome: "success" | "failure", actualCostUsd: number | null = 0.5) =>
  reported({ outcome, actualCostUsd, computedCostUsd: null }, { taskKey: `id:${task}`, attemptNumber })

/** One task that a second attempt finished, one that the first did, and one that was given up. */
const rows = [
  attempt("a", 1, "failure"), attempt("a", 2, "success"), attempt("b", 1, "success"), attempt("c", 1, "failure"),
  reported({ outcome: "success" })
]

describe("the section of tasks", () => {
  it("is left away where no attempt says which task it is at", () => {
    assert.strictEqual(textOf([reported({}), decided()]), "")
  })

  it("says how many tasks were finished, in how many attempts, and what a finished one cost", () => {
    const text = textOf(rows)
    assert.include(text, "2 of 3 tasks finished")
    assert.match(text, /67 % \(95 % interval 21 % to 94 %\)/)
    assert.match(text, /Attempts per task.*1\.33/)
    assert.match(text, /Cost per finished task.*\$1\.00 \(95 % interval/)
    assert.include(text, "Of 1 reported call no task is known")
  })

  it("says that costs are not known where they are not", () => {
    const text = textOf([attempt("a", 1, "failure", null), attempt("b", 1, "success", null)])
    assert.match(text, /Cost per finished task.*not known/)
  })

  it("is exported as one row", () => {
    const csv = exportOf(answersOn(rows), "tasks")?.text() ?? ""
    assert.match(csv, /"n","n_finished","n_finished_at_first"/)
    assert.match(csv, /\r\n3,2,1,1,0,1,/)
  })
})
