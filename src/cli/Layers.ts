/*
 * Every driver of the service, behind its port, as a configuration selects them. Only this file, other
 * drivers and tests import drivers: commands use the operations below.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import * as KeysMubit from "../accounts/mubit/KeysMubit.ts"
import * as KeysHttp from "../accounts/remote/KeysHttp.ts"
import * as AccountBudgetsSql from "../accounts/sql/AccountBudgetsSql.ts"
import * as AccountModelsSql from "../accounts/sql/AccountModelsSql.ts"
import * as AccountSettingsSql from "../accounts/sql/AccountSettingsSql.ts"
import * as KeysSql from "../accounts/sql/KeysSql.ts"
import { Catalog } from "../catalog/Catalog.ts"
import * as CatalogFile from "../catalog/file/CatalogFile.ts"
import * as CatalogRefresh from "../catalog/remote/CatalogRefresh.ts"
import * as CatalogSharedRefresh from "../catalog/remote/CatalogSharedRefresh.ts"
import * as SharedPricesSql from "../catalog/sql/SharedPricesSql.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { TaskText } from "../domain/text/TaskText.ts"
import { embedderSettings, waitShare } from "../embedder/EmbedderSettings.ts"
import * as EmbedderLexical from "../embedder/lexical/EmbedderLexical.ts"
import * as EmbedderHttp from "../embedder/remote/EmbedderHttp.ts"
import { defaults, Settings } from "../engine/Settings.ts"
import * as LedgerBuffered from "../ledger/buffer/LedgerBuffered.ts"
import * as SpoolErasure from "../ledger/buffer/SpoolErasure.ts"
import * as SpoolFolder from "../ledger/buffer/SpoolFolder.ts"
import * as GuaranteeEvidenceSql from "../ledger/sql/guarantee/GuaranteeEvidenceSql.ts"
import * as LaneCalibrationSql from "../ledger/sql/LaneCalibrationSql.ts"
import * as LedgerSql from "../ledger/sql/LedgerSql.ts"
import { undoTrials } from "../ledger/sql/guarantee/UndoneTrials.ts"
import * as RecentTasksLocal from "../memory/local/RecentTasksLocal.ts"
import { memorySettings } from "../memory/MemorySettings.ts"
import * as MemoryTelemetry from "../memory/MemoryTelemetry.ts"
import * as MemoryMubit from "../memory/mubit/MemoryMubit.ts"
import * as MubitClient from "../memory/mubit/MubitClient.ts"
import * as Outbox from "../memory/outbox/Outbox.ts"
import * as MemoryClient from "../memory/remote/MemoryClient.ts"
import * as MemoryHttp from "../memory/remote/MemoryHttp.ts"
import * as DeleteOutcomes from "../memory/sql/DeleteOutcomes.ts"
import * as MemorySql from "../memory/sql/MemorySql.ts"
import * as OutcomeImportSql from "../memory/sql/OutcomeImportSql.ts"
import * as ReflectionQueue from "../memory/sql/ReflectionQueue.ts"
import * as TextSweep from "../memory/sql/TextSweep.ts"
import { Reasoner } from "../reasoner/Reasoner.ts"
import { reasonerSettings } from "../reasoner/ReasonerSettings.ts"
import { Reports } from "../reports/Reports.ts"
import * as AggregatesReplica from "../reports/sql/AggregatesReplica.ts"
import * as AggregatesSql from "../reports/sql/AggregatesSql.ts"
import { lagMs } from "../reports/sql/ReplicaLag.ts"
import * as WriteCounts from "../reports/WriteCounts.ts"
import * as Database from "../sql/Database.ts"
import * as DatabaseClock from "../sql/DatabaseClock.ts"
import * as Telemetry from "../telemetry/otlp/Telemetry.ts"
import { type AppConfig, type MemoryConfig, spoolDatabase } from "./Config.ts"
import { replicaStorage, reportConnections, type ServingStorage, storage } from "./Storage.ts"

/** Memory and keys of the external backend at that URL, over the same connections. */
const externalBackend = ({ memoryProtocol }: AppConfig, url: URL) => {
  if (memoryProtocol === "mubit") {
    const overMubit = Layer.provide(MubitClient.layer(url))
    return { memory: overMubit(MemoryMubit.layer()), keys: overMubit(KeysMubit.layer) }
  }
  const overHttp = Layer.provide(MemoryClient.layer(url))
  return { memory: overHttp(MemoryHttp.layer), keys: overHttp(KeysHttp.layer) }
}

/**
 * Keys of accounts for a command: in the configured storage with its clock, or in the external memory where
 * there is one.
 */
