import { assert, it } from "@effect/vitest"
import { type FeedbackReport, type Label, reported, trustOfSource, votedOn } from "../../src/domain/FeedbackPrecedence.ts"
import type { Provenance } from "../../src/domain/Feedback.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { reportOf } from "../ledger/LedgerContract.ts"

const waiting: Label = {
  feedbackAt: new Date(0), outcome: "failure", quality: 0.1, taughtQuality: 0.1, provenance: "vote", provenanceWeight: 0.4,
  errorCause: null, teaches: true, isLate: false
}
const report = (provenance: Provenance, over: Partial<FeedbackReport> = {}): FeedbackReport =>
  reportOf({ provenance, outcome: "success", teaches: provenance !== "none", errorCause: null, ...over })
const afterAll = (reports: ReadonlyArray<FeedbackReport>, vote: Label | null) =>
  reports.reduce<ReturnType<typeof reported>["outcomes"]>((outcomes, each, index) =>
    reported(outcomes, each, index + 1, { modelsMax: 16, waiting: vote }).outcomes, [])
const after = (...reports: ReadonlyArray<FeedbackReport>) => afterAll(reports, waiting)
const afterUnvoted = (...reports: ReadonlyArray<FeedbackReport>) => afterAll(reports, null)

it("a vote ranks and weighs less than every other label, and at most a judge's weight", () => {
  for (const [source, trust] of Object.entries(trustOfSource)) {
    if (source !== "vote" && source !== "none") assert.isBelow(trustOfSource.vote, trust, source)
  }
  assert.isAtMost(defaults.provenanceWeight.vote, 0.6)
  assert.isAtMost(defaults.provenanceWeight.vote, defaults.provenanceWeight.judge)
})

it("a vote that waits becomes the label of the first call that ran without one", () => {
  assert.deepStrictEqual(after(report("none")).map(({ label }) => label), [waiting])
  for (const source of ["gate", "human", "judge", "assertion"] as const) {
    assert.deepStrictEqual(after(report(source)).map(({ label }) => label.provenance), [source])
  }
})

it("a vote that waits passes over calls that the infrastructure broke, and takes one model alone", () => {
  const broken = report("none", { outcome: "failure", errorCause: "infra", chosenModelId: "broken" })
  const labels = after(broken, report("none", { chosenModelId: "ran" }), report("none", { chosenModelId: "later" }))
    .map(({ label, modelId }) => [modelId, label.provenance])
  assert.deepStrictEqual(labels, [["broken", "none"], ["ran", "vote"], ["later", "none"]])
  assert.strictEqual(votedOn(afterUnvoted(report("none"), broken))?.modelId, "maker/small")
})

it("a verdict that comes later replaces the vote, and the vote's measurements stay the report's", () => {
  const [outcome] = after(report("none", { actualCostUsd: 0.5 }), report("judge", { actualCostUsd: null }))
  assert.strictEqual(outcome?.label.provenance, "judge")
  assert.strictEqual(outcome?.billed.actualCostUsd, 0.5)
})

it("a vote stays with the model that it counted for, whose label may be another's, and else is about the last one", () => {
  const [first, later] = [report("none", { chosenModelId: "first" }), report("none", { chosenModelId: "later" })]
  assert.isNull(votedOn([]))
  assert.strictEqual(votedOn(afterUnvoted(first, later))?.modelId, "later")
  assert.strictEqual(votedOn(after(first, later))?.modelId, "first")
  const vote = report("vote", { chosenModelId: "first" })
  for (const source of ["gate", "human", "judge", "assertion", "none"] as const) {
    const other = report(source, { chosenModelId: "first" })
    for (const reports of [[first, vote, other, later], [other, vote, later], [other, vote, later, vote, later]]) {
      assert.strictEqual(votedOn(afterUnvoted(...reports))?.modelId, "first", source)
    }
  }
})
