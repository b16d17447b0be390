import { NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer, Option, Redacted, Schedule } from "effect"
import { FetchHttpClient, HttpServer } from "effect/http"
import type { SqlClient } from "effect/sql"
import * as CatalogFile from "./catalog/CatalogFile.ts"
import * as CatalogRefresh from "./catalog/CatalogRefresh.ts"
import { AppConfig, isExposed, keysIn, MemoryConfig } from "./Config.ts"
import { Learner } from "./engine/Learner.ts"
import { Recommender } from "./engine/Recommender.ts"
import { defaults, Settings } from "./engine/Settings.ts"
import * as MemoryServer from "./http/MemoryServer.ts"
import * as Server from "./http/Server.ts"
import { Keys } from "./keys/Keys.ts"
import * as KeysHttp from "./keys/KeysHttp.ts"
import * as KeysMubit from "./keys/KeysMubit.ts"
import * as KeysSql from "./keys/KeysSql.ts"
import { foldSettings } from "./ledger/FoldSettings.ts"
import * as LanesSql from "./ledger/LanesSql.ts"
import * as LedgerBacklog from "./ledger/LedgerBacklog.ts"
import * as LedgerChanges from "./ledger/LedgerChanges.ts"
import * as LedgerFoldsSql from "./ledger/LedgerFoldsSql.ts"
import * as LedgerSql from "./ledger/LedgerSql.ts"
import * as EmbedderHttp from "./memory/EmbedderHttp.ts"
import * as EmbedderLexical from "./memory/EmbedderLexical.ts"
import { embedderSettings, waitShare } from "./memory/EmbedderSettings.ts"
import * as MemoryClient from "./memory/MemoryClient.ts"
import * as MemoryHttp from "./memory/MemoryHttp.ts"
import { memorySettings } from "./memory/MemorySettings.ts"
import * as MemorySql from "./memory/MemorySql.ts"
import * as MemoryMubit from "./memory/mubit/MemoryMubit.ts"
import * as MubitClient from "./memory/mubit/MubitClient.ts"
import * as Outbox from "./memory/Outbox.ts"
import * as RecentTasksLocal from "./memory/RecentTasksLocal.ts"
import { undoOutcomes, type UndoRequest } from "./memory/UndoOutcomes.ts"
import { Reasoner } from "./reasoner/Reasoner.ts"
import * as ReasonerAnthropic from "./reasoner/ReasonerAnthropic.ts"
import * as ReasonerOpenAi from "./reasoner/ReasonerOpenAi.ts"
import { reasonerSettings } from "./reasoner/ReasonerSettings.ts"
import { Reports } from "./reports/Reports.ts"
import * as Database from "./sql/Database.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"

/** PostgreSQL when `DATABASE_URL` is set, else the embedded database of the data directory. */
export const storage = ({ dataDirectory, databaseUrl }: MemoryConfig) =>
  Option.match(databaseUrl, {
    onSome: (url) => Database.layerPostgres(url),
    onNone: () => Database.layerEmbedded(dataDirectory)
  })

/** {@link storage} of what serves: it comes up without its PostgreSQL, and works once that is there. */
const servingStorage = (config: MemoryConfig): Layer.Layer<SqlClient.SqlClient, Database.StorageFailure> =>
  Option.match(config.databaseUrl, {
    onSome: (url): Layer.Layer<SqlClient.SqlClient, Database.StorageFailure> =>
      Database.layerPostgresPatient(url),
    onNone: () => storage(config)
  })

/** Memory and keys in the external backend, over the same connections. */
const elsewhere = ({ memoryProtocol }: AppConfig, url: URL) => {
  if (memoryProtocol === "mubit") {
    const client = MubitClient.layer(url)
    return {
      memory: MemoryMubit.layer().pipe(Layer.provide(client)),
      keys: KeysMubit.layer.pipe(Layer.provide(client))
    }
  }
  const client = MemoryClient.layer(url)
  return {
    memory: MemoryHttp.layer.pipe(Layer.provide(client)),
    keys: KeysHttp.layer.pipe(Layer.provide(client))
  }
}

/** Account keys over that storage, unless an external memory keeps them. */
export const keys = (config: AppConfig) =>
  Option.match(config.memoryUrl, {
    onNone: () => KeysSql.layer.pipe(Layer.provide(storage(config))),
    onSome: (url) => elsewhere(config, url).keys
  })

/** Makes outcomes in that storage as if they had never been told; says of which lanes, and how many. */
export const undo = (config: MemoryConfig, request: UndoRequest) =>
  undoOutcomes(request, memorySettings).pipe(Effect.provide(storage(config)))

