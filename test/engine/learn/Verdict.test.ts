import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ErrorCause, EvidenceSource, Outcome, type Provenance } from "../../../src/domain/feedback/Feedback.ts"
import { Probability } from "../../../src/domain/Units.ts"
import { provenanceOf, verdict } from "../../../src/engine/learn/Verdict.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { decision, feedback } from "../../support/builders.ts"

const weekMs = 7 * 86_400_000
const judge = (over: Parameters<typeof feedback>[0], afterMs = 1_000) =>
  verdict(defaults, decision(), feedback(over), new Date(afterMs))

describe("provenance", () => {
  const of = (over: Parameters<typeof feedback>[0]) => provenanceOf(feedback(over))

  it("is the explicit source before anything else", () => {
    for (const evidenceSource of ["gate", "judge", "human", "none"] as const) {
      assert.strictEqual(of({ evidenceSource, verifiedInProduction: true, judged: false }), evidenceSource)
    }
  })
  it.each<readonly [verified: boolean, judged: boolean | null, source: Provenance]>([
    [true, null, "gate"],
    [true, true, "gate"],
    // `judged: false` is the same as `evidence_source: none`, and nothing can verify what nothing judged.
    [true, false, "none"],
    [false, null, "assertion"],
    [false, true, "judge"],
    [false, false, "none"]
  ])("follows the deprecated flags without a source: verified %s and judged %s is %s", (...row) => {
    const [verifiedInProduction, judged, source] = row
    assert.strictEqual(of({ verifiedInProduction, judged }), source)
    for (const evidenceSource of EvidenceSource.literals) {
      const said = evidenceSource === "no_result" ? "gate" : evidenceSource
      assert.strictEqual(of({ evidenceSource, outcome: "failure", verifiedInProduction, judged }), said)
    }
    const { promotes, teaches } = judge({ verifiedInProduction, judged })
    assert.deepStrictEqual([teaches, promotes], [source !== "none", source === "gate"])
  })
  it("of a run without a result is a gate's: it is a failure, and nothing else", () => {
    const lost = judge({ evidenceSource: "no_result", outcome: "failure" })
    assert.deepStrictEqual([lost.provenance, lost.provenanceWeight, lost.taughtQuality], ["gate", 1, 0])
    for (const outcome of ["success", "partial"] as const) {
      assert.throws(() => judge({ evidenceSource: "no_result", outcome }))
    }
  })
  it("weighs gate 1, human 0.9, assertion and judge 0.6; none and an agent's own check 0", () => {
    for (const outcome of ["success", "failure"] as const) {
      const { promotes, provenanceWeight, teaches } = judge({ evidenceSource: "self_check", outcome, qualityScore: null })
      assert.deepStrictEqual([provenanceWeight, teaches, promotes], [0, false, false])
    }
    const weights = (["gate", "human", "judge", "none", null] as const)
      .map((evidenceSource) => judge({ evidenceSource }))
      .map(({ provenanceWeight, teaches }) => [provenanceWeight, teaches])
    assert.deepStrictEqual(weights, [[1, true], [0.9, true], [0.6, true], [0, false], [0.6, true]])
  })
})

describe("quality", () => {
  it("defaults to 0.9, 0.5 and 0.1 without a warning", () => {
    const defaulted = (["success", "partial", "failure"] as const).map((outcome) => judge({ outcome }))
    assert.deepStrictEqual(defaulted.map(({ quality }) => quality), [0.9, 0.5, 0.1])
    assert.deepStrictEqual(defaulted.flatMap(({ warnings }) => warnings), [])
  })
  it("may lie anywhere in its outcome's band, edges included", () => {
    for (const [outcome, scores] of [
      ["success", [0.6, 1]], ["partial", [0.1, 0.95]], ["failure", [0, 0.4]]
    ] as const) {
      for (const qualityScore of scores) {
        const { quality, warnings } = judge({ outcome, qualityScore })
        assert.deepStrictEqual([quality, warnings], [qualityScore, []])
      }
    }
  })
  it("is clamped into the band, with a warning, when it contradicts the outcome", () => {
    for (const [outcome, qualityScore, clamped] of [
      ["success", 0.59, 0.6], ["success", 0, 0.6], ["partial", 0.09, 0.1], ["partial", 1, 0.95],
      ["failure", 0.41, 0.4], ["failure", 1, 0.4]
    ] as const) {
      const { quality, warnings } = judge({ outcome, qualityScore })
      assert.deepStrictEqual([quality, warnings], [clamped, ["quality_outcome_mismatch"]])
    }
  })
})

