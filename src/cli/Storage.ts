/* The database of a configuration: which server it is, and the connections that commands and services use. */
import { Effect, Layer, Option, References } from "effect"
import type { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerServer, type StorageFailure } from "../postgres/embedded/EmbeddedDatabase.ts"
import type { EmbeddedUnavailable } from "../postgres/embedded/EmbeddedFailure.ts"
import { keepToOwner } from "../postgres/embedded/FileModes.ts"
import { reportSettings } from "../reports/ReportSettings.ts"
import * as Database from "../sql/Database.ts"
import { DatabaseServer } from "../sql/DatabaseServer.ts"
import type { AppConfig, MemoryConfig } from "./Config.ts"

/** PostgreSQL when `DATABASE_URL` is set, else the embedded one of the data directory. */
export const databaseServer = (
  { dataDirectory, databaseUrl }: Pick<MemoryConfig, "dataDirectory" | "databaseUrl">
): Layer.Layer<DatabaseServer, EmbeddedUnavailable> =>
  Option.match(databaseUrl, {
    // With `DATABASE_URL` the directory exists too, once prices were read: the last good ones lie in it.
    onSome: (url) => Layer.mergeAll(DatabaseServer.layerUrl(url), Layer.effectDiscard(
      existsSync(dataDirectory) ? keepToOwner(dataDirectory) : Effect.void
    )),
    onNone: () => layerServer(dataDirectory)
  })

const connections = (
  place: Parameters<typeof databaseServer>[0],
  duty: Database.SchemaDuty
): Layer.Layer<SqlClient.SqlClient, StorageFailure> =>
  Database.layerCommands(duty).pipe(
    // A command prints its result; how the database was started matters only when something is wrong.
    Layer.provide(Layer.provide(databaseServer(place), Layer.succeed(References.MinimumLogLevel, "Warn")))
  )

/** Connections of a command to that server; services may use the embedded one at the same time. */
export const storage = (
  config: MemoryConfig,
  duty: Database.SchemaDuty = config.migrates ? "migrate" : "require"
): Layer.Layer<SqlClient.SqlClient, StorageFailure> => connections(config, duty)

/** An empty database in a temporary folder of its owner's alone; both go with the layer. */
export const scratchStorage: Layer.Layer<SqlClient.SqlClient, StorageFailure> = Layer.unwrap(Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sextant-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  ),
  (dataDirectory) => connections({ dataDirectory, databaseUrl: Option.none() }, "migrate")
)).pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")))

/**
 * Connections of a service. The service starts while a PostgreSQL at `DATABASE_URL` is down, and works once
 * that is up.
 */
export const servingStorage = ({ migrates }: MemoryConfig) =>
  Database.layerServing(migrates ? "migrate" : "require")

export type ServingStorage = ReturnType<typeof servingStorage>

/** Connections of a process that reports read with; several processes share those of one. */
export const reportConnections = ({ processes }: AppConfig): number =>
  Math.ceil(reportSettings.connections / processes)

/** Connections for reports: to the replica, which has its primary's schema, where there is one. */
export const reportStorage = (config: AppConfig) =>
  Option.match(config.replicaUrl, {
    onNone: () => Database.layerAdditional(reportConnections(config)),
    onSome: (url) => Database.layerPostgresAdditional(url, reportConnections(config))
  })
