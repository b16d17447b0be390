import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import type { RequestListener } from "node:http"
import { type CatalogRows, rowsOf } from "../../src/catalog/Snapshot.ts"
import type { ModelCard } from "../../src/domain/model/Model.ts"
import { startHttpServer } from "../support/HttpServer.ts"

export const hourMs = 3_600_000
export const bundledAt = "2026-11-10T12:00:00.000Z"
export const bundledAtMs = Date.parse(bundledAt)

export const card = (modelId: string, overrides: Partial<ModelCard> = {}): ModelCard => ({
  modelId,
  provider: "acme",
  displayName: modelId,
  inputCostPerMtok: 1,
  outputCostPerMtok: 4,
  cacheReadCostPerMtok: 0.5,
  supportsPromptCaching: true,
  contextWindow: 128_000,
  maxOutputTokens: 8_192,
  capabilityPriors: { overall: 0.7 },
  capabilityByTaskType: { code: 0.7 },
  costSource: "bundled",
  costFetchedAt: bundledAt,
  costStale: false,
  capabilitySource: "benchmark",
  capabilityAsOf: null,
  aliases: [`acme/${modelId}`],
  ...overrides
})

export const rows = (...cards: ReadonlyArray<ModelCard>): CatalogRows =>
  rowsOf(cards, { refreshedAtMs: bundledAtMs, costSource: "bundled" })

/** `m0`, `m1`, ... */
export const manyRows = (count: number): CatalogRows =>
  rows(...Array.from({ length: count }, (_, index) => card(`m${index}`)))

/** A models.dev body that prices the given models at `input` and four times that, and says that they call tools. */
export const modelsDevBody = (ids: ReadonlyArray<string>, input = 1.5) => ({
  acme: {
    models: Object.fromEntries(ids.map((id) => [id, {
      cost: { input, output: 4 * input, cache_read: input / 2 },
      limit: { context: 200_000, output: 16_384 },
      tool_call: true
    }]))
  }
})

export const idsOf = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `m${index}`)

/** A server on a free port of this machine for the life of the scope; yields its base URL. */
export const serve = (listener: RequestListener) =>
  Effect.map(startHttpServer(listener), ({ port }) => `http://127.0.0.1:${port}`)

export const temporaryDirectory = Effect.flatMap(
  FileSystem.FileSystem,
  (files) => files.makeTempDirectoryScoped({ prefix: "sextant-catalog-" })
)

/** Files and HTTP as they are in production. */
export const Platform = Layer.merge(NodeServices.layer, FetchHttpClient.layer)
