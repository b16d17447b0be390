import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Schema, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { DataDirectoryLocked, DataDirectoryUnusable } from "./DataDirectoryLock.ts"
import { type Embedded, type EmbeddedUnavailable, openEmbedded, openInMemory } from "./Embedded.ts"
import { addressOf, answeredStreams } from "./AnsweredStream.ts"
import { databaseSettings } from "./DatabaseSettings.ts"
import { migrate, migrateOnce, pendingMigrations, requireSchema } from "./Migrations.ts"
import { prepare } from "./Prepare.ts"

/** The database could not be reached or prepared. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  cause: Schema.Defect()
}) {}

/**
 * `DATABASE_URL` is no address of a PostgreSQL server. Its text may hold a password, so it is not repeated.
 */
export class DatabaseUrlInvalid extends Schema.TaggedError<DatabaseUrlInvalid>()("DatabaseUrlInvalid", {}) {
  override get message() {
    return "DATABASE_URL must be a URL like postgres://user:password@host:5432/database"
  }
}

/** Why there is no storage at all, on either engine. */
export type StorageFailure =
  | DatabaseUnavailable
  | DatabaseUrlInvalid
  | EmbeddedUnavailable
  | DataDirectoryLocked
  | DataDirectoryUnusable

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

const { connectMs, connections, idleTransactionMs, lockMs, statementMs } = databaseSettings

const overNetwork = (url: Redacted.Redacted<string>): PgClient.PgPoolConfig => (
  { url, maxConnections: connections, maxMessageSize, applicationName: "sextant" }
)

/**
 * Connections that serve requests: none waits long for the network, for a silent server, for another's lock
 * or for a statement's end. A pooler in front must let these start parameters through.
 *
 * As many as there may be are kept open. A pool that grows by demand counts an attempt that failed as a
 * connection it has, and may then wake none of those who wait: after an outage, a copy under load would never
 * be served again (seen with effect 4.1.0 whenever PostgreSQL was killed often enough).
 */
const impatient = (url: Redacted.Redacted<string>, count: number): PgClient.PgPoolConfig => ({
  ...overNetwork(url),
  minConnections: count,
  maxConnections: count,
  stream: answeredStreams(() => addressOf(Redacted.value(url)), databaseSettings),
  connectTimeout: connectMs,
  startupParameters: {
    statement_timeout: String(statementMs),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(idleTransactionMs)
  }
})

/** PostgreSQL 15 or later, brought to the current schema; fails when it cannot be reached. */
export const layerPostgres = (
  url: Redacted.Redacted<string>,
  duty?: SchemaDuty
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  prepared(Effect.succeed(overNetwork(url)), duty)

const usable = (url: Redacted.Redacted<string>): Effect.Effect<void, DatabaseUrlInvalid> => {
  const text = Redacted.value(url)
  return /^postgres(ql)?:/.test(text) && URL.canParse(text) ? Effect.void : new DatabaseUrlInvalid()
}

/** What an attempt does, once the server has said how its schema is. A migration may take its time. */
const attempts = (url: Redacted.Redacted<string>): {
  readonly [Duty in SchemaDuty]: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
} => ({
  migrate: Effect.andThen(
    pendingMigrations,
    Effect.provide(migrateOnce, PgClient.layer({ ...overNetwork(url), maxConnections: 1 }))
  ),
  require: requireSchema,
  ignore: Effect.void
})

/**
 * {@link layerPostgres} for a service: a server that is out, or refuses us, is said in the log and tried
 * again until it is ready, while statements fail fast. Fails only when the URL is none.
 */
export const layerPostgresPatient = (
  url: Redacted.Redacted<string>,
  duty: SchemaDuty = "migrate"
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | DatabaseUrlInvalid> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.andThen(usable(url), PgClient.make(impatient(url, connections))).pipe(
      Effect.mapError((error) =>
        error instanceof DatabaseUrlInvalid ? error : new DatabaseUnavailable({ cause: error })),
      Effect.tap((sql) => prepare(Effect.provideService(attempts(url)[duty], SqlClient.SqlClient, sql)))
    )
  ).pipe(Layer.provide(Reactivity.layer))

/**
 * More connections to the same PostgreSQL, which another layer brings to the current schema, for work that
 * must not take those of others.
 */
export const layerPostgresBeside = (
  url: Redacted.Redacted<string>,
  connections: number
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.effect(
    SqlClient.SqlClient,
    PgClient.make({
      ...impatient(url, connections), applicationName: "sextant-reports"
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
): Layer.Layer<SqlClient.SqlClient, Exclude<StorageFailure, DatabaseUrlInvalid>> =>
  prepared(Effect.map(openEmbedded(dataDirectory), overStream), duty)

/** The embedded engine without a directory: what it holds ends with the layer. */
export const layerMemory: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | EmbeddedUnavailable> =
  prepared(
  Effect.map(openInMemory, overStream)
)
