import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { laneOf } from "../../../src/domain/Scope.ts"
import { detectRepeats } from "../../../src/engine/recommend/RecallWarnings.ts"
import { defaults, Settings } from "../../../src/engine/Settings.ts"
import * as RecentTasksLocal from "../../../src/memory/local/RecentTasksLocal.ts"
import type { Recalled } from "../../../src/memory/Memory.ts"
import { accountOf, neighbour, recalled } from "../../support/builders.ts"

const nothing = recalled()
const asking = (found: Recalled = nothing, task = "Summarise the third quarter's report for the board") =>
  detectRepeats({ accountId: accountOf(), lane: laneOf(null), cluster: "code:hard", task }, found)

const times = (count: number, found?: Recalled) => Effect.replicateEffect(asking(found), count)

const provided = Effect.provide(Layer.mergeAll(Layer.fresh(RecentTasksLocal.layer), Settings.layer()))

describe("memory_drift:repeated", () => {
  it.effect("is a warning of the fifth near-identical task of a week", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* times(4)).flat(), [])
      assert.deepStrictEqual(yield* asking(), ["memory_drift:repeated"])
      assert.deepStrictEqual(yield* asking(nothing, "Write a haiku about rain"), [])
    }).pipe(provided))

  it.effect("is no warning once an outcome of one of them has arrived, however old the first are", () =>
    Effect.gen(function*() {
      yield* times(6)
      yield* TestClock.adjust("2 days")
      const followedUp = recalled([neighbour("a", { similarity: 0.99, ageDays: 1 })])
      assert.deepStrictEqual(yield* asking(followedUp), [])
      const before = recalled([neighbour("a", { similarity: 0.99, ageDays: 3 })])
      assert.deepStrictEqual(yield* asking(before), ["memory_drift:repeated"])
      const another = recalled([neighbour("a", { similarity: 0.5, ageDays: 1 })])
      assert.deepStrictEqual(yield* asking(another), ["memory_drift:repeated"])
    }).pipe(provided))

  it.effect("does not count tasks that are older than a week", () =>
    Effect.gen(function*() {
      yield* times(4)
      yield* TestClock.adjust("8 days")
      assert.deepStrictEqual(yield* asking(), [])
    }).pipe(provided))
})

describe("memory_drift:stagnant", () => {
  const same = recalled([neighbour("a", { entryId: "e1", similarity: 0.3 })])
  /** Tasks of one cluster that are not alike. */
  const various = (count: number, found: Recalled) =>
    Effect.forEach(Array.from({ length: count }, (_, i) => i), (i) =>
      asking(found, `${String.fromCharCode(97 + i).repeat(9)} ${"qzxvk"[i % 5]!.repeat(7)} ${i * 7919}`))

  it.effect("is a warning when five recommendations of the cluster have recalled the same before", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* various(5, same)).flat(), [])
      assert.deepStrictEqual(yield* asking(same), ["memory_drift:stagnant"])
    }).pipe(provided))

  it.effect("is no warning when the lane has got an outcome meanwhile, recalled or not", () =>
    Effect.gen(function*() {
      yield* various(5, same)
      assert.deepStrictEqual(yield* asking({ ...same, laneSize: same.laneSize + 1 }), [])
    }).pipe(provided))

  it.effect("is no warning of a lane that recalls nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* various(8, nothing)).flat(), [])
    }).pipe(provided))
})

it.effect("another account, and another lane, has tasks of its own", () =>
  Effect.gen(function*() {
    yield* times(defaults.repeatsMin)
    const task = "Summarise the third quarter's report for the board"
    const otherLane = yield* detectRepeats({ accountId: accountOf(), lane: laneOf("b"), cluster: "code:hard", task }, nothing)
    assert.deepStrictEqual(otherLane, [])
  }).pipe(provided))
