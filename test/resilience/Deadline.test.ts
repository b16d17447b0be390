import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { deadline } from "../../src/resilience/Deadline.ts"

const late = () => "late" as const

/** The test's clock, counting its sleeps. */
const countedSleeps = Effect.gen(function*() {
  const clock = yield* Clock.Clock
  const sleeps = yield* Ref.make(0)
  const counted: Clock.Clock = {
    ...clock,
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    sleep: (duration) => Effect.andThen(Ref.update(sleeps, (count) => count + 1), clock.sleep(duration))
  }
  return { sleeps: Ref.get(sleeps), counted }
})

describe("A deadline", () => {
  it.effect("passes on an answer, a failure and a defect unchanged", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* deadline(50, late)(Effect.succeed(1)), 1)
      assert.strictEqual(yield* Effect.flip(deadline(50, late)(Effect.fail("out" as const))), "out")
      const exit = yield* Effect.exit(deadline(50, late)(Effect.die("broken")))
      assert.isTrue(Exit.hasDies(exit))
    }))

  it.effect("waits for an answer that comes in time", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(deadline(50, late)(Effect.delay(Effect.succeed(1), 49)))
      yield* TestClock.adjust(49)
      assert.strictEqual(yield* Fiber.join(fiber), 1)
    }))

  it.effect("fails at the end of the time, and interrupts the work without waiting for its end", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const stalled = Effect.onInterrupt(Effect.never, () =>
        Effect.andThen(Deferred.succeed(interrupted, undefined), Effect.never))
      const fiber = yield* Effect.forkChild(deadline(50, late)(stalled))
      yield* TestClock.adjust(50)
      assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), "late")
      yield* Deferred.await(interrupted)
    }))

  it.effect("interrupts the work of a caller that is interrupted", () =>
    Effect.gen(function*() {
      const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const work = Effect.onInterrupt(
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
        () => Deferred.succeed(interrupted, undefined)
      )
      const asker = yield* Effect.forkChild(deadline(50, late)(work))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(asker)
      yield* Deferred.await(interrupted)
    }))
})

it.effect("a deadline sets no timer for work that ends at once", () =>
  Effect.gen(function*() {
    const { counted, sleeps } = yield* countedSleeps
    const held = Effect.suspend(() => Effect.succeed(1))
    assert.strictEqual(yield* Effect.provideService(deadline(50, late)(held), Clock.Clock, counted), 1)
    assert.strictEqual(yield* sleeps, 0)
    const after = Effect.andThen(Effect.yieldNow, held)
    assert.strictEqual(yield* Effect.provideService(deadline(50, late)(after), Clock.Clock, counted), 1)
    assert.strictEqual(yield* sleeps, 1)
  }))
