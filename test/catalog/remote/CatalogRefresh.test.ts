import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Queue } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import type { RequestListener } from "node:http"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import { findModel } from "../../../src/catalog/Lookup.ts"
import { layerRefreshing, make } from "../../../src/catalog/remote/CatalogRefresh.ts"
import { idsOf, manyRows, modelsDevBody, Platform, serve, temporaryDirectory } from "../fixtures.ts"

const urlsOf = (base: string) => ({
  "models.dev": `${base}/models.dev`,
  openrouter: `${base}/openrouter`,
  litellm: `${base}/litellm`
})

/** Answers models.dev's path with `answer` and the other two with 500. */
const onlyModelsDev = (answer: RequestListener): RequestListener => (request, response) => {
  if (request.url === "/models.dev") return answer(request, response)
  response.writeHead(500).end("down")
}

const json = (body: unknown): RequestListener => (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const started = (listener: RequestListener, options: { dataDirectory?: string; timeoutMs?: number } = {}) =>
  Effect.gen(function*() {
    const base = yield* serve(listener)
    const dataDirectory = options.dataDirectory ?? (yield* temporaryDirectory)
    const catalog = yield* make({
      dataDirectory, urls: urlsOf(base), rows: manyRows(10), timeoutMs: options.timeoutMs ?? 5_000
    })
    return { ...catalog, dataDirectory }
  })

const good = modelsDevBody(idsOf(10))

describe("A refresh of the catalog", () => {
  it.live("takes prices, cache price, sizes and facts from the source, and nothing else", () =>
    Effect.gen(function*() {
      const { snapshot, refresh } = yield* started(onlyModelsDev(json(good)))
      const before = yield* snapshot
      const report = yield* refresh
      const after = yield* snapshot
      const model = findModel(after, "m3")
      assert.deepStrictEqual(
        report,
        { accepted: true, matched: 10, quarantined: [], sources: ["models.dev"] }
      )
      assert.notStrictEqual(after.version, before.version)
      assert.strictEqual(after.costSource, "models.dev")
      assert.isFalse(after.stale)
      assert.deepInclude(model, {
        inputCostPerMtok: 1.5, outputCostPerMtok: 6, cacheReadCostPerMtok: 0.75, contextWindow: 200_000,
        maxOutputTokens: 16_384, costSource: "models.dev", costStale: false
      })
      assert.deepInclude(model?.facts, {
        supportsTools: { value: true, source: "models.dev", asOf: model?.costFetchedAt?.slice(0, 10) ?? null },
        supportsImages: null
      })
    }).pipe(Effect.provide(Platform)))

  it.live("ignores models that are not ours", () =>
    Effect.gen(function*() {
      const body = modelsDevBody([...idsOf(10), "m10", "m"])
      const { snapshot, refresh } = yield* started(onlyModelsDev(json(body)))
      yield* refresh
      assert.lengthOf((yield* snapshot).models, 10)
    }).pipe(Effect.provide(Platform)))

  it.live("keeps the version when the same prices are read again, and the next one 304", () => {
    const validators: Array<string | undefined> = []
    return Effect.gen(function*() {
      const { snapshot, refresh } = yield* started(onlyModelsDev((request, response) => {
        validators.push(request.headers["if-none-match"])
        if (request.headers["if-none-match"] === `"v1"`) return response.writeHead(304).end()
        return response.writeHead(200, { etag: `"v1"` }).end(JSON.stringify(good))
      }))
      yield* refresh
      const first = yield* snapshot
      const report = yield* refresh
      const second = yield* snapshot
      assert.deepStrictEqual(validators, [undefined, `"v1"`])
      assert.isTrue(report.accepted)
      assert.strictEqual(second.version, first.version)
      assert.isAtLeast(second.refreshedAt.getTime(), first.refreshedAt.getTime())
    }).pipe(Effect.provide(Platform))
  })

  const hostile: Record<string, RequestListener> = {
    "truncated JSON": (_request, response) => response.writeHead(200).end(JSON.stringify(good).slice(0, -20)),
    "HTML with status 200": (_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Moved</title>"),
    "a 304 that nobody asked for": (_request, response) => response.writeHead(304).end(),
    "status 500": (_request, response) => response.writeHead(500).end("{}"),
    "zero models": json({ acme: { models: {} } }),
    "an empty object": json({}),
    "null": json(null),
    "an array": json([1, 2]),
    "the wrong types": json({ acme: { models: ["m0", 3] }, other: 5, more: { models: { m0: "free" } } }),
    "nothing but negative prices": json(modelsDevBody(idsOf(10), -1)),
    "nothing but huge prices": json(modelsDevBody(idsOf(10), 1e300)),
    "prices as text": json({
      acme: { models: Object.fromEntries(idsOf(10).map((id) => [id, { cost: { input: "1", output: "4" } }])) }
    }),
    "a body of 9 MB": (_request, response) => {
      response.writeHead(200)
      response.end(JSON.stringify({ ...good, padding: "x".repeat(9 * 1024 * 1024) }))
    },
    "a body of more values than any source has": json({ ...good, padding: Array.from({ length: 500_000 }, () => 0) }),
    "a body of a thousand levels": (_request, response) => {
      const padding = "[".repeat(1_000) + "]".repeat(1_000)
      response.writeHead(200).end(`${JSON.stringify(good).slice(0, -1)},"padding":${padding}}`)
    },
    "a redirect to a good body": (request, response) =>
      request.url === "/models.dev"
        ? response.writeHead(302, { location: "/moved" }).end()
        : response.writeHead(200).end(JSON.stringify(good)),
    "a connection cut in the middle": (_request, response) => {
      response.writeHead(200)
      response.write(`{"acme":`, () => response.destroy())
    }
  }
  for (const [name, listener] of Object.entries(hostile)) {
    it.live(`leaves the last good catalog as it was after ${name}`, () =>
      Effect.gen(function*() {
        const { snapshot, refresh, dataDirectory } = yield* started(onlyModelsDev(listener))
        const before = yield* snapshot
        const report = yield* refresh
        assert.isFalse(report.accepted)
        assert.strictEqual(yield* snapshot, before)
        const files = yield* FileSystem.FileSystem
        assert.deepStrictEqual(yield* files.readDirectory(dataDirectory), [])
      }).pipe(Effect.provide(Platform)))
  }

  it.live("gives up on a body that does not end within the timeout", () =>
    Effect.gen(function*() {
      const { refresh } = yield* started(
        onlyModelsDev((_request, response) => {
          response.writeHead(200)
          response.write("{")
        }),
        { timeoutMs: 50 }
      )
      assert.isFalse((yield* refresh).accepted)
    }).pipe(Effect.provide(Platform)))

  it.live("is refused at 7 of 10 models and accepted at 8", () =>
    Effect.gen(function*() {
      let count = 7
      const { snapshot, refresh } = yield* started(onlyModelsDev((request, response) =>
        json(modelsDevBody(idsOf(count)))(request, response)))
      const before = yield* snapshot
      assert.isFalse((yield* refresh).accepted)
      assert.strictEqual(yield* snapshot, before)
      count = 8
      assert.isTrue((yield* refresh).accepted)
      assert.strictEqual(findModel(yield* snapshot, "m7")?.costSource, "models.dev")
      assert.strictEqual(findModel(yield* snapshot, "m8")?.costSource, "bundled")
    }).pipe(Effect.provide(Platform)))
})

describe("The last good prices", () => {
  it.live("survive a restart without any source, written whole under one name", () =>
    Effect.gen(function*() {
      const first = yield* started(onlyModelsDev(json(good)))
      yield* first.refresh
      const { dataDirectory } = first
      const again = yield* started((_request, response) => response.writeHead(500).end(), { dataDirectory })
      const files = yield* FileSystem.FileSystem
      assert.deepStrictEqual(yield* files.readDirectory(dataDirectory), ["catalog.json"])
      assert.isFalse((yield* again.refresh).accepted)
      assert.deepStrictEqual((yield* again.snapshot).models, (yield* first.snapshot).models)
      assert.strictEqual((yield* again.snapshot).version, (yield* first.snapshot).version)
    }).pipe(Effect.provide(Platform)))

  const negative = { model_id: "m0", input_cost_per_mtok: -1 }
  for (const [name, text] of [
    ["cut short", `{"models":[{"model_id":"m0"`],
    ["empty", ""],
    ["of another shape", `{"models":{"__proto__":{}}}`],
    ["negative", JSON.stringify({ models: [negative] })]
  ] as const) {
    it.live(`are ignored when the file is ${name}`, () =>
      Effect.gen(function*() {
        const dataDirectory = yield* temporaryDirectory
        const files = yield* FileSystem.FileSystem
        yield* files.writeFileString(`${dataDirectory}/catalog.json`, text)
        const { snapshot } = yield* started(json({}), { dataDirectory })
        assert.strictEqual((yield* snapshot).version, manyRows(10).version)
      }).pipe(Effect.provide(Platform)))
  }

  it.live("stay in memory when the folder cannot be written", () =>
    Effect.gen(function*() {
      const parent = yield* temporaryDirectory
      yield* FileSystem.FileSystem.use((files) => files.writeFileString(`${parent}/file`, ""))
      const dataDirectory = `${parent}/file`
      const { snapshot, refresh } = yield* started(onlyModelsDev(json(good)), { dataDirectory })
      assert.isTrue((yield* refresh).accepted)
      assert.strictEqual((yield* snapshot).costSource, "models.dev")
    }).pipe(Effect.provide(Platform)))
})

describe("The schedule of refreshes", () => {
  it.effect("reads the sources within 2 s of a start that waits for none, then about 6 hours later", () =>
    Effect.gen(function*() {
      const asked = yield* Queue.unbounded<string>()
      const client = HttpClient.make((request) =>
        Effect.as(Queue.offer(asked, request.url), HttpClientResponse.fromWeb(request, new Response("{}"))))
      const dataDirectory = yield* temporaryDirectory
      const context = yield* Layer.build(layerRefreshing({ dataDirectory, rows: manyRows(10) }).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
      ))
      const { snapshot } = yield* Effect.provide(Catalog, context)
      assert.lengthOf((yield* snapshot).models, 10)
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(yield* Queue.takeN(asked, 3), 3)
      yield* TestClock.adjust("5 hours")
      assert.strictEqual(yield* Queue.size(asked), 0)
      yield* TestClock.adjust("96 minutes")
      assert.lengthOf(yield* Queue.takeN(asked, 3), 3)
    }).pipe(Effect.provide(NodeServices.layer)))
})
