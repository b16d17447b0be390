import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { credit, noReinforcement } from "../../../src/engine/learn/Credit.ts"
import type { Lesson } from "../../../src/engine/learn/Record.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import type { Reinforcement } from "../../../src/memory/Memory.ts"
import { decision, feedback, lesson } from "../../support/builders.ts"
import { memoryOf, spy } from "../../support/fakes.ts"

const drove = (count: number, modelId: string) =>
  Array.from({ length: count }, (_, i) => ({ entryId: `${modelId}-${i}`, modelId, weight: i }))
const both = decision({ neighbours: [...drove(12, "cheap"), ...drove(3, "dear")] })

const crediting = (about: Lesson) =>
  Effect.gen(function*() {
    const reinforce = spy(({ entryIds }: Reinforcement) =>
      Effect.succeed({ entryIds, updatedConfidence: 0.7 }))
    const answer = yield* credit(about).pipe(
      Effect.provide(Layer.mergeAll(memoryOf({ reinforce }), Settings.layer()))
    )
    return { answer, asked: reinforce.asked }
  })

it.effect("the chosen model's neighbours are credited, the eight heaviest first", () =>
  Effect.gen(function*() {
    const { answer, asked } = yield* crediting(lesson({ decision: both }))
    assert.deepStrictEqual(asked.map((each) => each.entryIds),
      [[11, 10, 9, 8, 7, 6, 5, 4].map((i) => `cheap-${i}`)])
    assert.deepStrictEqual(asked.map((each) => [each.lane, each.quality]), [[both.lane, 0.9]])
    assert.strictEqual(answer.updatedConfidence, 0.7)
  }))

it.effect("a vote is the actor's whom the decision was for, at the time of the feedback", () =>
  Effect.gen(function*() {
    const about = lesson({ decision: decision({ neighbours: drove(1, "cheap"), userId: "ann" }) })
    const { asked } = yield* crediting(about)
    assert.deepStrictEqual(asked.map(({ occurredAt, userId }) => [userId, occurredAt]), [["ann", about.now]])
  }))

it.effect("a chosen model that was not recommended credits its own neighbours, a stranger nobody", () =>
  Effect.gen(function*() {
    const other = yield* crediting(lesson({ decision: both, request: feedback({ chosenModelId: "dear" }) }))
    assert.deepStrictEqual(other.answer.entryIds, ["dear-2", "dear-1", "dear-0"])
    const stranger = yield* crediting(lesson({ decision: both, request: feedback({ chosenModelId: "new" }) }))
    assert.deepStrictEqual(stranger, { answer: noReinforcement, asked: [] })
  }))

it.effect("late feedback, telemetry and infrastructure faults credit nobody", () =>
  Effect.gen(function*() {
    for (const about of [
      lesson({ decision: both, afterMs: 7 * 86_400_000 + 1 }),
      lesson({ decision: both, request: feedback({ evidenceSource: "none" }) }),
      lesson({ decision: both, request: feedback({ outcome: "failure", errorCause: "infra" }) })
    ]) {
      assert.deepStrictEqual(yield* crediting(about), { answer: noReinforcement, asked: [] })
    }
  }))

it.effect("a memory that is out is the stage's failure", () =>
  Effect.gen(function*() {
    const failure = yield* Effect.flip(credit(lesson({ decision: both })))
    assert.strictEqual(failure._tag, "MemoryUnavailable")
  }).pipe(Effect.provide(Layer.mergeAll(memoryOf(), Settings.layer()))))