/** The built-in embedder, and beside it the endpoint, which has its share of the recall budget. */
const embedders = ({ embedder }: MemoryConfig, recallBudgetMs: number) =>
  Layer.merge(
    EmbedderLexical.layer,
    Option.match(embedder, {
      onNone: () => Layer.empty,
      onSome: (options) =>
        EmbedderHttp.layer(options, { ...embedderSettings, waitMs: Math.ceil(recallBudgetMs * waitShare) })
    })
  )

const memorySql = (config: MemoryConfig, recallBudgetMs: number, keepsTexts: boolean) =>
  MemorySql.layer({
    endpoint: Option.isSome(config.databaseUrl) ? "postgresql" : "embedded",
    keepsTexts
  }).pipe(Layer.provide(embedders(config, recallBudgetMs)))

/** Memory, and the keys that select an account's: both in the database, or both in the external backend. */
const memoryAndKeys = (config: AppConfig) =>
  Option.match(config.memoryUrl, {
    // The ledger in the same database keeps the texts.
    onNone: () => Layer.mergeAll(memorySql(config, config.recallTimeoutMs, false), KeysSql.layer),
    onSome: (url) => {
      const { keys, memory } = elsewhere(config, url)
      return Layer.mergeAll(Outbox.layer().pipe(Layer.provide(memory)), keys)
    }
  })

const catalog = ({ catalogFile, catalogRefresh, dataDirectory }: AppConfig) =>
  Option.match(catalogFile, {
    onSome: (path) => CatalogFile.layerFile(path),
    onNone: () =>
      catalogRefresh === "off" ? CatalogFile.layerBundled : CatalogRefresh.layerRefreshing({ dataDirectory })
  }).pipe(Layer.provide([NodeServices.layer, FetchHttpClient.layer]))

const reasoner = ({ reasoner, reasonerTimeoutMs }: AppConfig) =>
  Option.match(reasoner, {
    onNone: () => Reasoner.layerDisabled,
    onSome: ({ provider, ...options }) => {
      const driver = provider === "anthropic" ? ReasonerAnthropic : ReasonerOpenAi
      return driver.layer(options, { ...reasonerSettings, timeoutMs: reasonerTimeoutMs })
    }
  })

/** What reports read: over connections of its own on PostgreSQL, over the only one there is elsewhere. */
const folds = ({ databaseUrl }: MemoryConfig) =>
  Option.match(databaseUrl, {
    onSome: (url) =>
      LedgerFoldsSql.layer.pipe(Layer.provide(Database.layerPostgresBeside(url, foldSettings.connections))),
    onNone: () => LedgerFoldsSql.layer
  })

const ports = (config: AppConfig) =>
  Layer.mergeAll(
    memoryAndKeys(config),
    LedgerBacklog.layer.pipe(
      Layer.provideMerge(LedgerChanges.layer.pipe(Layer.provide(LedgerSql.layer)))
    ),
    folds(config),
    LanesSql.layer
  ).pipe(
    Layer.provide(servingStorage(config)),
    Layer.merge(reasoner(config)),
    Layer.provideMerge(catalog(config)),
    Layer.merge(RecentTasksLocal.layer),
    Layer.merge(Settings.layer({
      recallBudgetMs: config.recallTimeoutMs,
      reasonerBudgetMs: config.reasonerTimeoutMs,
      selectionPolicy: config.selectionPolicy
    }))
  )

/** The account of the key that a newcomer is given. */
const firstInstance = "local"

const given = ({ bootstrapKeys }: MemoryConfig): ReadonlyArray<string> =>
  Option.match(bootstrapKeys, { onNone: () => [], onSome: (text) => keysIn(Redacted.value(text)) })

/** Pauses between two attempts to register the keys while their store is out. */
const registerAgain = Schedule.spaced("1 second")

/**
 * Registers the bootstrap keys, in the background once PostgreSQL is there if it is not; without any, an
 * empty embedded store gets one key, which is yielded.
 */
const firstKey = Effect.fn("firstKey")(function*(config: MemoryConfig) {
  const store = yield* Keys
  const keys = given(config)
  const register = Effect.forEach(keys, (key) => store.register(Redacted.make(key)), { discard: true })
  if (Option.isSome(config.databaseUrl)) {
    yield* Effect.catchTag(register, "KeysUnavailable", () =>
      register.pipe(
        Effect.retry({ schedule: registerAgain, while: (error) => error._tag === "KeysUnavailable" }),
        Effect.catch((error) => Effect.logError("SEXTANT_BOOTSTRAP_KEYS could not be registered", error)),
        Effect.forkScoped
      ))
    return Option.none()
  }
  yield* register
  const isNewcomer = keys.length === 0 && (yield* store.list).length === 0
  return isNewcomer ? Option.some(yield* store.create(firstInstance)) : Option.none()
})

