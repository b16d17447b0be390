import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { restore, save } from "../../../src/catalog/file/LastGood.ts"
import { factsFrom, newerFacts } from "../../../src/domain/model/Facts.ts"
import { bundledAtMs, card, hourMs, temporaryDirectory } from "../fixtures.ts"

const readAt = (atMs: number) => ({
  costSource: "litellm", costFetchedAt: new Date(atMs).toISOString(), inputCostPerMtok: 2,
  cacheReadCostPerMtok: null, cacheWritePriceRatio: { usual: 1.25 },
  extraPrices: { serviceTierRatio: { flex: 0.5 }, searchUsd: 0.01 }
})

const roundTrip = (atMs: number, nowMs: number) =>
  Effect.gen(function*() {
    const path = `${yield* temporaryDirectory}/new/folder/catalog.json`
    yield* save(path, [card("a", { ...readAt(atMs), displayName: "old name" }), card("b")])
    return yield* restore(path, [card("a"), card("b"), card("c")], nowMs)
  }).pipe(Effect.provide(NodeServices.layer))

it.effect("brings back prices, not names or capabilities, and only of refreshed models", () =>
  Effect.gen(function*() {
    const atMs = bundledAtMs + hourMs
    const restored = yield* roundTrip(atMs, atMs)
    assert.deepStrictEqual(restored, [card("a", readAt(atMs)), card("b"), card("c")])
  }))

it.effect("brings back the prices of long inputs, and without any moves the bundle's with the price", () =>
  Effect.gen(function*() {
    const tier = (price: number) => ({
      aboveInputTokens: 200_000, inputCostPerMtok: price, outputCostPerMtok: 10, cacheReadCostPerMtok: null
    })
    const atMs = bundledAtMs + hourMs
    const path = `${yield* temporaryDirectory}/catalog.json`
    const { outputCostPerMtok } = card("a")
    const bundled = card("a", { inputCostPerMtok: 1, priceTiers: [{ ...tier(2), outputCostPerMtok: outputCostPerMtok * 2 }] })
    yield* save(path, [card("a", { ...readAt(atMs), priceTiers: [tier(5)] })])
    assert.deepStrictEqual((yield* restore(path, [bundled], atMs))[0]?.priceTiers, [tier(5)])
    yield* save(path, [card("a", readAt(atMs))])
    assert.deepStrictEqual((yield* restore(path, [bundled], atMs))[0]?.priceTiers, [
      { ...tier(4), outputCostPerMtok: outputCostPerMtok * 2 }
    ])
  }).pipe(Effect.provide(NodeServices.layer)))

it.effect("leaves the bundle's price where that is newer", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual((yield* roundTrip(bundledAtMs - 1, bundledAtMs))[0], card("a"))
  }))

it.effect("leaves out a price from the future, which would never go stale", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual((yield* roundTrip(bundledAtMs + hourMs, bundledAtMs + 1))[0], card("a"))
  }))

it.effect("brings back facts of sources, unless the bundle's are newer, and none of a later day", () =>
  Effect.gen(function*() {
    const of = (day: string, source = "litellm") => factsFrom({ supportsTools: true }, source, day)
    const read = {
      ...of("2026-11-10"), ...factsFrom({ retiresOn: "2027-01-31" }, "litellm", "2026-12-01"),
      ...factsFrom({ supportsAudio: true }, "npm:old", "2026-11-10")
    }
    const kept = card("a", { ...readAt(bundledAtMs + hourMs), ...newerFacts(undefined, read) })
    const retires = factsFrom({ retiresOn: "2027-01-31" }, "litellm", "2026-11-10")
    const path = `${yield* temporaryDirectory}/catalog.json`
    yield* save(path, [kept])
    const nowMs = bundledAtMs + 2 * hourMs
    for (
      const [bundled, expected] of [
        [{}, { ...of("2026-11-10"), ...retires }],
        [of("2026-11-09", "docs:acme"), { ...of("2026-11-10"), ...retires }],
        [of("2026-11-11", "docs:acme"), { ...of("2026-11-11", "docs:acme"), ...retires }]
      ] as const
    ) {
      const cards = [card("a", newerFacts(undefined, bundled))]
      const { facts } = newerFacts(undefined, expected)
      assert.deepStrictEqual((yield* restore(path, cards, nowMs))[0]?.facts, facts)
    }
  }).pipe(Effect.provide(NodeServices.layer)))

it.effect("a write that fails leaves the old file whole and no other beside it", () =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const folder = yield* temporaryDirectory
    const path = `${folder}/catalog.json`
    yield* save(path, [card("a", readAt(bundledAtMs))])
    const before = yield* files.readFileString(path)
    const refusing = FileSystem.make({
      ...files,
      rename: (from) => Effect.flatMap(files.stat(`${from}.missing`), () => Effect.void)
    })
    const exit = yield* Effect.exit(
      Effect.provideService(save(path, [card("b", readAt(bundledAtMs))]), FileSystem.FileSystem, refusing)
    )
    assert.strictEqual(exit._tag, "Failure")
    assert.strictEqual(yield* files.readFileString(path), before)
    assert.deepStrictEqual(yield* files.readDirectory(folder), ["catalog.json"])
  }).pipe(Effect.provide(NodeServices.layer)))
