import { assert, describe, it } from "@effect/vitest"
import type { Guarantees } from "../../../packages/dashboard/src/Answers.ts"
import { exportOf } from "../../../packages/dashboard/src/Exports.ts"
import { guaranteeSection } from "../../../packages/dashboard/src/GuaranteeSection.ts"
import { summaryPage } from "../../../packages/dashboard/src/SummaryPage.ts"
import { decided } from "../../reports/rows.ts"
import { answersOn, htmlIn } from "./answers.ts"

const ofAccount = { baseline_model_id: "gpt-5", max_quality_loss: 0.05, confidence: 0.999, trial_share: 0.2 }

const candidate = {
  model_id: "gpt-5-mini#low", state: "held", success: 0.91, baseline_success: 0.93, outcomes: 2_150, outcomes_needed: null,
  proven_loss: 0.05, evidence_since: null
} as const
const earning = { ...candidate, model_id: "nano", state: "earning", outcomes: 300, outcomes_needed: 900, proven_loss: null, evidence_since: null } as const
const kind = {
  lane: "sextant:checkout", task_type: "code", baseline_model_id: "gpt-5", max_quality_loss: 0.05, confidence: 0.999,
  state: "held", tasks: 9_000, candidates: [earning, candidate]
} as const

const answersOf = (guarantees: Guarantees | null) => ({ ...answersOn([decided()]), guarantees })

const textOf = (guarantees: Guarantees | null): string => htmlIn(guaranteeSection(answersOf(guarantees)))

describe("the section of guarantees", () => {
  it("is left away for an account without one, whose requests have none either", () => {
    assert.strictEqual(textOf({ guarantee: null, kinds: [] }), "")
  })

  it("gives the promise, each kind's state, what is proven and about how many outcomes it takes", () => {
    const text = textOf({ guarantee: ofAccount, kinds: [kind] })
    assert.include(text, "Guarantee: within 5.0 points of gpt-5")
    assert.include(text, "with 99.9 % confidence")
    assert.include(text, "Held in 1 of 1 kind of task")
    assert.include(text, "checkout, code")
    assert.include(text, "held: within 5.0 points")
    assert.include(text, "about 900 to go")
    assert.isBelow(text.indexOf("gpt-5-mini#low"), text.indexOf("nano"))
  })

  it("says what has not begun, is withdrawn or not in sight, and promises none of it", () => {
    assert.include(textOf({ guarantee: ofAccount, kinds: [] }), "has been counted yet")
    const far = { ...earning, outcomes_needed: null }
    const rests = { ...earning, model_id: "small", state: "withdrawn" } as const
    const text = textOf({ guarantee: null, kinds: [{ ...kind, state: "withdrawn", candidates: [far, rests] }] })
    assert.include(text, "Guarantees of requests")
    assert.include(text, "Held in 0 of 1 kind of task, withdrawn in 1")
    assert.include(text, "not in sight")
    assert.include(textOf({ guarantee: ofAccount, kinds: [{ ...kind, state: "earning", candidates: [] }] }), "none yet")
  })

  it("says that the guarantees cannot be read, in place of none", () => {
    assert.include(textOf(null), "cannot be read now")
  })

  it("lists a hundred candidates of very many, and says how many are left out", () => {
    const kinds = Array.from({ length: 130 }, (_, each) => ({ ...kind, task_type: `kind-${each}`, candidates: [candidate] }))
    const text = textOf({ guarantee: ofAccount, kinds })
    assert.lengthOf(text.match(/role="rowheader"/gu) ?? [], 100)
    assert.include(text, "30 more candidates in the export")
  })

  it("takes names for text, whatever is in them", () => {
    const text = textOf({ guarantee: ofAccount, kinds: [{ ...kind, candidates: [{ ...candidate, model_id: "<b>x" }] }] })
    assert.notInclude(text, "<b>")
  })

  it("is exported with a row for each candidate, and part of the summary", () => {
    const answers = answersOf({ guarantee: ofAccount, kinds: [kind] })
    const csv = exportOf(answers, "guarantee")?.text() ?? ""
    assert.match(csv, /"kind_lane","kind_task_type","kind_baseline_model_id",.*"candidate_model_id"/)
    assert.include(csv, "\"gpt-5-mini#low\",\"held\",0.91,0.93,2150,,0.05,")
    assert.lengthOf(csv.trim().split("\r\n"), 3)
    assert.include(summaryPage({ answers, madeAt: new Date(0), version: "1" }), "gpt-5-mini#low")
  })
})
