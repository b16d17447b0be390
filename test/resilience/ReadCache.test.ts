import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { CacheRule } from "../../src/resilience/CacheRule.ts"
import { makeReadCache } from "../../src/resilience/ReadCache.ts"

/** A cache none of whose values is fresh. */
const lasting = Effect.fnUntraced(function*(capacity = 10) {
  const cache = yield* makeReadCache<number, string>({
    capacity, freshMs: 0, pauseMs: 0, late: (limitMs) => `no answer within ${limitMs} ms`
  })
  return {
    read: <E extends string>(key: string, look: Effect.Effect<number, E>) => cache.read(key, () => look),
    store: (key: string, value: number) => cache.store(key, value),
    cache
  }
})

describe("The last value of a cache", () => {
  it.effect("is the answer when the store fails, however old; a key that was never read fails", () =>
    Effect.gen(function*() {
      const { read } = yield* lasting()
      assert.strictEqual(yield* read("a", Effect.succeed(1)), 1)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* read("a", Effect.fail("out")), 1)
      assert.strictEqual(yield* Effect.flip(read("b", Effect.fail("out"))), "out")
      assert.strictEqual(yield* read("a", Effect.succeed(2)), 2)
      assert.strictEqual(yield* read("a", Effect.fail("out")), 2)
    }))

  it.effect("is the answer after 100 ms of a slow store, whose own answer later readers get", () =>
    Effect.gen(function*() {
      const { read } = yield* lasting()
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

  it.effect("is refreshed by one read at a time, though readers leave, for two seconds at most", () =>
    Effect.gen(function*() {
      const { read } = yield* lasting()
      yield* read("a", Effect.succeed(1))
      let underway = 0
      let begun = 0
      const silent = Effect.suspend(() => {
        underway++
        begun++
        return Effect.onExit(Effect.never, () => Effect.sync(() => void underway--))
      })
      const readers = yield* Effect.forEach(Array.from({ length: 40 }), () => Effect.forkChild(read("a", silent)))
      yield* TestClock.adjust("50 millis")
      yield* Effect.forEach(readers.splice(20), Fiber.interrupt)
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(yield* Effect.forEach(readers, Fiber.join), Array(20).fill(1))
      yield* Effect.yieldNow
      assert.deepStrictEqual({ begun, underway }, { begun: 1, underway: 1 })
      yield* TestClock.adjust("2 seconds")
      yield* Effect.yieldNow
      assert.strictEqual(underway, 0)
    }))

  it.effect("is replaced by an answer that comes in time, and by a value that is stored", () =>
    Effect.gen(function*() {
      const { read, store } = yield* lasting()
      yield* read("a", Effect.succeed(1))
      const reader = yield* Effect.forkChild(read("a", Effect.as(Effect.sleep("50 millis"), 2)))
      yield* TestClock.adjust("50 millis")
      assert.strictEqual(yield* Fiber.join(reader), 2)
      yield* store("a", 3)
      assert.strictEqual(yield* read("a", Effect.fail("out")), 3)
    }))

  it.effect("is kept for the keys stored last, and for no more than the capacity", () =>
    Effect.gen(function*() {
      const { read } = yield* lasting(2)
      yield* read("a", Effect.succeed(1))
      yield* read("b", Effect.succeed(2))
      yield* read("a", Effect.succeed(1))
      yield* read("c", Effect.succeed(3))
      assert.strictEqual(yield* read("a", Effect.fail("out")), 1)
      assert.strictEqual(yield* Effect.flip(read("b", Effect.fail("out"))), "out")
    }))

  it.effect("is not replaced by a late read that started before a newer value was stored", () =>
    Effect.gen(function*() {
      const { read, store } = yield* lasting()
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

describe("A cache", () => {
  const counting = () => {
    const state = { reads: 0, value: 1, isOut: false }
    const look = (_key: string): Effect.Effect<number, "out"> =>
      Effect.suspend(() => {
        state.reads++
        return state.isOut ? Effect.fail("out" as const) : Effect.succeed(state.value)
      })
    return { state, look }
  }
  const rule = { capacity: 2, freshMs: 750, pauseMs: 0, late: () => "late" }
  const made = Effect.fnUntraced(function*(
    look: (key: string) => Effect.Effect<number, string>,
    own: Partial<CacheRule<number, string>> = {}
  ) {
    const cache = yield* makeReadCache<number, string>({ ...rule, ...own })
    return {
      read: (key: string) => cache.read(key, () => look(key)),
      store: (key: string, value: number, isNewer?: (held: number) => boolean) => cache.store(key, value, isNewer),
      refresh: (key: string) => cache.refresh(key, () => look(key))
    }
  })

  it.effect("asks the store once in the time in which a value is fresh", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read } = yield* made(look)
      assert.strictEqual(yield* read("a"), 1)
      state.value = 2
      yield* TestClock.adjust("749 millis")
      assert.strictEqual(yield* read("a"), 1)
      assert.strictEqual(state.reads, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* read("a"), 2)
      assert.strictEqual(state.reads, 2)
    }))

  it.effect("reads the store once for readers that come together", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read } = yield* made((key) => Effect.delay(look(key), 10))
      const readers = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.forkChild(read("a")))
      yield* TestClock.adjust("10 millis")
      assert.deepStrictEqual(yield* Effect.forEach(readers, Fiber.join), Array(20).fill(1))
      assert.strictEqual(state.reads, 1)
    }))

  it.effect("keeps what a first read brings after its only reader has left", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read } = yield* made((key) => Effect.delay(look(key), 300))
      const reader = yield* Effect.forkChild(Effect.timeoutOption(read("a"), 250))
      yield* TestClock.adjust("300 millis")
      assert.isTrue(Option.isNone(yield* Fiber.join(reader)))
      state.isOut = true
      assert.strictEqual(yield* read("a"), 1)
    }))

  it.effect("gives up a first read after two seconds, and begins another for the next reader", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read } = yield* made((key) =>
        state.reads === 0 ? Effect.andThen(look(key), Effect.never) : look(key))
      const reader = yield* Effect.forkChild(Effect.timeoutOption(read("a"), 250))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(reader)
      assert.strictEqual(yield* read("a"), 1)
      assert.strictEqual(state.reads, 2)
    }))

  it.effect("pauses after a read that failed", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read } = yield* made(look, { pauseMs: 1_000 })
      state.isOut = true
      assert.strictEqual(yield* Effect.flip(read("a")), "out")
      assert.strictEqual(yield* Effect.flip(read("a")), "out")
      assert.strictEqual(state.reads, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Effect.flip(read("a")), "out")
      assert.strictEqual(state.reads, 2)
    }))

  it.effect("goes by the monotonic clock, so that a wall clock that is put back keeps nothing longer", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      let putBackMs = 0
      const wrong: Clock.Clock = Object.assign(Object.create(clock) as Clock.Clock, {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() - putBackMs,
        currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() - putBackMs)
      })
      const { look, state } = counting()
      const cache = yield* made(look, { pauseMs: 1_000 })
      const read = (key: string) => Effect.provideService(cache.read(key), Clock.Clock, wrong)
      assert.strictEqual(yield* read("a"), 1)
      state.isOut = true
      assert.strictEqual(yield* Effect.flip(read("b")), "out")
      Object.assign(state, { isOut: false, value: 2 })
      putBackMs = 3_600_000
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* read("a"), yield* read("b")], [2, 2])
    }))

  it.effect("takes a value that is stored at once, unless the fresh one is said to be newer", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read, store } = yield* made(look)
      yield* read("a")
      yield* store("a", 5)
      assert.strictEqual(yield* read("a"), 5)
      yield* store("a", 4, (held) => held > 4)
      assert.strictEqual(yield* read("a"), 5)
      // One that is no longer fresh may be anything by now.
      yield* TestClock.adjust("1 second")
      yield* store("a", 4, (held) => held > 4)
      assert.strictEqual(yield* read("a"), 4)
      assert.strictEqual(state.reads, 1)
    }))

  it.effect("makes a late read wait for once: later readers get the last value at once while it goes on", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read } = yield* made((key) => state.reads === 0 ? look(key) : Effect.andThen(look(key), Effect.never))
      yield* read("a")
      yield* TestClock.adjust("1 second")
      const reader = yield* Effect.forkChild(read("a"))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(reader)
      assert.deepStrictEqual(yield* Effect.all([read("a"), read("a")]), [1, 1])
      assert.strictEqual(state.reads, 2)
    }))

  it.effect("reads again for a caller that finds what was being read of no use, once", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read } = yield* made((key) => Effect.delay(look(key), 10), { holds: (value) => value > 1 })
      const first = yield* Effect.forkChild(read("a"))
      yield* Effect.yieldNow
      const joined = yield* Effect.forkChild(Effect.all([read("a"), read("a")], { concurrency: 2 }))
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(yield* Fiber.join(first), 1)
      yield* TestClock.adjust("10 millis")
      assert.deepStrictEqual(yield* Fiber.join(joined), [1, 1])
      assert.strictEqual(state.reads, 2)
    }))

  it.effect("passes a final failure on, and forgets the last value", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read } = yield* made(look, { isFinal: (error) => error === "out", freshMs: 0 })
      yield* read("a")
      state.isOut = true
      assert.strictEqual(yield* Effect.flip(read("a")), "out")
    }))

  it.effect("answers with no value older than the rule lets stand in for a newer one", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read } = yield* made(look, { staleMs: 60_000, pauseMs: 90_000, failedMs: 0 })
      yield* read("a")
      state.isOut = true
      yield* TestClock.adjust("59999 millis")
      assert.strictEqual(yield* read("a"), 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Effect.flip(read("a")), "out")
    }))

  it.effect("does not remember what was being read of a key when the key was forgotten", () =>
    Effect.gen(function*() {
      for (const forgetsAll of [false, true]) {
        const { cache, read } = yield* lasting()
        const answer = yield* Deferred.make<number>()
        const reader = yield* Effect.forkChild(read("a", Deferred.await(answer)), { startImmediately: true })
        if (forgetsAll) cache.forgetWhere(() => false)
        else cache.forget("a")
        yield* Deferred.succeed(answer, 1)
        assert.strictEqual(yield* Fiber.join(reader), 1)
        assert.strictEqual(yield* Effect.flip(read("a", Effect.fail("out"))), "out")
      }
    }))

  it.effect("reads at once when it is told to, and never twice at the same time", () =>
    Effect.gen(function*() {
      const { look, state } = counting()
      const { read, refresh } = yield* made((key) => Effect.delay(look(key), 10))
      yield* refresh("a")
      yield* refresh("a")
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(yield* read("a"), 1)
      state.value = 2
      yield* refresh("a")
      yield* TestClock.adjust("10 millis")
      assert.deepStrictEqual([yield* read("a"), state.reads], [2, 2])
    }))

  it.effect("ends its reads with its scope", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const cache = yield* Scope.provide(makeReadCache<number, string>(rule), scope)
      let isEnded = false
      const silent = Effect.onExit(Effect.never, () => Effect.sync(() => void (isEnded = true)))
      yield* cache.refresh("a", () => silent)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(isEnded)
    }))
})

