import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { CircuitBreaker as EffectCircuitBreaker } from "effect/persistence"
import { TestClock } from "effect/testing"
import { makeCircuitBreaker } from "../../src/resilience/CircuitBreaker.ts"

const settings = { failuresMax: 3, openMs: 1_000, slowMs: 200 }

/** A breaker around a backend that a test breaks, and how often it was asked. */
const world = () => {
  const breaker = makeCircuitBreaker(settings)
  const state = { asked: 0, answer: Effect.fail("down") as Effect.Effect<string, string> }
  const ask = breaker.run(
    Effect.suspend(() => {
      state.asked++
      return state.answer
    }),
    (error) => error !== "refused"
  ).pipe(Effect.match({ onSuccess: (said) => said, onFailure: (why) => typeof why === "string" ? why : why._tag }))
  return { ask, state }
}

const times = <A>(n: number, effect: Effect.Effect<A>) => Effect.all(Array.from({ length: n }, () => effect))

describe("A circuit breaker", () => {
  it.effect("refuses calls without making them after three failures in a row", () =>
    Effect.gen(function*() {
      const { ask, state } = world()
      assert.deepStrictEqual(yield* times(5, ask), ["down", "down", "down", "BreakerOpen", "BreakerOpen"])
      assert.strictEqual(state.asked, 3)
    }))

  it.effect("counts failures in a row only, and takes a refusal for an answer of a live backend", () =>
    Effect.gen(function*() {
      const { ask, state } = world()
      yield* times(2, ask)
      state.answer = Effect.fail("refused")
      assert.strictEqual(yield* ask, "refused")
      state.answer = Effect.fail("down")
      assert.deepStrictEqual(yield* times(3, ask), ["down", "down", "down"])
      assert.strictEqual(yield* ask, "BreakerOpen")
    }))

  it.effect("stays open for no longer than its pause when the wall clock is put back", () =>
    Effect.gen(function*() {
      const { ask, state } = world()
      yield* TestClock.setTime(7_200_000)
      yield* times(3, ask)
      yield* TestClock.setTime(3_600_000)
      assert.strictEqual(yield* ask, "BreakerOpen")
      state.answer = Effect.succeed("up")
      yield* TestClock.adjust(1_000)
      assert.strictEqual(yield* ask, "up")
    }))

  it.effect("lets one probe through after its pause, and closes when the probe succeeds", () =>
    Effect.gen(function*() {
      const { ask, state } = world()
      yield* times(3, ask)
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(yield* ask, "BreakerOpen")
      yield* TestClock.adjust("1 millis")
      state.answer = Effect.delay(Effect.succeed("up"), "100 millis")
      const probe = yield* Effect.forkChild(ask, { startImmediately: true })
      assert.deepStrictEqual(yield* times(3, ask), ["BreakerOpen", "BreakerOpen", "BreakerOpen"])
      assert.strictEqual(state.asked, 4)
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(yield* Fiber.join(probe), "up")
      state.answer = Effect.succeed("up")
      assert.strictEqual(yield* ask, "up")
    }))

  it.effect("opens again at once when the probe fails", () =>
    Effect.gen(function*() {
      const { ask, state } = world()
      yield* times(3, ask)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* times(2, ask), ["down", "BreakerOpen"])
      assert.strictEqual(state.asked, 4)
    }))

  it.effect("counts a call interrupted after 200 ms as a failure, and ignores one interrupted earlier", () =>
    Effect.gen(function*() {
      const { ask, state } = world()
      state.answer = Effect.never
      const giveUpAfter = Effect.fnUntraced(function*(ms: number) {
        const waiting = yield* Effect.forkChild(ask, { startImmediately: true })
        yield* TestClock.adjust(ms)
        yield* Fiber.interrupt(waiting)
      })
      for (let turn = 0; turn < 3; turn++) yield* giveUpAfter(199)
      for (let turn = 0; turn < 3; turn++) yield* giveUpAfter(200)
      assert.strictEqual(yield* ask, "BreakerOpen")
      assert.strictEqual(state.asked, 6)
      // A probe given up early leaves the way free for the next.
      yield* TestClock.adjust("1 second")
      yield* giveUpAfter(10)
      state.answer = Effect.succeed("up")
      assert.strictEqual(yield* ask, "up")
    }))

  it.effect("ignores the results of calls that started before it opened", () =>
    Effect.gen(function*() {
      const { ask, state } = world()
      state.answer = Effect.delay(Effect.succeed("late"), "10 millis")
      const late = yield* Effect.forkChild(ask, { startImmediately: true })
      state.answer = Effect.fail("down")
      yield* times(3, ask)
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(yield* Fiber.join(late), "late")
      assert.strictEqual(yield* ask, "BreakerOpen")
    }))
})

describe("The circuit breaker of effect", () => {
  /** Calls a backend that never answers `calls` times, and gives each call up after 250 ms. */
  const giveUp = <E>(call: Effect.Effect<never, E>, calls: number) =>
    Effect.gen(function*() {
      for (let made = 0; made < calls; made++) {
        const caller = yield* Effect.forkChild(call)
        yield* TestClock.adjust("250 millis")
        yield* Fiber.interrupt(caller)
      }
    })
  const effectsBreaker = EffectCircuitBreaker.make({
    tripPolicy: EffectCircuitBreaker.consecutive(settings.failuresMax),
    openDuration: settings.openMs
  })

  it.effect("stays closed for a backend whose slow calls are all interrupted, where ours opens", () =>
    Effect.gen(function*() {
      const theirs = yield* effectsBreaker
      yield* giveUp(Effect.never.pipe(theirs.execute({ key: "backend" })), 2 * settings.failuresMax)
      assert.strictEqual((yield* theirs.state("backend"))._tag, "Closed")
      const ours = makeCircuitBreaker(settings)
      yield* giveUp(ours.run(Effect.never, () => true), settings.failuresMax)
      assert.strictEqual(ours.state(), 1)
    }).pipe(Effect.provide(EffectCircuitBreaker.layerStoreMemory())))

  it.effect("stays closed if the call turns its interruption into a failure or is classified as one", () =>
    Effect.gen(function*() {
      const theirs = yield* effectsBreaker
      const asFailure = Effect.uninterruptibleMask((restore) =>
        restore(Effect.never).pipe(Effect.catchCause(() => Effect.fail("too slow"))))
      const call = asFailure.pipe(
        theirs.execute({ key: "backend", classify: () => EffectCircuitBreaker.failure() })
      )
      yield* giveUp(call, 2 * settings.failuresMax)
      assert.strictEqual((yield* theirs.state("backend"))._tag, "Closed")
    }).pipe(Effect.provide(EffectCircuitBreaker.layerStoreMemory())))
})
