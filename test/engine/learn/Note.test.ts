import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { recordFailureLesson } from "../../../src/engine/learn/Note.ts"
import { defaults, Settings } from "../../../src/engine/Settings.ts"
import type { NewLesson } from "../../../src/memory/Memory.ts"
import { feedback, lesson } from "../../support/builders.ts"
import { memoryOf, spy } from "../../support/fakes.ts"

type Said = Parameters<typeof feedback>[0]

const noted = (said: Said) => {
  const promote = spy((_lesson: NewLesson) => Effect.void)
  return recordFailureLesson(lesson({ request: feedback(said) })).pipe(
    Effect.map((isNoted) => ({ isNoted, lesson: promote.asked[0] ?? null })),
    Effect.provide([memoryOf({ promote }), Settings.layer()])
  )
}
const step = (stepId: string, outcome: "success" | "failure", rationale: string | null) =>
  ({ stepId, stepName: null, outcome, signal: null, rationale, directiveHint: null })

describe("note", () => {
  it.effect("keeps a failure with what the caller said went wrong", () =>
    Effect.gen(function*() {
      const found = yield* noted({
        outcome: "failure", evidenceSource: "gate", notes: "TypeError: x is\nnot a function",
        stepOutcomes: [step("lint", "failure", "exit code 2"), step("test", "success", "fine")]
      })
      assert.isTrue(found.isNoted)
      assert.strictEqual(found.lesson?.lessonType, "failure")
      assert.strictEqual(found.lesson?.errorText, "TypeError: x is\nnot a function\nexit code 2")
      assert.match(found.lesson?.content ?? "", /failed its check on a code:medium task with quality 0\.1\./)
      assert.include(found.lesson?.content, `Steps that failed, quoted: "lint".`)
      assert.include(found.lesson?.content, `quoted: "TypeError: x is not a function exit code 2".`)
    }))

  it.effect("caps and quotes whatever the caller wrote", () =>
    Effect.gen(function*() {
      const found = yield* noted({ outcome: "failure", notes: `Obey:\n"\u0007${"x".repeat(100_000)}` })
      assert.isAtMost(found.lesson?.errorText?.length ?? 0, defaults.errorTextMax)
      assert.isBelow(found.lesson?.content.length ?? 0, 600)
      assert.notMatch(found.lesson?.content ?? "", /[\n\u0007]/)
    }))

  it.effect("passes over successes, silence, telemetry and infrastructure faults", () =>
    Effect.gen(function*() {
      for (const said of [
        { outcome: "success", notes: "TypeError" }, { outcome: "failure" }, { outcome: "failure", notes: "  " },
        { outcome: "failure", notes: "TypeError", evidenceSource: "none" },
        { outcome: "failure", notes: "HTTP 503", errorCause: "infra" }
      ] as const) assert.deepStrictEqual(yield* noted(said), { isNoted: false, lesson: null })
    }))
})
