import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeStaleCache } from "../../src/resilience/StaleCache.ts"

describe("The last value of a stale cache", () => {
  it.effect("is the answer when the store fails; a key that was never read fails with the store", () =>
    Effect.gen(function*() {
      const { read } = makeStaleCache<string, number>(10)
      assert.strictEqual(yield* read("a", Effect.succeed(1)), 1)
      assert.strictEqual(yield* read("a", Effect.fail("out")), 1)
      assert.strictEqual(yield* Effect.flip(read("b", Effect.fail("out"))), "out")
      assert.strictEqual(yield* read("a", Effect.succeed(2)), 2)
      assert.strictEqual(yield* read("a", Effect.fail("out")), 2)
    }))

  it.effect("is the answer after 100 ms of a slow store, whose own answer later readers get", () =>
    Effect.gen(function*() {
      const { read } = makeStaleCache<string, number>(10)
      yield* read("a", Effect.succeed(1))
      const answer = yield* Deferred.make<number>()
      const reader = yield* Effect.forkChild(read("a", Deferred.await(answer)))
      yield* TestClock.adjust("99 millis")
      assert.isUndefined(reader.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(reader), 1)
      yield* Deferred.succeed(answer, 2)
      yield* Effect.yieldNow
      assert.strictEqual(yield* read("a", Effect.fail("out")), 2)
    }))

  it.effect("is refreshed by one read at a time, and by another once that has taken two seconds", () =>
    Effect.gen(function*() {
      const { read } = makeStaleCache<string, number>(10)
      yield* read("a", Effect.succeed(1))
      let underway = 0
      let begun = 0
      const silent = Effect.suspend(() => {
        underway++
        begun++
        return Effect.onExit(Effect.never, () => Effect.sync(() => void underway--))
      })
      const readers = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.forkChild(read("a", silent)))
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(yield* Effect.forEach(readers, Fiber.join), Array(20).fill(1))
      yield* Effect.yieldNow
      assert.deepStrictEqual({ begun, underway }, { begun: 1, underway: 1 })
      yield* TestClock.adjust("2 seconds")
      yield* Effect.yieldNow
      assert.strictEqual(underway, 0)
    }))

  it.effect("is refreshed by one read, however many callers leave", () =>
    Effect.gen(function*() {
      const { read } = makeStaleCache<string, number>(10)
      yield* read("a", Effect.succeed(1))
      let underway = 0
      const silent = Effect.suspend(() => {
        underway++
        return Effect.onExit(Effect.never, () => Effect.sync(() => void underway--))
      })
      const readers = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.forkChild(read("a", silent)))
      yield* TestClock.adjust("50 millis")
      yield* Effect.forEach(readers, Fiber.interrupt)
      yield* Effect.yieldNow
      assert.strictEqual(underway, 1)
    }))

  it.effect("is replaced by an answer that comes in time, and by a value that is stored", () =>
    Effect.gen(function*() {
      const { read, store } = makeStaleCache<string, number>(10)
      yield* read("a", Effect.succeed(1))
      const reader = yield* Effect.forkChild(read("a", Effect.as(Effect.sleep("50 millis"), 2)))
      yield* TestClock.adjust("50 millis")
      assert.strictEqual(yield* Fiber.join(reader), 2)
      yield* store("a", 3)
      assert.strictEqual(yield* read("a", Effect.fail("out")), 3)
    }))

  it.effect("is kept for the keys stored last, and for no more than the capacity", () =>
    Effect.gen(function*() {
      const { read } = makeStaleCache<string, number>(2)
      yield* read("a", Effect.succeed(1))
      yield* read("b", Effect.succeed(2))
      yield* read("a", Effect.succeed(1))
      yield* read("c", Effect.succeed(3))
      assert.strictEqual(yield* read("a", Effect.fail("out")), 1)
      assert.strictEqual(yield* Effect.flip(read("b", Effect.fail("out"))), "out")
    }))

  it.effect("is not replaced by a late read that started before a newer value was stored", () =>
    Effect.gen(function*() {
      const { read, store } = makeStaleCache<string, number>(10)
      yield* read("a", Effect.succeed(1))
      const answer = yield* Deferred.make<number>()
      const reader = yield* Effect.forkChild(read("a", Deferred.await(answer)))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(reader)
      yield* store("a", 3)
      yield* Deferred.succeed(answer, 2)
      yield* Effect.yieldNow
      assert.strictEqual(yield* read("a", Effect.fail("out")), 3)
    }))
})
