import { existsSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Option, References, Schedule } from "effect"
import { FetchHttpClient } from "effect/http"
import type { SqlClient } from "effect/sql"
import { Catalog } from "../catalog/Catalog.ts"
import { printBanner, printMemoryBanner } from "./Banner.ts"
import * as CatalogFile from "../catalog/file/CatalogFile.ts"
import * as CatalogRefresh from "../catalog/remote/CatalogRefresh.ts"
import * as CatalogSharedRefresh from "../catalog/remote/CatalogSharedRefresh.ts"
import * as SharedPricesSql from "../catalog/sql/SharedPricesSql.ts"
import { AppConfig, MemoryConfig, serving, spoolDatabase } from "./Config.ts"
import type { TaskText } from "../domain/text/TaskText.ts"
import { Learner } from "../engine/Learner.ts"
import { Recommender } from "../engine/Recommender.ts"
import { defaults, Settings } from "../engine/Settings.ts"
import * as Listener from "../http/Listener.ts"
import * as MemoryServer from "../http/MemoryServer.ts"
import { makeReadiness, type Readiness } from "../http/Readiness.ts"
import * as Server from "../http/Server.ts"
import * as KeysHttp from "../accounts/remote/KeysHttp.ts"
import * as KeysMubit from "../accounts/mubit/KeysMubit.ts"
import * as KeysSql from "../accounts/sql/KeysSql.ts"
import * as AccountSettingsSql from "../accounts/sql/AccountSettingsSql.ts"
import { reportSettings } from "../reports/ReportSettings.ts"
import * as LaneCalibrationSql from "../ledger/sql/LaneCalibrationSql.ts"
import * as LedgerBuffered from "../ledger/buffer/LedgerBuffered.ts"
import * as WriteCounts from "../reports/WriteCounts.ts"
import * as AggregatesReplica from "../reports/sql/AggregatesReplica.ts"
import * as AggregatesSql from "../reports/sql/AggregatesSql.ts"
import * as LedgerSql from "../ledger/sql/LedgerSql.ts"
import * as EmbedderHttp from "../embedder/remote/EmbedderHttp.ts"
import * as EmbedderLexical from "../embedder/lexical/EmbedderLexical.ts"
import { embedderSettings, waitShare } from "../embedder/EmbedderSettings.ts"
import * as MemoryClient from "../memory/remote/MemoryClient.ts"
import * as MemoryHttp from "../memory/remote/MemoryHttp.ts"
import * as MemoryTelemetry from "../memory/MemoryTelemetry.ts"
import { memorySettings } from "../memory/MemorySettings.ts"
import * as MemorySql from "../memory/sql/MemorySql.ts"
import * as MemoryMubit from "../memory/mubit/MemoryMubit.ts"
import * as MubitClient from "../memory/mubit/MubitClient.ts"
import * as Outbox from "../memory/outbox/Outbox.ts"
import * as RecentTasksLocal from "../memory/local/RecentTasksLocal.ts"
import * as TextSweep from "../memory/sql/TextSweep.ts"
import { deleteOutcomes, type DeleteRequest } from "../memory/sql/DeleteOutcomes.ts"
import { Reasoner } from "../reasoner/Reasoner.ts"
import { reasonerSettings } from "../reasoner/ReasonerSettings.ts"
import { Reports } from "../reports/Reports.ts"
import * as Database from "../sql/Database.ts"
import * as DatabaseClock from "../sql/DatabaseClock.ts"
import { DatabaseServer } from "../sql/DatabaseServer.ts"
import type { EmbeddedUnavailable } from "../sql/embedded/EmbeddedFailure.ts"
import { keepToOwner } from "../sql/embedded/FileModes.ts"
import { requireSchema } from "../sql/Migrations.ts"
import { keepRetention } from "../sql/retention/Retention.ts"
import * as Telemetry from "../telemetry/otlp/Telemetry.ts"

/** PostgreSQL when `DATABASE_URL` is set, else the embedded one of the data directory. */
export const databaseServer = (
  { dataDirectory, databaseUrl }: Pick<MemoryConfig, "dataDirectory" | "databaseUrl">
): Layer.Layer<DatabaseServer, EmbeddedUnavailable> =>
  Option.match(databaseUrl, {
    // The prices that were last good lie in the directory there too, once they have been read.
    onSome: (url) => Layer.mergeAll(DatabaseServer.layerUrl(url), Layer.effectDiscard(
      existsSync(dataDirectory) ? keepToOwner(dataDirectory) : Effect.void
    )),
    onNone: () => DatabaseServer.layerEmbedded(dataDirectory)
  })

/** That server for a command; the embedded one may serve others at the same time. */
export const storage = (
  config: MemoryConfig,
  duty: Database.SchemaDuty = config.migrates ? "migrate" : "require"
): Layer.Layer<SqlClient.SqlClient, Database.StorageFailure> =>
  Database.layerCommands(duty).pipe(
    // A command says what it did; how its database came about is of interest where something is wrong.
    Layer.provide(Layer.provide(databaseServer(config), Layer.succeed(References.MinimumLogLevel, "Warn")))
  )

