import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../../src/domain/Scope.ts"
import { makeReportCache } from "../../src/reports/ReportCache.ts"
import { WriteCounts } from "../../src/reports/WriteCounts.ts"

const acme = AccountId.make("acme")

/** A cache whose account writes on request, and a report that counts how often it is made. */
const world = Effect.fnUntraced(function*(costMs: number, rows = 10) {
  const counts = { writes: 0, made: 0 }
  const cached = yield* makeReportCache<number, string>(() => rows).pipe(
    Effect.provide(Layer.succeed(WriteCounts, { of: () => counts.writes }))
  )
  const make = Effect.delay(Effect.sync(() => ++counts.made), costMs)
  const ask = Effect.gen(function*() {
    const asked = yield* Effect.forkChild(cached(acme, "report", make))
    yield* TestClock.adjust(costMs)
    return yield* Fiber.join(asked)
  })
  return { ask, cached, counts, make }
})

it.live("a report is finished although its first caller was interrupted, at any step", () =>
  Effect.gen(function*() {
    for (let step = 3; step < 40; step++) {
      const { cached } = yield* world(0)
      const one = cached(acme, "report", Effect.succeed(1))
      const first = yield* Effect.forkChild(
        Effect.provideService(one, Scheduler.MaxOpsBeforeYield, step), { startImmediately: true })
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* one, 1)
    }
  }))

it.effect("a report is answered again for twenty times what it cost, and then made anew", () =>
  Effect.gen(function*() {
    const { ask } = yield* world(200)
    assert.strictEqual(yield* ask, 1)
    yield* TestClock.adjust(3_700)
    assert.strictEqual(yield* ask, 1)
    yield* TestClock.adjust(101)
    assert.strictEqual(yield* ask, 2)
  }))

it.effect("no report is answered again after 30 seconds, whatever it cost", () =>
  Effect.gen(function*() {
    const { ask } = yield* world(3_000)
    yield* ask
    yield* TestClock.adjust(26_000)
    assert.strictEqual(yield* ask, 1)
    yield* TestClock.adjust(1_001)
    assert.strictEqual(yield* ask, 2)
  }))

it.effect("after a write a small account's report is made anew, and a large one's is answered again", () =>
  Effect.gen(function*() {
    const small = yield* world(200, 19_999)
    yield* small.ask
    small.counts.writes += 1
    assert.strictEqual(yield* small.ask, 2)
    const large = yield* world(200, 20_000)
    yield* large.ask
    large.counts.writes += 1
    assert.strictEqual(yield* large.ask, 1)
  }))

it.effect("callers that come while a report is being made share it, even if the first was interrupted", () =>
  Effect.gen(function*() {
    const { cached, counts, make } = yield* world(1_000)
    const [first, second] = yield* Effect.all([
      Effect.forkChild(cached(acme, "report", make)), Effect.forkChild(cached(acme, "report", make))
    ])
    yield* TestClock.adjust(500)
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust(500)
    assert.strictEqual(yield* Fiber.join(second), 1)
    assert.strictEqual(counts.made, 1)
  }))

it.effect("a failure reaches all waiting callers, and is not kept", () =>
  Effect.gen(function*() {
    const { cached, make } = yield* world(0)
    assert.strictEqual(yield* Effect.flip(cached(acme, "report", Effect.fail("down"))), "down")
    const asked = yield* Effect.forkChild(cached(acme, "report", make))
    yield* TestClock.adjust(0)
    assert.strictEqual(yield* Fiber.join(asked), 1)
  }))

it.effect("reports of other windows are reports of their own, and past 500 the oldest goes", () =>
  Effect.gen(function*() {
    const { cached, counts } = yield* world(0)
    const make = Effect.sync(() => ++counts.made)
    const dear = Effect.andThen(TestClock.adjust(1_500), make)
    const others = (from: number, to: number) =>
      Effect.forEach(Array.from({ length: to - from }, (_, i) => i + from), (window) =>
        cached(acme, `report-${window}`, make))
    assert.strictEqual(yield* cached(acme, "first", dear), 1)
    yield* others(0, 499)
    assert.strictEqual(counts.made, 500)
    assert.strictEqual(yield* cached(acme, "first", dear), 1)
    yield* others(499, 500)
    assert.strictEqual(yield* cached(acme, "first", dear), 502)
  }))
