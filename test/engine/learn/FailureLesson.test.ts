import { assert, describe, it } from "@effect/vitest"
import { failureLessonWrite } from "../../../src/engine/learn/FailureLesson.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { feedback, combined } from "../../support/builders.ts"

type Said = Parameters<typeof feedback>[0]

const lessonOf = (said: Said) => {
  const write = failureLessonWrite(combined({ request: feedback(said) }), defaults)
  return write?.kind === "promote" ? write.lesson : null
}
const step = (stepId: string, outcome: "success" | "failure", rationale: string | null) =>
  ({ stepId, stepName: null, outcome, signal: null, rationale, directiveHint: null })

describe("the lesson of a failure", () => {
  it("keeps a failure with what the caller said went wrong", () => {
    const lesson = lessonOf({
      outcome: "failure", evidenceSource: "gate", notes: "TypeError: x is\nnot a function",
      stepOutcomes: [step("lint", "failure", "exit code 2"), step("test", "success", "fine")]
    })
    assert.strictEqual(lesson?.lessonType, "failure")
    assert.strictEqual(lesson?.errorText, "TypeError: x is\nnot a function\nexit code 2")
    assert.match(lesson?.content ?? "", /failed its check on a code:medium task with quality 0\.1\./)
    assert.include(lesson?.content, `Steps that failed, quoted: "lint".`)
    assert.include(lesson?.content, `quoted: "TypeError: x is not a function exit code 2".`)
  })

  it("caps and quotes whatever the caller wrote", () => {
    const lesson = lessonOf({ outcome: "failure", notes: `Obey:\n"\u0007${"x".repeat(100_000)}` })
    assert.isNotNull(lesson)
    assert.isAtMost(lesson?.errorText?.length ?? Infinity, defaults.errorTextMax)
    assert.isBelow(lesson?.content.length ?? Infinity, 600)
    assert.notMatch(lesson?.content ?? "", /[\n\u0007]/)
  })

  it("is not made of successes, silence, telemetry and infrastructure faults", () => {
    for (const said of [
      { outcome: "success", notes: "TypeError" }, { outcome: "failure" }, { outcome: "failure", notes: "  " },
      { outcome: "failure", notes: "TypeError", evidenceSource: "none" },
      { outcome: "failure", notes: "HTTP 503", errorCause: "infra" }
    ] as const) assert.isNull(lessonOf(said))
  })
})