/** {@link storage} of what serves: it comes up without a PostgreSQL elsewhere, and works once it is there. */
const servingStorage = ({ migrates }: MemoryConfig) => Database.layerServing(migrates ? "migrate" : "require")

type Storage = ReturnType<typeof servingStorage>

/** Memory and keys in the external backend, over the same connections. */
const elsewhere = ({ memoryProtocol }: AppConfig, url: URL) => {
  if (memoryProtocol === "mubit") {
    const overMubit = Layer.provide(MubitClient.layer(url))
    return { memory: overMubit(MemoryMubit.layer()), keys: overMubit(KeysMubit.layer) }
  }
  const overHttp = Layer.provide(MemoryClient.layer(url))
  return { memory: overHttp(MemoryHttp.layer), keys: overHttp(KeysHttp.layer) }
}

/** Account keys over that storage, unless an external memory keeps them. */
export const keys = (config: AppConfig) =>
  Option.match(config.memoryUrl, {
    onNone: () => KeysSql.layer.pipe(Layer.provide(storage(config))),
    onSome: (url) => elsewhere(config, url).keys
  })

/** What accounts have of their own, over that storage, and the keys that are kept there. */
export const accountSettings = (config: MemoryConfig) =>
  Layer.merge(AccountSettingsSql.layer, KeysSql.layer).pipe(Layer.provideMerge(storage(config)))

/** Makes outcomes in that storage as if they had never been told; says of which lanes, and how many. */
export const undo = (config: MemoryConfig, request: DeleteRequest) =>
  deleteOutcomes(request, memorySettings).pipe(Effect.provide(storage(config)))

/** The built-in embedder, and beside it the endpoint, which has its share of the recall budget. */
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

const memorySql = (config: MemoryConfig, recallBudgetMs: number, keptText: TaskText) => {
  const endpoint = Option.isSome(config.databaseUrl) ? "postgresql" : "embedded"
  const memory = MemorySql.layer({ endpoint, keptText }).pipe(
    Layer.provide(embedders(config, recallBudgetMs))
  )
  return Option.isNone(config.otlpEndpoint) ? memory : MemoryTelemetry.memory(endpoint)(memory)
}

/** Memory, and the keys that select an account's: both in the database, or both in the external backend. */
const memoryAndKeys = (config: AppConfig) =>
  Option.match(config.memoryUrl, {
    // The ledger in the same database keeps the texts.
    onNone: () => Layer.mergeAll(memorySql(config, config.recallTimeoutMs, "none"), KeysSql.layer),
    onSome: (url) => {
      const { keys, memory } = elsewhere(config, url)
      const told = Option.isNone(config.otlpEndpoint) ? memory : MemoryTelemetry.memory("elsewhere")(memory)
      return Layer.mergeAll(Outbox.layer().pipe(Layer.provide(told)), keys)
    }
  })

/** The catalog of a file, or the bundled one as it is; null where prices are read. */
const fixedCatalog = ({ catalogFile, catalogRefresh }: AppConfig) =>
  Option.match(catalogFile, {
    onSome: (path) => CatalogFile.layerFile(path),
    onNone: () => catalogRefresh === "off" ? CatalogFile.layerBundled : null
  })

/** The catalog of a process alone on its database, or of one copy among those that share it. */
const catalog = (config: AppConfig, database: Storage) => {
  const { dataDirectory, databaseUrl } = config
  const shared = CatalogSharedRefresh.layer({ dataDirectory }).pipe(
    Layer.provide(SharedPricesSql.layer().pipe(Layer.provide(database)))
  )
  const refreshing = Option.isSome(databaseUrl) ? shared : CatalogRefresh.layerRefreshing({ dataDirectory })
  return (fixedCatalog(config) ?? refreshing).pipe(Layer.provide([NodeServices.layer, FetchHttpClient.layer]))
}

const reasoner = ({ reasoner, reasonerTimeoutMs }: AppConfig) =>
  Option.match(reasoner, {
    onNone: () => Reasoner.layerDisabled,
    onSome: ({ provider, ...options }) => {
      const settings = { ...reasonerSettings, timeoutMs: reasonerTimeoutMs }
      // Loaded where one is configured: its vocabulary is a tenth of what a start would load.
      return Layer.unwrap(Effect.map(
        Effect.promise(() => provider === "anthropic"
          ? import("../reasoner/remote/ReasonerAnthropic.ts")
          : import("../reasoner/remote/ReasonerOpenAi.ts")),
        (driver) => driver.layer(options, settings)
      ))
    }
  })

/** The replica for reports, of the same schema as its primary. */
export const replica = ({ replicaUrl }: AppConfig) =>
  Option.map(replicaUrl, (url) => Database.layerPostgresAdditional(url, reportSettings.connections))

/** What reports read, over connections of their own. */
const folds = (config: AppConfig) => {
  const onPrimary = AggregatesSql.layer.pipe(
    Layer.provide(Database.layerAdditional(reportSettings.connections))
  )
  return Option.match(replica(config), {
    onNone: () => onPrimary,
    onSome: (database) => AggregatesReplica.layer(database).pipe(Layer.provide(onPrimary))
  })
}