describe("A cache that keeps what is used", () => {
  it.effect("drops the values used longest ago above a sum of their sizes, and never the newest", () =>
    Effect.gen(function*() {
      const cache = yield* makeReadCache<number, never>({
        capacity: 10, sizeOf: (value) => value, keepsUsed: true, freshMs: Infinity, pauseMs: 0
      })
      const read = (key: string, value: number) => cache.read(key, () => Effect.succeed(value))
      yield* read("a", 4)
      yield* read("b", 5)
      yield* read("a", 0)
      yield* read("c", 3)
      assert.deepStrictEqual(["a", "b", "c"].map((key) => cache.held(key)), [4, undefined, 3])
      yield* read("d", 20)
      assert.deepStrictEqual(["a", "b", "c", "d"].map((key) => cache.held(key)), [undefined, undefined, undefined, 20])
      assert.strictEqual(cache.total(), 20)
    }))

  it.effect("forgets what was stored before a time, unless it is being read", () =>
    Effect.gen(function*() {
      const cache = yield* makeReadCache<number, never>({ capacity: 10, freshMs: 0, pauseMs: 0 })
      for (const key of ["a", "b"]) yield* cache.store(key, 1)
      yield* cache.refresh("b", () => Effect.never)
      yield* TestClock.adjust("1 minute")
      cache.forgetBefore(Number(yield* Clock.monotonicTimeNanos) / 1e6)
      assert.deepStrictEqual(["a", "b"].map((key) => cache.held(key)), [undefined, 1])
    }))
})
