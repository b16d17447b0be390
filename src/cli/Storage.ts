/* The database of a configuration: its server, and the connections of commands and services. */
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

/** The server at `DATABASE_URL` if that is set; otherwise the embedded server of the data directory. */
export const databaseServer = (
  { dataDirectory, databaseUrl }: Pick<MemoryConfig, "dataDirectory" | "databaseUrl">
): Layer.Layer<DatabaseServer, EmbeddedUnavailable> =>
  Option.match(databaseUrl, {
    // The data directory may exist even if `DATABASE_URL` is set, because it stores the last good prices.
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
    Layer.provide(Layer.provide(databaseServer(place), Layer.succeed(References.MinimumLogLevel, "Warn")))
  )

/** Connects a command to the database. A service may use the same embedded server while the command runs. */
export const storage = (
  config: MemoryConfig,
  duty: Database.SchemaDuty = config.migrates ? "migrate" : "require"
): Layer.Layer<SqlClient.SqlClient, StorageFailure> => connections(config, duty)

/** An empty embedded database in a temporary folder, which is removed when the layer ends. */
export const scratchStorage: Layer.Layer<SqlClient.SqlClient, StorageFailure> = Layer.unwrap(Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sextant-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  ),
  (dataDirectory) => connections({ dataDirectory, databaseUrl: Option.none() }, "migrate")
)).pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")))

/** The service starts even if the PostgreSQL at `DATABASE_URL` is down. */
export const servingStorage = ({ migrates }: MemoryConfig) =>
  Database.layerServing(migrates ? "migrate" : "require")

export type ServingStorage = ReturnType<typeof servingStorage>

/** Connections for reports of each process: an equal share of `reportSettings.connections`, rounded up. */
export const reportConnections = ({ processes }: AppConfig): number =>
  Math.ceil(reportSettings.connections / processes)

export const reportStorage = (config: AppConfig) =>
  Option.match(config.replicaUrl, {
    onNone: () => Database.layerAdditional(reportConnections(config)),
    onSome: (url) => Database.layerPostgresAdditional(url, reportConnections(config))
  })
