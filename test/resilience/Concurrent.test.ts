import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { together } from "../../src/resilience/Concurrent.ts"

describe("Effects together", () => {
  it.effect("yield their values in their order, whichever ends first", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(together([
        Effect.delay(Effect.succeed(1), 20), Effect.succeed("two"), Effect.delay(Effect.succeed(3), 10)
      ]))
      yield* TestClock.adjust(20)
      assert.deepStrictEqual(yield* Fiber.join(fiber), [1, "two", 3])
      assert.deepStrictEqual(yield* together([Effect.succeed(1), Effect.sync(() => 2)]), [1, 2])
    }))

  it.effect("are all interrupted with their caller", () =>
    Effect.gen(function*() {
      const interrupted = yield* Effect.forEach([1, 2], () => Deferred.make<void>())
      const [one, other] = interrupted.map((each) => Effect.onInterrupt(Effect.never, () => Deferred.succeed(each, undefined)))
      const fiber = yield* Effect.forkChild(together([one!, Effect.succeed(1), other!]), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* Effect.forEach(interrupted, Deferred.await)
    }))

  it.effect("pass on a defect of one of them", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(together([Effect.succeed(1), Effect.die("broken")]))
      assert.isTrue(Exit.hasDies(exit))
    }))
})
