/* Selects the driver of every port by the configuration. Other code imports no drivers, except
   `MemoryLayers.ts`, `CatalogLayers.ts`, other drivers and tests. */
import { Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import * as AccountBudgetsSql from "../accounts/sql/AccountBudgetsSql.ts"
import * as AccountModelsSql from "../accounts/sql/AccountModelsSql.ts"
import * as AccountSettingsSql from "../accounts/sql/AccountSettingsSql.ts"
import * as KeysSql from "../accounts/sql/KeysSql.ts"
import type { OutcomeSelection } from "../domain/feedback/OutcomeSelection.ts"
import type { AccountId } from "../domain/Scope.ts"
import * as PredictKinds from "../engine/PredictKinds.ts"
import { defaults, Settings } from "../engine/Settings.ts"
import * as LedgerBuffered from "../ledger/buffer/LedgerBuffered.ts"
import * as LedgerGiven from "../ledger/buffer/LedgerGiven.ts"
import * as ImportDecisions from "../ledger/sql/ImportDecisions.ts"
import * as GuaranteeEvidenceSql from "../ledger/sql/guarantee/GuaranteeEvidenceSql.ts"
import * as LaneCalibrationSql from "../ledger/sql/LaneCalibrationSql.ts"
import * as ModelsHealthSql from "../ledger/sql/ModelsHealthSql.ts"
import * as LedgerSql from "../ledger/sql/LedgerSql.ts"
import { undoTrials } from "../ledger/sql/guarantee/UndoneTrials.ts"
import * as RecentTasksLocal from "../memory/local/RecentTasksLocal.ts"
import { memorySettings } from "../memory/MemorySettings.ts"
import * as DeleteOutcomes from "../memory/sql/DeleteOutcomes.ts"
import * as OutcomeImportSql from "../memory/sql/OutcomeImportSql.ts"
import * as ReflectionQueue from "../memory/sql/ReflectionQueue.ts"
import * as TaskWords from "../memory/sql/TaskWords.ts"
import { Reasoner } from "../reasoner/Reasoner.ts"
import { reasonerSettings } from "../reasoner/ReasonerSettings.ts"
import { Reports } from "../reports/Reports.ts"
import * as AggregatesSql from "../reports/sql/AggregatesSql.ts"
import * as ObservedCallsSql from "../reports/sql/ObservedCallsSql.ts"
import { readStatement } from "../reports/sql/StatementSql.ts"
import type { StatedMonth } from "../reports/savings/Statement.ts"
import * as WriteCounts from "../reports/WriteCounts.ts"
import * as DatabaseClock from "../sql/DatabaseClock.ts"
import * as Telemetry from "../telemetry/otlp/Telemetry.ts"
import { catalog, storedCatalog } from "./CatalogLayers.ts"
import type { AppConfig, MemoryConfig } from "./Config.ts"
import { externalBackend, memoryAndKeys, memorySql } from "./MemoryLayers.ts"
import { reportStorage, type ServingStorage, storage } from "./Storage.ts"

/** The keys of accounts for a command: in the external memory if there is one, otherwise in the storage. */
export const keys = (config: AppConfig) =>
  Option.match(config.memoryUrl, {
    onNone: () => Layer.merge(KeysSql.layer, DatabaseClock.layer).pipe(Layer.provide(storage(config))),
    onSome: (url) => externalBackend(url).keys
  })

export const accountModels = (config: MemoryConfig) =>
  AccountModelsSql.layer.pipe(Layer.provide(storage(config)))

export const outcomeImports = (config: MemoryConfig) =>
  Layer.mergeAll(
    OutcomeImportSql.layer, AccountModelsSql.layer, AccountSettingsSql.layer, DatabaseClock.layer
  ).pipe(Layer.provideMerge(storage(config)))

export const accountSettings = (config: MemoryConfig) =>
  Layer.mergeAll(AccountSettingsSql.layer, KeysSql.layer, DatabaseClock.layer).pipe(
    Layer.provideMerge(storage(config))
  )

export const memoryPorts = (config: MemoryConfig) =>
  Layer.mergeAll(
    // The memory server limits recalls to the default time, because it does not know the limits of services.
    memorySql(config, defaults.recallBudgetMs, config.taskText).pipe(Layer.provide(AccountSettingsSql.layer)),
    KeysSql.layer
  )

const reasoner = ({ reasoner, reasonerTimeoutMs }: AppConfig) =>
  Option.match(reasoner, {
    onNone: () => Reasoner.layerDisabled,
    onSome: ({ provider, ...options }) => {
      const settings = { ...reasonerSettings, timeoutMs: reasonerTimeoutMs }
      // The reasoner's modules load only if it is configured, because loading them slows a start.
      return Layer.unwrap(Effect.map(
        Effect.promise(() => import("../reasoner/remote/ReasonerModel.ts")),
        ({ layer }) => layer(provider, options, settings)
      ))
    }
  })

const buffered = LedgerBuffered.layer.pipe(
  Layer.provideMerge(WriteCounts.layer.pipe(Layer.provide(LedgerSql.layer)))
)
const ledger = Layer.provideMerge(LedgerGiven.layer, buffered)

const settings = (config: AppConfig) =>
  Settings.layer({
    recallBudgetMs: config.recallTimeoutMs,
    reasonerBudgetMs: config.reasonerTimeoutMs,
    selectionPolicy: config.selectionPolicy,
    taskText: config.taskText
  })

/** Predicts success and cost of models for commands' reports, without reasoner and price sources. */
const predictor = (config: AppConfig) =>
  PredictKinds.layer.pipe(Layer.provide([
    memoryAndKeys(config), LaneCalibrationSql.layer, LedgerSql.layer, AccountSettingsSql.layer,
    AccountModelsSql.layer, Reasoner.layerDisabled, RecentTasksLocal.layer, settings(config),
    storedCatalog(config)
  ]))

export const reports = (config: AppConfig) =>
  Layer.mergeAll(
    Reports.layer.pipe(Layer.provide([
      AggregatesSql.layer, WriteCounts.layer.pipe(Layer.provide(LedgerSql.layer)), ObservedCallsSql.layer,
      predictor(config)
    ])),
    GuaranteeEvidenceSql.layer, AccountSettingsSql.layer, AccountModelsSql.layer,
    AccountBudgetsSql.layer(defaults.pacing)
  ).pipe(Layer.provide(storage(config)))

export const statement = <E>(asked: StatedMonth, database: Layer.Layer<SqlClient.SqlClient, E>) =>
  Effect.scoped(readStatement(asked)).pipe(
    Effect.provide(AggregatesSql.layer.pipe(Layer.provideMerge(database)))
  )

export const servicePorts = (config: AppConfig, database: ServingStorage) => {
  const forReports = reportStorage(config)
  return Layer.mergeAll(
    memoryAndKeys(config),
    ledger,
    AggregatesSql.layer.pipe(Layer.provide(forReports)),
    LaneCalibrationSql.layer,
    GuaranteeEvidenceSql.layer,
    AccountSettingsSql.layer,
    AccountModelsSql.layer,
    AccountBudgetsSql.layer(defaults.pacing),
    ModelsHealthSql.layer(defaults),
    ObservedCallsSql.layerReading(forReports)
  ).pipe(
    Layer.provide(database),
    Layer.merge(reasoner(config)),
    Layer.provideMerge(catalog(config)),
    Layer.merge(RecentTasksLocal.layer),
    Layer.merge(settings(config))
  )
}

export const telemetry = ({ otlpEndpoint }: MemoryConfig) =>
  Option.match(otlpEndpoint, { onNone: () => Telemetry.layerOff, onSome: Telemetry.layer })

/**
 * Deletes outcomes with their votes, sums and lessons, and counts deleted outcomes by lane. The evidence of
 * guarantees is removed first, in its own transaction, because feedback locks decisions before lanes, and
 * the deletion locks lanes first.
 */
export const deleteOutcomes = (config: MemoryConfig, request: OutcomeSelection) =>
  Effect.gen(function*() {
    const reset = yield* undoTrials(request)
    return { deleted: yield* DeleteOutcomes.deleteOutcomes(request, memorySettings), reset }
  }).pipe(Effect.provide(storage(config)))

export const reflectOnLane = (lane: { readonly accountId: AccountId; readonly lane: string }) =>
  ReflectionQueue.reflectOnLane(lane, memorySettings)

/** Removes the texts of tasks, of one account or of every account that may store none. */
export const { removeUnwanted, removeWords } = TaskWords

export const { rowForms } = ImportDecisions
