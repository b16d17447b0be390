import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { steps } from "../../../src/engine/learn/Steps.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import type { StepRewards } from "../../../src/memory/Memory.ts"
import { feedback, lesson } from "../../support/builders.ts"
import { memoryOf, spy } from "../../support/fakes.ts"

const keeping = (request: ReturnType<typeof feedback>) =>
  Effect.gen(function*() {
    const recordSteps = spy((rewards: StepRewards) => Effect.succeed(rewards.steps.length))
    const kept = yield* steps(lesson({ request })).pipe(
      Effect.provide(Layer.mergeAll(memoryOf({ recordSteps }), Settings.layer()))
    )
    return { kept, asked: recordSteps.asked }
  })

it.effect("a step without a signal is rewarded by its outcome; a given signal stands, 0 included", () =>
  Effect.gen(function*() {
    const { asked } = yield* keeping(feedback({
      stepOutcomes: [
        { stepId: "a", outcome: "success" }, { stepId: "b", outcome: "partial" },
        { stepId: "c", outcome: "failure" },
        { stepId: "d", outcome: "success", signal: 0 }, { stepId: "e", outcome: "failure", signal: 0.5 }
      ]
    }))
    assert.deepStrictEqual(asked[0]?.steps.map(({ signal }) => signal), [1, 0, -1, 0, 0.5])
  }))

it.effect("of 33 steps the first 32 are kept", () =>
  Effect.gen(function*() {
    const { asked, kept } = yield* keeping(feedback({
      stepOutcomes: Array.from({ length: 33 }, (_, i) => ({ stepId: `s${i}`, outcome: "success" as const }))
    }))
    assert.strictEqual(kept, 32)
    assert.strictEqual(asked[0]?.steps.at(-1)?.stepId, "s31")
  }))

it.effect("without steps memory is not asked", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* keeping(feedback()), { kept: 0, asked: [] })
  }))