/** The catalog as it was last kept, without asking anybody for prices. */
export const keptCatalog = (config: AppConfig) =>
  (fixedCatalog(config)
    ?? Layer.effect(Catalog, CatalogRefresh.make({ dataDirectory: config.dataDirectory }))).pipe(
      Layer.provide([NodeServices.layer, FetchHttpClient.layer])
    )

/** What a process does beside answering: look after the ledger's months, if it may, and say that it is up. */
const duties = ({ migrates, retentionDays }: MemoryConfig, { isUp }: Readiness) =>
  Layer.effectDiscard(Effect.gen(function*() {
    yield* Effect.forkScoped(Effect.andThen(Effect.retry(requireSchema, Schedule.spaced("200 millis")), isUp))
    if (!migrates) return
    // Dropping a large month may take longer than connections that serve requests wait for an answer.
    const database = yield* Layer.build(Database.layerCommands("ignore"))
    yield* Effect.provide(keepRetention(retentionDays), database)
  }))

const ledger = (config: AppConfig) =>
  LedgerBuffered.layerSpooled(config.dataDirectory, spoolDatabase(config)).pipe(
    Layer.provideMerge(WriteCounts.layer.pipe(Layer.provide(LedgerSql.layer)))
  )

const ports = (config: AppConfig, database: Storage, readiness: Readiness) =>
  Layer.mergeAll(
    memoryAndKeys(config),
    TextSweep.layer({ ...config, isMemoryHere: Option.isNone(config.memoryUrl) }).pipe(
      Layer.provideMerge(ledger(config))
    ),
    folds(config),
    LaneCalibrationSql.layer,
    AccountSettingsSql.layer,
    duties(config, readiness)
  ).pipe(
    Layer.provide(database),
    Layer.merge(reasoner(config)),
    Layer.provideMerge(catalog(config, database)),
    Layer.merge(RecentTasksLocal.layer),
    Layer.merge(Settings.layer({
      recallBudgetMs: config.recallTimeoutMs,
      reasonerBudgetMs: config.reasonerTimeoutMs,
      selectionPolicy: config.selectionPolicy,
      taskText: config.taskText
    }))
  )

const telemetry = ({ otlpEndpoint }: MemoryConfig) =>
  Option.match(otlpEndpoint, { onNone: () => Telemetry.layerOff, onSome: Telemetry.layer })

/** The whole service. */
export const layer = (config: AppConfig) => {
  const engine = Layer.mergeAll(Recommender.layer, Learner.layer, Reports.layer)
  const { failedKeysPerMinute, host, port, rateLimitPerMinute, trustedProxies } = config
  const verification = { failedKeysPerMinute, trustedProxies }
  const readiness = makeReadiness()
  const database = servingStorage(config)
  const service = Layer.effectDiscard(printBanner(config, readiness)).pipe(
    Layer.provideMerge(Server.layerRoutes({ rateLimitPerMinute, verification, readiness: readiness.state })),
    Layer.provide(engine),
    Layer.provide(ports(config, database, readiness)),
    Layer.provide(DatabaseClock.layer.pipe(Layer.provide(database)))
  )
  const { gracefulShutdownTimeout } = Server
  return service.pipe(
    Layer.provide(databaseServer(config)),
    Layer.provide(telemetry(config)),
    // Before anything else is started: a port that is taken must leave no database behind.
    Layer.provideMerge(Listener.layer({ host, port, gracefulShutdownTimeout }))
  )
}

/** The memory alone, as an external backend of services elsewhere. */
export const memoryLayer = (config: MemoryConfig) => {
  const { failedKeysPerMinute, host, port, trustedProxies } = config
  const verification = { failedKeysPerMinute, trustedProxies }
  const { gracefulShutdownTimeout } = MemoryServer
  const readiness = makeReadiness()
  return Layer.effectDiscard(printMemoryBanner(config)).pipe(
    Layer.provideMerge(MemoryServer.layerRoutes({ verification, readiness: readiness.state })),
    // Whatever budget its services recall with, it is at least the default.
    Layer.provide(Layer.mergeAll(
      memorySql(config, defaults.recallBudgetMs, config.taskText).pipe(
        Layer.provide(AccountSettingsSql.layer)
      ),
      KeysSql.layer,
      duties(config, readiness),
      TextSweep.layer({ ...config, isMemoryHere: true })
    )),
    Layer.provide(DatabaseClock.layer),
    Layer.provide(servingStorage(config)),
    Layer.provide(databaseServer(config)),
    Layer.provide(telemetry(config)),
    Layer.provideMerge(Listener.layer({ host, port, gracefulShutdownTimeout }))
  )
}

/** {@link memoryLayer}, from the environment. */
export const memoryLayerConfig = Layer.unwrap(Effect.map(serving(MemoryConfig), memoryLayer))

/** {@link layer}, from the environment. */
export const layerConfig = Layer.unwrap(Effect.map(serving(AppConfig), layer))
