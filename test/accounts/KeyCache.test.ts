import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { parse } from "../../src/accounts/Key.ts"
import { makeKeyCache, type KeyStatus } from "../../src/accounts/KeyCache.ts"
import { KeyRejected, KeysUnavailable } from "../../src/accounts/Keys.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"

const key = (() => {
  const parsed = parse(`sxt_acme_k1_${"s".repeat(32)}`)
  if (parsed === null) throw new Error("The test's key is malformed")
  return parsed
})()
const outage = new KeysUnavailable({ reason: new Reason.Unreachable({ cause: "out" }) })

const standing: KeyStatus = { role: "use", remainingMs: null }

/** A store whose answer the test changes, and that counts how often it was asked. */
const counting = Effect.gen(function*() {
  const store = { answer: Effect.succeed(true) as Effect.Effect<boolean, KeysUnavailable>, asked: 0, standing }
  const keys = yield* makeKeyCache(() =>
    Effect.suspend(() => {
      store.asked++
      return Effect.map(store.answer, (isGood) => isGood ? { ...store.standing } : null)
    })
  )
  return { store, keys }
})

describe("Verified keys", () => {
  it.live("are found even if the first caller leaves, at any step of the look-up", () =>
    Effect.gen(function*() {
      for (let step = 3; step < 40; step++) {
        const { keys } = yield* counting
        const first = yield* Effect.forkChild(
          Effect.provideService(keys.verify(key), Scheduler.MaxOpsBeforeYield, step), { startImmediately: true })
        yield* Fiber.interrupt(first)
        yield* keys.verify(key)
      }
    }))

  it.effect("are looked up again after a minute", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      yield* keys.verify(key)
      yield* TestClock.adjust("59 seconds")
      yield* keys.verify(key)
      assert.strictEqual(store.asked, 1)
      yield* TestClock.adjust("1 second")
      yield* keys.verify(key)
      assert.strictEqual(store.asked, 2)
    }))

  it.effect("are accepted for fifteen minutes after their verification while the store is unavailable", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      yield* keys.verify(key)
      store.answer = Effect.fail(outage)
      yield* TestClock.adjust("14 minutes")
      yield* keys.verify(key)
      yield* TestClock.adjust("1 minute")
      assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeysUnavailable)
    }))

  it.effect("wait at most 100 ms for a slow store in their grace time, and are looked up once a second", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      yield* keys.verify(key)
      yield* TestClock.adjust("2 minutes")
      store.answer = Effect.never
      const verifying = yield* Effect.forkChild(keys.verify(key), { startImmediately: true })
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(verifying)
      const { asked } = store
      for (let i = 0; i < 10; i++) yield* keys.verify(key)
      assert.strictEqual(store.asked, asked)
      store.answer = Effect.succeed(false)
      yield* TestClock.adjust("3 seconds")
      assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeyRejected)
    }))

  it.effect("are looked up at most a thousand at once", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      store.answer = Effect.never
      for (let i = 0; i < 1_000; i++) {
        const other = parse(`sxt_acme_k1_${String(i).padStart(32, "s")}`)
        if (other !== null) yield* Effect.forkChild(Effect.exit(keys.verify(other)), { startImmediately: true })
      }
      assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeysUnavailable)
      yield* Effect.repeat(Effect.yieldNow, { times: 10 })
      assert.strictEqual(store.asked, 1_000)
    }))

  it.effect("end at the time that their store gave, both while fresh and while the store is unavailable", () =>
    Effect.gen(function*() {
      for (const answer of [Effect.succeed(true), Effect.fail(outage)]) {
        const { keys, store } = yield* counting
        store.standing = { role: "read", remainingMs: 90_000 }
        yield* keys.verify(key)
        yield* TestClock.adjust("59 seconds")
        assert.deepStrictEqual(yield* keys.verify(key), { role: "read", remainingMs: 31_000 })
        store.standing = { role: "read", remainingMs: 30_000 }
        store.answer = answer
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* keys.verify(key), { role: "read", remainingMs: 30_000 })
        yield* TestClock.adjust("29 seconds")
        assert.strictEqual((yield* keys.verify(key)).role, "read")
        assert.isTrue(yield* keys.isKnown(key))
        yield* TestClock.adjust("1 second")
        const { asked } = store
        assert.isFalse(yield* keys.isKnown(key))
        assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeyRejected)
        assert.strictEqual(store.asked, asked)
      }
    }))

  it.effect("are rejected when they are past their end at the look-up", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      for (const remainingMs of [0, -1, -1e12]) {
        store.standing = { role: "use", remainingMs }
        assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeyRejected)
        yield* TestClock.adjust("10 seconds")
      }
    }))

  it.effect("do not live longer because of a late answer of the store", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      store.standing = { role: "use", remainingMs: 3_000 }
      store.answer = Effect.delay(Effect.succeed(true), "1 second")
      const verifying = yield* Effect.forkChild(keys.verify(key), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(verifying)
      yield* TestClock.adjust("2 seconds")
      assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeyRejected)
    }))

  it.effect("are known from their verification until they are forgotten, revoked or too old", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      assert.isFalse(yield* keys.isKnown(key))
      assert.strictEqual(store.asked, 0)
      for (const forget of [() => keys.forget(key), () => keys.evict([key])]) {
        yield* keys.verify(key)
        assert.isTrue(yield* keys.isKnown(key))
        forget()
        assert.isFalse(yield* keys.isKnown(key))
      }
      yield* keys.verify(key)
      yield* TestClock.adjust("14 minutes")
      assert.isTrue(yield* keys.isKnown(key))
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* keys.isKnown(key))
    }))

  it.effect("age by elapsed time, whatever the wall clock shows", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      const time = { wallMs: 0, passedMs: 0 }
      const verify = Effect.gen(function*() {
        const nanos = () => BigInt(time.passedMs) * 1_000_000n
        const clock: Clock.Clock = {
          ...(yield* Clock.Clock),
          currentTimeMillisUnsafe: () => time.wallMs,
          currentTimeMillis: Effect.sync(() => time.wallMs),
          monotonicTimeNanosUnsafe: nanos,
          monotonicTimeNanos: Effect.sync(nanos)
        }
        yield* Effect.provideService(keys.verify(key), Clock.Clock, clock)
        return store.asked
      })
      assert.strictEqual(yield* verify, 1)
      time.wallMs += 3 * 3_600_000
      assert.strictEqual(yield* verify, 1)
      time.wallMs = -3 * 3_600_000
      assert.strictEqual(yield* verify, 1)
      time.passedMs = 60_000
      assert.strictEqual(yield* verify, 2)
    }))

  it.effect("fail with a store that does not answer for two seconds, and are looked up again afterwards", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      const verifyLate = Effect.gen(function*() {
        const verifying = yield* Effect.forkChild(Effect.exit(keys.verify(key)), { startImmediately: true })
        yield* TestClock.adjust("2 seconds")
        return yield* yield* Fiber.join(verifying)
      })
      store.answer = Effect.uninterruptible(Effect.never)
      assert.instanceOf(yield* Effect.flip(verifyLate), KeysUnavailable)
      store.answer = Effect.succeed(true)
      yield* keys.verify(key)
      yield* TestClock.adjust("1 minute")
      store.answer = Effect.never
      yield* verifyLate
      assert.strictEqual(store.asked, 3)
    }))

  it.effect("are unavailable, not rejected, when the store is unavailable and they were never verified", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      store.answer = Effect.fail(outage)
      assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeysUnavailable)
      store.answer = Effect.succeed(true)
      yield* keys.verify(key)
    }))

  it.effect("are not rejected by a look-up that began before the call", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      const early = yield* Deferred.make<boolean>()
      store.answer = Deferred.await(early)
      const before = yield* Effect.forkChild(Effect.flip(keys.verify(key)), { startImmediately: true })
      yield* Effect.yieldNow
      assert.strictEqual(store.asked, 1)
      store.answer = Effect.succeed(true)
      const after = yield* Effect.forEach(
        Array.from({ length: 20 }), () => Effect.forkChild(keys.verify(key), { startImmediately: true }))
      yield* Deferred.succeed(early, false)
      assert.instanceOf(yield* Fiber.join(before), KeyRejected)
      yield* Effect.forEach(after, (each) => Fiber.join(each))
      assert.strictEqual(store.asked, 2)
    }))

  it.effect("share one look-up among concurrent calls, which outlives its first caller", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      const answer = yield* Deferred.make<boolean>()
      store.answer = Deferred.await(answer)
      const [first, ...others] = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.forkChild(keys.verify(key), { startImmediately: true })
      )
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* Deferred.succeed(answer, true)
      yield* Effect.forEach(others, (other) => Fiber.join(other))
      assert.strictEqual(store.asked, 1)
    }))

  it.effect("are forgotten at once when their store refuses them for another call, and others are not", () =>
    Effect.gen(function*() {
      const { keys, store } = yield* counting
      const other = { ...key, text: key.text.replaceAll("s".repeat(32), "t".repeat(32)) }
      yield* keys.verify(key)
      keys.forget(other)
      yield* keys.verify(key)
      assert.strictEqual(store.asked, 1)
      keys.forget(key)
      store.answer = Effect.succeed(false)
      assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeyRejected)
    }))

  for (const end of ["forget", "evict"] as const) {
    it.effect(`are forgotten at once by ${end}, together with a look-up in progress`, () =>
      Effect.gen(function*() {
        const { keys, store } = yield* counting
        const forget = () => end === "forget" ? keys.forget(key) : keys.evict([key])
        const answer = yield* Deferred.make<boolean>()
        store.answer = Deferred.await(answer)
        const verifying = yield* Effect.forkChild(keys.verify(key), { startImmediately: true })
        yield* Effect.yieldNow
        assert.strictEqual(store.asked, 1)
        forget()
        yield* Deferred.succeed(answer, true)
        yield* Fiber.join(verifying)
        store.answer = Effect.succeed(true)
        yield* keys.verify(key)
        yield* keys.verify(key)
        assert.strictEqual(store.asked, 2)
        forget()
        store.answer = Effect.succeed(false)
        assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeyRejected)
        store.answer = Effect.fail(outage)
        yield* TestClock.adjust("10 seconds")
        assert.instanceOf(yield* Effect.flip(keys.verify(key)), KeysUnavailable)
      }))
  }
})
