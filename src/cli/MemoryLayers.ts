/* The drivers of memory, of its embedders, and of the keys. */
import { Layer, Option } from "effect"
import * as KeysSql from "../accounts/sql/KeysSql.ts"
import type { TaskText } from "../domain/text/TaskText.ts"
import { embedderSettings, waitShare } from "../embedder/EmbedderSettings.ts"
import * as EmbedderLexical from "../embedder/lexical/EmbedderLexical.ts"
import * as EmbedderHttp from "../embedder/remote/EmbedderHttp.ts"
import * as MemoryTelemetry from "../memory/MemoryTelemetry.ts"
import * as MemoryDelivered from "../memory/delivery/MemoryDelivered.ts"
import * as KeysHttp from "../memory/remote/KeysHttp.ts"
import * as MemoryClient from "../memory/remote/MemoryClient.ts"
import * as MemoryHttp from "../memory/remote/MemoryHttp.ts"
import * as MemorySql from "../memory/sql/MemorySql.ts"
import type { AppConfig, MemoryConfig } from "./Config.ts"

/** Provides memory and keys of the external memory at a URL, over the same connections. */
export const externalBackend = (url: URL) => {
  const overHttp = Layer.provide(MemoryClient.layer(url))
  return { memory: overHttp(MemoryHttp.layer), keys: overHttp(KeysHttp.layer) }
}

const embedders = ({ embedder, otlpEndpoint }: MemoryConfig, recallBudgetMs: number) =>
  Layer.merge(
    Option.isNone(otlpEndpoint)
      ? EmbedderLexical.layer
      : MemoryTelemetry.withEmbedderTelemetry(EmbedderLexical.layer),
    Option.match(embedder, {
      onNone: () => Layer.empty,
      onSome: (options) =>
        EmbedderHttp.layer(options, { ...embedderSettings, waitMs: Math.ceil(recallBudgetMs * waitShare) })
    })
  )

export const memorySql = (config: MemoryConfig, recallBudgetMs: number, keptText: TaskText) => {
  const endpoint = Option.isSome(config.databaseUrl) ? "postgresql" : "embedded"
  const memory = MemorySql.layer({ endpoint, keptText }).pipe(
    Layer.provide(embedders(config, recallBudgetMs))
  )
  return Option.isNone(config.otlpEndpoint) ? memory : MemoryTelemetry.memory(endpoint)(memory)
}

export const memoryAndKeys = (config: AppConfig) =>
  Option.match(config.memoryUrl, {
    // Memory itself stores no texts, because the ledger in the same database stores them.
    onNone: () => Layer.mergeAll(memorySql(config, config.recallTimeoutMs, "none"), KeysSql.layer),
    onSome: (url) => {
      const { keys, memory } = externalBackend(url)
      const observed = Option.isNone(config.otlpEndpoint)
        ? memory
        : MemoryTelemetry.memory("elsewhere")(memory)
      return Layer.mergeAll(MemoryDelivered.layer().pipe(Layer.provide(observed)), keys)
    }
  })
