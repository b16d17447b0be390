import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../../src/domain/Scope.ts"
import { LedgerChanges } from "../../src/ledger/LedgerChanges.ts"
import { makeReportCache } from "../../src/reports/ReportCache.ts"

const acme = AccountId.make("acme")

/** A cache whose account writes when told to, and a report that counts how often it is made. */
const world = Effect.fnUntraced(function*(costMs: number) {
  const counts = { writes: 0, made: 0 }
  const cached = yield* makeReportCache<number, string>().pipe(
    Effect.provide(Layer.succeed(LedgerChanges, { of: () => counts.writes }))
  )
  const make = Effect.delay(Effect.sync(() => ++counts.made), costMs)
  const ask = Effect.gen(function*() {
    const asked = yield* Effect.forkChild(cached(acme, "report", make))
    yield* TestClock.adjust(costMs)
    return yield* Fiber.join(asked)
  })
  return { ask, cached, counts, make }
})

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

it.effect("after a write a cheap report is made anew, and a dear one is answered again", () =>
  Effect.gen(function*() {
    const cheap = yield* world(50)
    yield* cheap.ask
    cheap.counts.writes += 1
    assert.strictEqual(yield* cheap.ask, 2)
    const dear = yield* world(200)
    yield* dear.ask
    dear.counts.writes += 1
    assert.strictEqual(yield* dear.ask, 1)
  }))

it.effect("callers who come while a report is under way share it, even when the first has gone", () =>
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

it.effect("a failure is told to those who wait for it, and not kept", () =>
  Effect.gen(function*() {
    const { cached, make } = yield* world(0)
    assert.strictEqual(yield* Effect.flip(cached(acme, "report", Effect.fail("down"))), "down")
    const asked = yield* Effect.forkChild(cached(acme, "report", make))
    yield* TestClock.adjust(0)
    assert.strictEqual(yield* Fiber.join(asked), 1)
  }))

it.effect("reports of other windows are reports of their own, and the oldest go", () =>
  Effect.gen(function*() {
    const { cached, counts } = yield* world(0)
    const dear = Effect.sync(() => ++counts.made)
    for (let window = 0; window < 600; window++) yield* cached(acme, `report-${window}`, dear)
    assert.strictEqual(counts.made, 600)
  }))
