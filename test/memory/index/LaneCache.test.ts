import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as LaneCache from "../../../src/memory/index/LaneCache.ts"
import { LaneIndex } from "../../../src/memory/index/LaneIndex.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"

const create = (nowMs: number) => new LaneIndex(8, memorySettings, nowMs)

const setUp = Effect.fnUntraced(function*(bytesMax: number) {
  const cache = yield* LaneCache.make<string, never>(bytesMax, 1_000)
  const gate = yield* Deferred.make<void>()
  let loads = 0
  const ask = (key: string, versionMin = 0) =>
    cache.get(key, {
      create,
      refresh: (index) =>
        Deferred.await(gate).pipe(Effect.tap(() =>
          Effect.sync(() => {
            loads++
            index.version++
          })
        )),
      versionMin
    })
  return { cache, gate, ask, loads: () => loads }
})

it.effect("a load goes on when its caller gives up, and the next caller finds it done", () =>
  Effect.gen(function*() {
    const { ask, gate, loads } = yield* setUp(1e9)
    const asker = yield* Effect.forkChild(Effect.timeoutOption(ask("lane"), "250 millis"))
    yield* TestClock.adjust("250 millis")
    assert.strictEqual((yield* Fiber.join(asker))._tag, "None")
    yield* Deferred.succeed(gate, undefined)
    const index = yield* ask("lane")
    assert.strictEqual(index.version, 1)
    assert.strictEqual(loads(), 1)
  }))

it.effect("callers of one lane share one load", () =>
  Effect.gen(function*() {
    const { ask, gate, loads } = yield* setUp(1e9)
    const askers = yield* Effect.forkChild(Effect.all([ask("lane"), ask("lane"), ask("lane")], { concurrency: 3 }))
    yield* TestClock.adjust("1 millis")
    yield* Deferred.succeed(gate, undefined)
    const [first, second] = yield* Fiber.join(askers)
    assert.strictEqual(first, second)
    assert.strictEqual(loads(), 1)
  }))

it.effect("a lane is polled after a second, or at once for a version that it must have", () =>
  Effect.gen(function*() {
    const { ask, gate, loads } = yield* setUp(1e9)
    yield* Deferred.succeed(gate, undefined)
    yield* ask("lane")
    yield* TestClock.adjust("999 millis")
    yield* ask("lane")
    assert.strictEqual(loads(), 1)
    yield* ask("lane", 2)
    assert.strictEqual(loads(), 2)
    yield* TestClock.adjust("1 second")
    yield* ask("lane")
    assert.strictEqual(loads(), 3)
  }))

it.effect("above its limit in bytes the cache drops the least recently used lane", () =>
  Effect.gen(function*() {
    const { ask, cache, gate, loads } = yield* setUp(create(0).bytes * 2)
    yield* Deferred.succeed(gate, undefined)
    for (const key of ["a", "b", "a", "c"]) yield* ask(key)
    const held = ["a", "b", "c"].map((key) => cache.held(key)?.bytes ?? 0)
    assert.isAtMost(held.reduce((sum, bytes) => sum + bytes, 0), create(0).bytes * 2)
    yield* ask("a")
    assert.strictEqual(loads(), 3)
    yield* ask("b")
    assert.strictEqual(loads(), 4)
  }))

it.effect("a lane that could not be loaded is tried again", () =>
  Effect.gen(function*() {
    const cache = yield* LaneCache.make<string, never>(1e9, 1_000)
    const options = { create, versionMin: 0 }
    const error = yield* Effect.flip(cache.get("lane", { ...options, refresh: () => Effect.fail("down") }))
    assert.strictEqual(error, "down")
    const index = yield* cache.get("lane", { ...options, refresh: () => Effect.void })
    assert.strictEqual(index.size, 0)
  }))
