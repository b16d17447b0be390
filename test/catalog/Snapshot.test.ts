import { assert, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { reader, snapshotAt, staleAfterMs, versionOf } from "../../src/catalog/Snapshot.ts"
import { bundledAtMs, card, hourMs, rows } from "./fixtures.ts"

it("the version is 12 hex digits that follow every price and no order or date", () => {
  const [a, b] = [card("a"), card("b")]
  assert.match(versionOf([a, b]), /^[0-9a-f]{12}$/)
  assert.strictEqual(versionOf([a, b]), versionOf([b, { ...a, costFetchedAt: null, costStale: true }]))
  assert.notStrictEqual(versionOf([a, b]), versionOf([a, { ...b, inputCostPerMtok: 1.0001 }]))
  assert.notStrictEqual(versionOf([a, b]), versionOf([a]))
  const priced = { ...a, extraPrices: { serviceTierRatio: { flex: 0.5, priority: 2 }, requestUsd: 0.1, searchUsd: 0.01 } }
  const turned = { ...a, extraPrices: { searchUsd: 0.01, requestUsd: 0.1, serviceTierRatio: { priority: 2, flex: 0.5 } } }
  assert.strictEqual(versionOf([priced]), versionOf([turned]))
  assert.notStrictEqual(versionOf([priced]), versionOf([{ ...a, extraPrices: { ...turned.extraPrices, searchUsd: 0.1 } }]))
})

it("models are sorted by input price, then by id", () => {
  const { cards } = rows(card("z"), card("a"), card("cheap", { inputCostPerMtok: 0.1 }))
  assert.deepStrictEqual(cards.map((model) => model.modelId), ["cheap", "a", "z"])
})

const refreshed = (modelId: string) => card(modelId, { costSource: "models.dev" })

it("a refreshed price is fresh at exactly 72 hours and stale a millisecond later", () => {
  const only = rows(refreshed("a"))
  assert.isFalse(snapshotAt(only, bundledAtMs + 72 * hourMs).stale)
  assert.isTrue(snapshotAt(only, bundledAtMs + 72 * hourMs + 1).stale)
  assert.strictEqual(staleAfterMs.refreshed, 72 * hourMs)
})

it("a bundled price is fresh at exactly 30 days, and stale a millisecond later", () => {
  const only = rows(card("a"))
  assert.isFalse(snapshotAt(only, bundledAtMs + 720 * hourMs).stale)
  assert.isTrue(snapshotAt(only, bundledAtMs + 720 * hourMs + 1).stale)
})

it("a bundled price that no source states does not hide that the sources are out", () => {
  const both = rows(refreshed("a"), card("b"))
  const { models, stale } = snapshotAt(both, bundledAtMs + 72 * hourMs + 1)
  assert.deepStrictEqual(models.map((model) => model.costStale), [true, false])
  assert.isTrue(stale)
  assert.isFalse(snapshotAt(both, bundledAtMs + 72 * hourMs).stale)
})

it("a price without a date never goes stale", () => {
  assert.isFalse(snapshotAt(rows(card("a", { costFetchedAt: null })), bundledAtMs + 1e12).stale)
})

it.effect("the same snapshot is read until a price turns stale, model by model", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(bundledAtMs)
    const later = { ...refreshed("later"), costFetchedAt: new Date(bundledAtMs + hourMs).toISOString() }
    const snapshot = reader(yield* Ref.make(rows(refreshed("a"), later)))
    const first = yield* snapshot
    yield* TestClock.adjust("72 hours")
    assert.strictEqual(yield* snapshot, first)
    yield* TestClock.adjust("1 millis")
    const second = yield* snapshot
    assert.deepStrictEqual(second.models.map((model) => model.costStale), [true, false])
    assert.isFalse(second.stale)
    yield* TestClock.adjust("1 hour")
    assert.isTrue((yield* snapshot).stale)
    assert.strictEqual((yield* snapshot).version, first.version)
  }))