/** Where the server listens, as others reach it. */
const listening = ({ host, port }: MemoryConfig) =>
  Effect.map(HttpServer.HttpServer, ({ address }) => {
    const bound = address._tag === "UnixPathAddress" ? port : address.port
    return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`
  })

interface Endpoint {
  readonly url: URL
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
}

const isOpenWithKey = ({ apiKey, url }: Endpoint): boolean => Option.isSome(apiKey) && isExposed(url)

/** Says where the service is, once it listens. */
const announce = Effect.fn("announce")(function*(config: AppConfig) {
  // An external memory keeps the keys, and hands out the first one.
  const isElsewhere = Option.isSome(config.memoryUrl)
  if (isElsewhere && given(config).length > 0) {
    yield* Effect.logWarning("SEXTANT_BOOTSTRAP_KEYS is ignored: the external memory keeps the keys")
  }
  if (!isElsewhere && config.memoryProtocol !== "sextant") {
    yield* Effect.logWarning("SEXTANT_MEMORY_PROTOCOL is ignored: SEXTANT_MEMORY_URL names no memory")
  }
  if (Option.exists(config.memoryUrl, isExposed)) {
    yield* Effect.logWarning("SEXTANT_MEMORY_URL is plain http to another host: keys go there unencrypted")
  }
  if (Option.exists(config.reasoner, isOpenWithKey)) {
    yield* Effect.logWarning("SEXTANT_REASONER_URL is plain http to another host: its key goes there openly")
  }
  if (isElsewhere && Option.isSome(config.embedder)) {
    yield* Effect.logWarning("SEXTANT_EMBEDDER_URL is ignored: the external memory embeds")
  }
  if (Option.exists(config.embedder, isOpenWithKey)) {
    yield* Effect.logWarning("SEXTANT_EMBEDDER_URL is plain http to another host: its key goes there openly")
  }
  const key = isElsewhere ? Option.none() : yield* firstKey(config)
  const url = yield* listening(config)
  yield* Console.log(`Sextant is ready at ${url} (docs: ${url}/docs, dashboard: ${url}/dashboard)`)
  if (Option.isNone(key)) return
  yield* Console.log([
    "",
    "Your key, shown only this once:",
    `  ${Redacted.value(key.value)}`,
    "",
    "Try it:",
    `  curl -s ${url}/v1/recommend -H 'authorization: Bearer ${Redacted.value(key.value)}' \\`,
    "    -H 'content-type: application/json' -d '{\"task\":{\"task\":\"Fix this failing unit test\"}}'",
    ""
  ].join("\n"))
})

const telemetry = ({ otlpEndpoint }: MemoryConfig) =>
  Option.match(otlpEndpoint, { onNone: () => Telemetry.layerOff, onSome: Telemetry.layer })

/** The whole service. */
export const layer = (config: AppConfig) => {
  const engine = Layer.mergeAll(Recommender.layer, Learner.layer, Reports.layer)
  const { host, port, rateLimitPerMinute } = config
  const service = Layer.effectDiscard(announce(config)).pipe(
    Layer.provideMerge(Server.layer({ port, host, rateLimitPerMinute })),
    Layer.provide(engine),
    Layer.provide(ports(config))
  )
  return service.pipe(Layer.provide(telemetry(config)))
}

/** Says where the memory is, and how a service is pointed at it. */
const announceMemory = Effect.fn("announceMemory")(function*(config: MemoryConfig) {
  if (Option.exists(config.embedder, isOpenWithKey)) {
    yield* Effect.logWarning("SEXTANT_EMBEDDER_URL is plain http to another host: its key goes there openly")
  }
  const key = yield* firstKey(config)
  const url = yield* listening(config)
  yield* Console.log(`Sextant memory is ready at ${url}`)
  yield* Console.log(`Start a service on it with SEXTANT_MEMORY_URL=${url} npm start`)
  if (Option.isNone(key)) return
  yield* Console.log(`\nYour key, shown only this once:\n  ${Redacted.value(key.value)}\n`)
})

/** The memory alone, as an external backend of services elsewhere. */
export const memoryLayer = (config: MemoryConfig) =>
  Layer.effectDiscard(announceMemory(config)).pipe(
    Layer.provideMerge(MemoryServer.layer(config)),
    // Whatever budget its services recall with, it is at least the default.
    Layer.provide(Layer.mergeAll(memorySql(config, defaults.recallBudgetMs, true), KeysSql.layer)),
    Layer.provide(servingStorage(config)),
    Layer.provide(telemetry(config))
  )

/** {@link memoryLayer}, from the environment. */
export const memoryLayerConfig = Layer.unwrap(Effect.map(MemoryConfig, memoryLayer))

/** {@link layer}, from the environment. */
export const layerConfig = Layer.unwrap(Effect.map(AppConfig, layer))