export const keys = (config: AppConfig) =>
  Option.match(config.memoryUrl, {
    onNone: () => Layer.merge(KeysSql.layer, DatabaseClock.layer).pipe(Layer.provide(storage(config))),
    onSome: (url) => externalBackend(config, url).keys
  })

/** Models of accounts in the configured storage, for a command. */
export const accountModels = (config: MemoryConfig) =>
  AccountModelsSql.layer.pipe(Layer.provide(storage(config)))

/** Imports of logs into the memory of the configured storage, and what they read of accounts. */
export const outcomeImports = (config: MemoryConfig) =>
  Layer.mergeAll(
    OutcomeImportSql.layer, AccountModelsSql.layer, AccountSettingsSql.layer, DatabaseClock.layer
  ).pipe(Layer.provideMerge(storage(config)))

/** Settings of accounts, and keys, in the configured storage, for a command. */
export const accountSettings = (config: MemoryConfig) =>
  Layer.mergeAll(AccountSettingsSql.layer, KeysSql.layer, DatabaseClock.layer).pipe(
    Layer.provideMerge(storage(config))
  )

/**
 * The built-in embedder, and beside it the configured endpoint, which gets its share of the recall budget.
 */
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

const textOptions = (config: MemoryConfig, isMemoryHere: boolean) => ({ ...config, isMemoryHere })

const isMemoryHere = ({ memoryUrl }: AppConfig): boolean => Option.isNone(memoryUrl)

/** What `sextant memory` stores: outcomes, keys and settings of accounts; it also trims kept texts. */
export const memoryPorts = (config: MemoryConfig) =>
  Layer.mergeAll(
    // The default, because the time limits of the services that call it are not known here.
    memorySql(config, defaults.recallBudgetMs, config.taskText).pipe(Layer.provide(AccountSettingsSql.layer)),
    KeysSql.layer,
    TextSweep.layer(textOptions(config, true))
  )

/** Memory and the keys that select an account's part of it: both in the database, or both external. */
const memoryAndKeys = (config: AppConfig) =>
  Option.match(config.memoryUrl, {
    // The ledger in the same database keeps the texts.
    onNone: () => Layer.mergeAll(memorySql(config, config.recallTimeoutMs, "none"), KeysSql.layer),
    onSome: (url) => {
      const { keys, memory } = externalBackend(config, url)
      const observed = Option.isNone(config.otlpEndpoint)
        ? memory
        : MemoryTelemetry.memory("elsewhere")(memory)
      return Layer.mergeAll(Outbox.layer().pipe(Layer.provide(observed)), keys)
    }
  })

/** The catalog of a file, or the bundled one unchanged; null where prices are refreshed. */
const fixedCatalog = ({ catalogFile, catalogRefresh }: AppConfig) =>
  Option.match(catalogFile, {
    onSome: (path) => CatalogFile.layerFile(path),
    onNone: () => catalogRefresh === "off" ? CatalogFile.layerBundled : null
  })

/** The catalog for a command that asks nothing of a network: that of a file, or the bundled one. */
export const catalogAtRest = (catalogFile: Option.Option<string>) =>
  Option.match(catalogFile, { onSome: CatalogFile.layerFile, onNone: () => CatalogFile.layerBundled }).pipe(
    Layer.provide(NodeServices.layer)
  )

/**
 * The catalog. Processes on one PostgreSQL share the prices that they refresh; a lone process keeps its own.
 */
const catalog = (config: AppConfig, database: ServingStorage) => {
  const { dataDirectory, databaseUrl, processes } = config
  const shared = CatalogSharedRefresh.layer({ dataDirectory }).pipe(
    Layer.provide(SharedPricesSql.layer().pipe(Layer.provide(database)))
  )
  const refreshing = Option.isSome(databaseUrl) || processes > 1
    ? shared
    : CatalogRefresh.layerRefreshing({ dataDirectory })
  return (fixedCatalog(config) ?? refreshing).pipe(Layer.provide([NodeServices.layer, FetchHttpClient.layer]))
}

/** The catalog as it was last stored; requests no price source. */
export const storedCatalog = (config: AppConfig) =>
  (fixedCatalog(config)
    ?? Layer.effect(Catalog, CatalogRefresh.make({ dataDirectory: config.dataDirectory }))).pipe(
      Layer.provide([NodeServices.layer, FetchHttpClient.layer])
    )

/** The models of {@link storedCatalog}. */
export const storedSnapshot = (config: AppConfig) =>
  Effect.flatMap(Catalog, ({ snapshot }) => snapshot).pipe(Effect.provide(storedCatalog(config)))

