/* Logs of made-up calls, and backtests of them. */
import { Effect, FileSystem, Layer, Stream } from "effect"
import { backtest, type BacktestOptions } from "../../../packages/backtest/src/Backtest.ts"
import type { LogBatch, LoggedCall } from "../../../src/logs/LoggedCall.ts"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import * as CatalogFile from "../../../src/catalog/file/CatalogFile.ts"
import { findModel } from "../../../src/catalog/Lookup.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { generator } from "../../../src/stats/Generator.ts"

/** The moment of the first call, ms. */
export const beganMs = Date.UTC(2026, 0, 1)

/** A call with every field, one minute after another. */
export const callOf = (number: number, over: Partial<LoggedCall> = {}): LoggedCall => ({
  id: `call-${number}`,
  at: new Date(beganMs + number * 60_000),
  prompt: `Sum the list number ${number % 7}`,
  modelId: "able-mini",
  effort: null,
  sessionId: null,
  inputTokens: 1_000,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: 100,
  reasoningTokens: null,
  serviceTier: null,
  webSearches: null,
  costUsd: 0.001,
  latencyMs: 500,
  timeToFirstTokenMs: null,
  taskId: null,
  userId: null,
  tags: [],
  taskType: null,
  difficulty: null,
  quality: 1,
  evidenceSource: "gate",
  isInfraFailure: false,
  ...over
})

/** Prices of the catalog's two models: USD per million tokens, and their bills of {@link callOf}. */
const models = {
  "able-mini": { usdPerMtok: 1, success: 0.8 },
  "large": { usdPerMtok: 10, success: 0.85 }
} as const

/** Calls of two models chosen at random, of which the cheap one is nearly as good. */
export const randomCalls = (count: number, seed = 1): ReadonlyArray<LoggedCall> => {
  const random = generator(seed)
  return Array.from({ length: count }, (_, number) => {
    const modelId = random() < 0.5 ? "able-mini" : "large"
    const { success, usdPerMtok } = models[modelId]
    const outputTokens = 50 + Math.floor(random() * 100)
    return callOf(number, {
      prompt: `Sum the list number ${number % 7} of page ${number}`,
      modelId, outputTokens, costUsd: (1_000 + outputTokens) * usdPerMtok / 1e6,
      quality: random() < success ? 1 : 0
    })
  })
}

/** The catalog of two models, in the format of `SEXTANT_CATALOG_FILE`. */
export const catalogJson = JSON.stringify({
  models: Object.entries(models).map(([model_id, { usdPerMtok }]) => ({
    model_id, provider: "acme", input_cost_per_mtok: usdPerMtok, output_cost_per_mtok: usdPerMtok,
    context_window: 100_000
  }))
})

const catalog = CatalogFile.layerFile("catalog.json").pipe(
  Layer.provide(FileSystem.layerNoop({ readFileString: () => Effect.succeed(catalogJson) }))
)

/** The two models of the catalog. */
export const snapshot = Effect.flatMap(Catalog, (each) => each.snapshot).pipe(Effect.provide(catalog))

/** Calls as they are read of a file. */
export const readAs = (calls: ReadonlyArray<LoggedCall>): Stream.Stream<LogBatch> =>
  Stream.fromIterable([{
    format: "jsonl",
    items: calls.map((call) => ({ _tag: "Call", call })),
    bytesRead: 1,
    bytesTotal: 1
  }])

/** The report of a backtest of these calls. */
export const reportOn = (calls: ReadonlyArray<LoggedCall>, over: Partial<BacktestOptions> = {}) =>
  Effect.flatMap(snapshot, (cards) =>
    backtest(readAs(calls), {
      snapshot: cards,
      resolveModel: (name) => findModel(cards, name) ?? null,
      settings: defaults,
      sliders: [0, 5, 10],
      models: null,
      readTo: () => {},
      replayedTo: () => {},
      ...over
    }))
