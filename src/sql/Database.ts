import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted, Schema, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { DataDirectoryLocked, DataDirectoryUnusable } from "./DataDirectoryLock.ts"
import { type Embedded, type EmbeddedUnavailable, openEmbedded, openInMemory } from "./Embedded.ts"
import { migrate, requireSchema } from "./Migrations.ts"

/** The database could not be reached or prepared. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  cause: Schema.Defect()
}) {}

/** Statements share connections; a transaction has one to itself, so this bounds open transactions. */
const maxConnections = 10

/** Reports read columns of a whole ledger as one value, and more than the driver's 16 MiB of large ones. */
const maxMessageSize = 256 * 2 ** 20

/** What a process does to the schema when it starts: bring it up to date, only look, or nothing at all. */
export type SchemaDuty = "migrate" | "require" | "ignore"

const duties: {
  readonly [Duty in SchemaDuty]: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
} = { migrate, require: requireSchema, ignore: Effect.void }

const prepared = <E>(
  settings: Effect.Effect<PgClient.PgPoolConfig, E, Scope.Scope>,
  duty: SchemaDuty = "migrate"
): Layer.Layer<SqlClient.SqlClient, E | DatabaseUnavailable> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.flatMap(settings, (config) =>
      PgClient.make(config).pipe(
        Effect.tap((sql) => Effect.provideService(duties[duty], SqlClient.SqlClient, sql)),
        Effect.mapError((cause) => new DatabaseUnavailable({ cause }))
      ))
  ).pipe(Layer.provide(Reactivity.layer))

/** PostgreSQL 15 or later, brought to the current schema unless another duty is given. */
export const layerPostgres = (
  url: Redacted.Redacted<string>,
  duty?: SchemaDuty
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  prepared(Effect.succeed({
    url, multiplex: true, maxConnections, maxMessageSize, applicationName: "sextant"
  }), duty)

/**
 * More connections to the same PostgreSQL, which has been brought to the current schema, for work that must
 * not take those of others.
 */
export const layerPostgresBeside = (
  url: Redacted.Redacted<string>,
  connections: number
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.effect(
    SqlClient.SqlClient,
    PgClient.make({
      url, multiplex: true, maxConnections: connections, maxMessageSize, applicationName: "sextant-reports"
    }).pipe(Effect.mapError((cause) => new DatabaseUnavailable({ cause })))
  ).pipe(Layer.provide(Reactivity.layer))

/**
 * The embedded engine has one session, so one connection: a second would join the first one's transactions.
 */
const overStream = ({ stream }: Embedded): PgClient.PgPoolConfig => (
  { stream, username: "postgres", database: "postgres", maxConnections: 1, minConnections: 1, maxMessageSize }
)

/** The embedded database in `dataDirectory`, which this process alone may have open. */
export const layerEmbedded = (
  dataDirectory: string,
  duty?: SchemaDuty
): Layer.Layer<
  SqlClient.SqlClient,
  DatabaseUnavailable | EmbeddedUnavailable | DataDirectoryLocked | DataDirectoryUnusable
> => prepared(Effect.map(openEmbedded(dataDirectory), overStream), duty)

/** The embedded engine without a directory: what it holds ends with the layer. */
export const layerMemory: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | EmbeddedUnavailable> =
  prepared(
  Effect.map(openInMemory, overStream)
)
