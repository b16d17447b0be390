/* Layers of the embedded server of a data directory, and of connections to it. */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import {
  type DatabaseUnavailable, layerCommands, type SchemaDuty
} from "../../sql/Database.ts"
import { DatabaseServer, onEmbedded } from "../../sql/DatabaseServer.ts"
import type { EmbeddedUnavailable } from "./EmbeddedFailure.ts"
import { openEmbedded } from "./EmbeddedPostgres.ts"

export type StorageFailure = DatabaseUnavailable | EmbeddedUnavailable

/** The embedded server, which runs until this layer is released, or longer if other processes use it. */
export const layerServer = (dataDirectory: string): Layer.Layer<DatabaseServer, EmbeddedUnavailable> =>
  Layer.effect(DatabaseServer, Effect.map(openEmbedded(dataDirectory), (server) => onEmbedded(server)))

export const layerEmbedded = (
  dataDirectory: string,
  duty?: SchemaDuty
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | EmbeddedUnavailable> =>
  layerCommands(duty).pipe(Layer.provide(layerServer(dataDirectory)))
