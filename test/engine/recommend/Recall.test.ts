import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { noRestarts } from "../../../src/domain/model/ModelIdentity.ts"
import { laneOf } from "../../../src/domain/Scope.ts"
import { emptyRecall, recall } from "../../../src/engine/recommend/Recall.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import type { RecallQuery } from "../../../src/memory/Memory.ts"
import { accountOf, neighbour, recalled } from "../../support/builders.ts"
import { memoryOf, spy } from "../../support/fakes.ts"

const query = {
  accountId: accountOf(),
  lane: laneOf("team"),
  task: "sum a list",
  cluster: "code:medium" as const,
  tags: ["lang:python"],
  userId: "ann",
  modelIds: ["a", "b"],
  restarts: noRestarts
}
const within = (memory: ReturnType<typeof memoryOf>) =>
  Effect.provide(Layer.mergeAll(memory, Settings.layer()))

it.effect("recall asks for the settings' neighbours per model and passes on what it finds", () =>
  Effect.gen(function*() {
    const found = recalled([neighbour("a")])
    const ask = spy((_: RecallQuery) => Effect.succeed(found))
    assert.strictEqual(yield* recall(query).pipe(within(memoryOf({ recall: ask }))), found)
    assert.deepStrictEqual(ask.asked, [{ ...query, perModel: 64 }])
  }))

it.effect("recall takes an answer that comes within its budget, and fails there without one", () =>
  Effect.gen(function*() {
    const slow = memoryOf({ recall: () => Effect.delay(Effect.succeed(emptyRecall), "249 millis") })
    const answered = yield* Effect.forkChild(recall(query).pipe(within(slow)))
    const waiting = yield* Effect.forkChild(
      Effect.flip(recall(query)).pipe(within(memoryOf({ recall: () => Effect.never })))
    )
    yield* TestClock.adjust("249 millis")
    assert.strictEqual(yield* Fiber.join(answered), emptyRecall)
    assert.strictEqual(waiting.pollUnsafe(), undefined)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* Fiber.join(waiting))._tag, "RecallTimeout")
  }))

it.effect("a memory that is unavailable fails the recall as such", () =>
  Effect.gen(function*() {
    const failure = yield* Effect.flip(recall(query)).pipe(within(memoryOf()))
    assert.strictEqual(failure._tag, "MemoryUnavailable")
  }))