const reasoner = ({ reasoner, reasonerTimeoutMs }: AppConfig) =>
  Option.match(reasoner, {
    onNone: () => Reasoner.layerDisabled,
    onSome: ({ provider, ...options }) => {
      const settings = { ...reasonerSettings, timeoutMs: reasonerTimeoutMs }
      // Imported only when configured: the reasoner's modules are a tenth of what a start would load.
      return Layer.unwrap(Effect.map(
        Effect.promise(() => provider === "anthropic"
          ? import("../reasoner/remote/ReasonerAnthropic.ts")
          : import("../reasoner/remote/ReasonerOpenAi.ts")),
        (driver) => driver.layer(options, settings)
      ))
    }
  })

/** What reports read, over connections of their own: the replica where there is one, else the primary. */
const aggregates = (config: AppConfig) => {
  const onPrimary = AggregatesSql.layer.pipe(
    Layer.provide(Database.layerAdditional(reportConnections(config)))
  )
  return Option.match(replicaStorage(config), {
    onNone: () => onPrimary,
    onSome: (database) => AggregatesReplica.layer(database).pipe(Layer.provide(onPrimary))
  })
}

const ledger = (config: AppConfig) =>
  LedgerBuffered.layerSpooled(config.dataDirectory, spoolDatabase(config)).pipe(
    Layer.provideMerge(WriteCounts.layer.pipe(Layer.provide(LedgerSql.layer)))
  )

/** The reports of accounts in the configured storage, for a command. */
export const reports = (config: MemoryConfig) =>
  Layer.mergeAll(
    Reports.layer.pipe(Layer.provide(Layer.merge(
      AggregatesSql.layer, WriteCounts.layer.pipe(Layer.provide(LedgerSql.layer))
    ))),
    GuaranteeEvidenceSql.layer, AccountSettingsSql.layer, AccountModelsSql.layer,
    AccountBudgetsSql.layer(defaults.pacing)
  ).pipe(Layer.provide(storage(config)))

/** What the engine, the reports and the HTTP handlers of the service need from outside. */
export const servicePorts = (config: AppConfig, database: ServingStorage) =>
  Layer.mergeAll(
    memoryAndKeys(config),
    TextSweep.layer(textOptions(config, isMemoryHere(config))).pipe(Layer.provideMerge(ledger(config))),
    aggregates(config),
    LaneCalibrationSql.layer,
    GuaranteeEvidenceSql.layer,
    AccountSettingsSql.layer,
    AccountModelsSql.layer,
    AccountBudgetsSql.layer(defaults.pacing)
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

export const telemetry = ({ otlpEndpoint }: MemoryConfig) =>
  Option.match(otlpEndpoint, { onNone: () => Telemetry.layerOff, onSome: Telemetry.layer })

/**
 * Deletes outcomes from that storage, with what was learned from them; yields lanes and how many of each, and
 * what starts from nothing in guarantees. Guarantees come first, in a transaction of their own: in memory's,
 * the lanes would be locked before the decisions, and feedback takes them the other way round.
 */
export const deleteOutcomes = (config: MemoryConfig, request: DeleteOutcomes.DeleteRequest) =>
  Effect.gen(function*() {
    const restarted = yield* undoTrials(request)
    return { deleted: yield* DeleteOutcomes.deleteOutcomes(request, memorySettings), restarted }
  }).pipe(Effect.provide(storage(config)))

/** The folder of decisions that wait for the configured database. */
export const spoolFolder = (config: AppConfig, dataDirectory: string): string =>
  SpoolFolder.spoolFolder(dataDirectory, spoolDatabase(config))

/**
 * Removes the decisions of an account, or of one user of it, from that folder; rejects if it is unreadable.
 */
export const eraseSpooled = (config: AppConfig, accountId: AccountId, userId: string | null, now: Date) =>
  SpoolErasure.eraseSpooled(spoolFolder(config, config.dataDirectory), accountId, userId, now)

/** Derives a lane's lessons anew from the outcomes that it still has. */
export const reflectOnLane = (lane: { readonly accountId: AccountId; readonly lane: string }) =>
  ReflectionQueue.reflectOnLane(lane, memorySettings)

/** Trims the kept texts of an account to what its setting and its quota allow; yields the rows trimmed. */
export const trimTexts = (config: AppConfig, accountId: AccountId) =>
  TextSweep.sweepNow(textOptions(config, isMemoryHere(config)), accountId)

/** How far the replica is behind its primary, ms; infinite before its first replayed transaction. */
export const replicaLagMs = Effect.flatMap(SqlClient.SqlClient, lagMs)