describe("an error's cause", () => {
  it.each<readonly [outcome: Outcome, errorCause: ErrorCause | null, teaches: boolean]>([
    ["failure", "infra", false],
    ["partial", "infra", false],
    // The model did the task in spite of the infrastructure.
    ["success", "infra", true],
    ["failure", "quality", true],
    ["partial", "quality", true],
    ["success", "quality", true],
    ["failure", null, true],
    ["partial", null, true],
    ["success", null, true]
  ])("decides, whatever the label's source, whether it teaches: %s by %s is %s", (...row) => {
    const [outcome, errorCause, teaches] = row
    for (const evidenceSource of ["gate", "human", "judge", null] as const) {
      assert.strictEqual(judge({ outcome, errorCause, evidenceSource }).teaches, teaches)
    }
    assert.isFalse(judge({ outcome, errorCause, evidenceSource: "none" }).teaches)
    assert.isFalse(judge({ outcome, errorCause, judged: false, verifiedInProduction: true }).teaches)
  })
})

it("feedback is late only after the seventh day, and then still teaches", () => {
  assert.isFalse(judge({}, weekMs - 1_000).isLate)
  assert.isFalse(judge({}, weekMs).isLate)
  const late = judge({}, weekMs + 1_000)
  assert.deepStrictEqual([late.isLate, late.teaches], [true, true])
  assert.deepStrictEqual(late.warnings, ["late_feedback_no_attribution"])
})

it("only a gate-verified success of at least 0.8 is worth a lesson", () => {
  const promotes = (over: Parameters<typeof feedback>[0]) => judge(over).promotes
  assert.isTrue(promotes({ evidenceSource: "gate" }))
  assert.isTrue(promotes({ verifiedInProduction: true, qualityScore: 0.8 }))
  assert.isFalse(promotes({ evidenceSource: "gate", qualityScore: 0.79 }))
  assert.isFalse(promotes({ evidenceSource: "gate", outcome: "partial", qualityScore: 0.9 }))
  for (const evidenceSource of ["human", "judge", "none", null] as const) {
    assert.isFalse(promotes({ evidenceSource }))
  }
})

it.prop("a verdict is consistent with its outcome, and teaches exactly when it weighs", {
  outcome: Outcome, qualityScore: Schema.NullOr(Probability), evidenceSource: Schema.NullOr(EvidenceSource),
  errorCause: Schema.NullOr(ErrorCause), judged: Schema.NullOr(Schema.Boolean),
  verifiedInProduction: Schema.Boolean
}, (drawn) => {
  const over = drawn.evidenceSource === "no_result" ? { ...drawn, outcome: "failure" as const } : drawn
  const { promotes, provenanceWeight, quality, teaches } = judge(over)
  const [low, high] = defaults.qualityBand[over.outcome]
  assert.isTrue(quality >= low && quality <= high)
  assert.strictEqual(teaches, provenanceWeight > 0)
  if (promotes) assert.isTrue(teaches)
})

describe("what an outcome teaches", () => {
  const step = (outcome: "success" | "partial" | "failure", signal: number | null = null) =>
    ({ stepId: outcome, outcome, signal })
  const taught = (over: Parameters<typeof feedback>[0]) =>
    verdict(defaults, decision(), feedback(over), new Date(0)).taughtQuality

  it("is 1, 0.5 or 0 by outcome without a score, when the steps show nothing beyond it", () => {
    const outcomes = ["success", "partial", "failure"] as const
    assert.deepStrictEqual(outcomes.map((outcome) => taught({ outcome })), [1, 0.5, 0])
    assert.deepStrictEqual(outcomes.map((outcome) => taught({ outcome, stepOutcomes: [step(outcome)] })), [1, 0.5, 0])
  })

  it("is less of a success whose steps failed, and more of a failure whose steps held", () => {
    assert.closeTo(taught({ outcome: "success", stepOutcomes: [step("success"), step("failure")] }), 0.8, 1e-12)
    assert.closeTo(taught({ outcome: "failure", stepOutcomes: [step("success"), step("success")] }), 0.4, 1e-12)
  })

  it("is the caller's score whatever the steps were", () => {
    const told = taught({ outcome: "success", qualityScore: 0.95, stepOutcomes: [step("failure")] })
    assert.strictEqual(told, 0.95)
  })
})
