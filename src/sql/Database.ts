import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { connect } from "node:net"
import { idleTimeoutStreams } from "./IdleTimeoutStream.ts"
import { DatabaseServer, type ServerAccess } from "./DatabaseServer.ts"
import { databaseSettings } from "./DatabaseSettings.ts"
import type { EmbeddedUnavailable } from "./embedded/EmbeddedFailure.ts"
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
export type StorageFailure = DatabaseUnavailable | DatabaseUrlInvalid | EmbeddedUnavailable

/** Reports read columns of a whole ledger as one value, and more than the driver's 16 MiB of large ones. */
const maxMessageSize = 256 * 2 ** 20

/** What a process does to the schema when it starts: bring it up to date, only look, or nothing at all. */
export type SchemaDuty = "migrate" | "require" | "ignore"

const duties: {
  readonly [Duty in SchemaDuty]: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
} = { migrate, require: requireSchema, ignore: Effect.void }

const { connectMs, connections, idleTransactionMs, lockMs, statementMs } = databaseSettings

/** Patient connections, for commands and migrations: as many as are asked for at a time. */
const patient = ({ address, login }: ServerAccess): PgClient.PgPoolConfig => ({
  ...login,
  // The driver finds its way to a URL by itself.
  ...login.url === undefined ? { stream: () => connect({ ...address(), noDelay: true }) } : {},
  maxConnections: connections, maxMessageSize, applicationName: "sextant"
})

/**
 * Connections that serve requests: none waits long for the network, for a silent server, for another's lock
 * or for a statement's end. A pooler in front must let these start parameters through.
 *
 * As many as there may be are kept open. A pool that grows by demand counts an attempt that failed as a
 * connection it has, and may then wake none of those who wait: after an outage, a copy under load would never
 * be served again (seen with effect 4.1.0 whenever PostgreSQL was killed often enough).
 */
const impatient = (access: ServerAccess, count: number): PgClient.PgPoolConfig => ({
  ...patient(access),
  minConnections: count,
  maxConnections: count,
  stream: idleTimeoutStreams(access.address, databaseSettings),
  connectTimeout: connectMs,
  startupParameters: {
    statement_timeout: String(statementMs),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(idleTransactionMs)
  }
})

const overPatient = (duty: SchemaDuty) =>
  Effect.flatMap(DatabaseServer, (access) =>
    PgClient.make(patient(access)).pipe(
      Effect.tap((sql) => Effect.provideService(duties[duty], SqlClient.SqlClient, sql)),
      Effect.mapError((cause) => new DatabaseUnavailable({ cause }))
    ))

/** The process's server, with its schema as the duty says; fails when it cannot be reached. */
export const layerPatient = (
  duty: SchemaDuty = "migrate"
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable, DatabaseServer> =>
  Layer.effect(SqlClient.SqlClient, overPatient(duty)).pipe(Layer.provide(Reactivity.layer))

/** What an attempt does, once the server has said how its schema is. A migration may take its time. */
const attempts = (access: ServerAccess): {
  readonly [Duty in SchemaDuty]: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
} => ({
  migrate: Effect.andThen(
    pendingMigrations,
    Effect.provide(migrateOnce, PgClient.layer({ ...patient(access), maxConnections: 1 }))
  ),
  require: requireSchema,
  ignore: Effect.void
})

const usable = ({ login: { url } }: ServerAccess): Effect.Effect<void, DatabaseUrlInvalid> => {
  const text = url === undefined ? null : Redacted.value(url)
  const isUsable = text === null || /^postgres(ql)?:/.test(text) && URL.canParse(text)
  return isUsable ? Effect.void : new DatabaseUrlInvalid()
}

/**
 * The process's server for what serves requests. A server elsewhere that is out, or refuses us, is said in
 * the log and tried again until it is ready, while statements fail fast. The embedded one runs already: its
 * schema is brought up to date before the service begins.
 */
export const layerServing = (
  duty: SchemaDuty = "migrate"
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | DatabaseUrlInvalid, DatabaseServer> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function*() {
      const access = yield* DatabaseServer
      yield* usable(access)
      if (access.embedded !== null) {
        yield* Effect.scoped(overPatient(duty))
      }
      const sql = yield* PgClient.make(impatient(access, connections)).pipe(
        Effect.mapError((cause) => new DatabaseUnavailable({ cause }))
      )
      if (access.embedded === null) {
        yield* prepare(Effect.provideService(attempts(access)[duty], SqlClient.SqlClient, sql))
      }
      return sql
    })
  ).pipe(Layer.provide(Reactivity.layer))

/**
 * More connections to the same server, which another layer brings to the current schema, for work that must
 * not take those of others.
 */
export const layerBeside = (
  connections: number
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable, DatabaseServer> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.flatMap(DatabaseServer, (access) =>
      PgClient.make({ ...impatient(access, connections), applicationName: "sextant-reports" }).pipe(
        Effect.mapError((cause) => new DatabaseUnavailable({ cause }))
      ))
  ).pipe(Layer.provide(Reactivity.layer))

/** PostgreSQL 15 or later, brought to the current schema; fails when it cannot be reached. */
export const layerPostgres = (
  url: Redacted.Redacted<string>,
  duty?: SchemaDuty
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  layerPatient(duty).pipe(Layer.provide(DatabaseServer.layerUrl(url)))

/** {@link layerServing} of a server elsewhere. */
export const layerPostgresPatient = (
  url: Redacted.Redacted<string>,
  duty?: SchemaDuty
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | DatabaseUrlInvalid> =>
  layerServing(duty).pipe(Layer.provide(DatabaseServer.layerUrl(url)))

/** {@link layerBeside} of a server elsewhere. */
export const layerPostgresBeside = (
  url: Redacted.Redacted<string>,
  connections: number
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  layerBeside(connections).pipe(Layer.provide(DatabaseServer.layerUrl(url)))

/** {@link layerPatient} of the embedded server of a data directory, which other processes may use as well. */
export const layerEmbedded = (
  dataDirectory: string,
  duty?: SchemaDuty
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | EmbeddedUnavailable> =>
  layerPatient(duty).pipe(Layer.provide(DatabaseServer.layerEmbedded(dataDirectory)))
