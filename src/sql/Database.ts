/* Layers that connect a process to PostgreSQL: for serving requests, for commands, and for reports. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { connect } from "node:net"
import { DatabaseServer, guardedPool, type ServerAccess } from "./DatabaseServer.ts"
import { databaseSettings } from "./DatabaseSettings.ts"
import { migrate, migrateOnce, pendingMigrations, requireSchema } from "./Migrations.ts"
import { poolShare } from "./PoolShare.ts"
import { prepare } from "./Prepare.ts"
import type { Sessions } from "./SessionSettings.ts"

/** The database could not be reached or prepared. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  cause: Schema.Defect()
}) {}

/**
 * Largest message of the driver, bytes. Reports read columns of a whole ledger, which pass its default of 16
 * MiB.
 */
const maxMessageSize = 256 * 2 ** 20

/** What a process does with the schema at its start: migrate it, require that it is current, or ignore it. */
export type SchemaDuty = "migrate" | "require" | "ignore"

const bringUp = (duty: SchemaDuty, migrating: Effect.Effect<unknown, unknown, SqlClient.SqlClient>) =>
  duty === "migrate" ? migrating : duty === "require" ? requireSchema : Effect.void

const { connections, retryMsMax, startMs } = databaseSettings

/** Connections without timeouts, opened on demand, for commands and migrations. */
const commandPool = (
  { address, login }: ServerAccess,
  { isDirect, parameters }: Sessions
): PgClient.PgPoolConfig => ({
  ...login,
  // For a URL the driver opens the socket itself.
  ...login.url === undefined ? { stream: () => connect({ ...address(), noDelay: true }) } : {},
  maxConnections: connections, maxMessageSize, applicationName: "sextant",
  startupParameters: parameters, prepare: isDirect
})

/**
 * Connections that serve requests. None waits long for the network, for a silent server, for a lock or for
 * the end of a statement, and none is opened before it is known what it must send. Behind a pooler statements
 * have no names.
 *
 * The pool keeps all its connections open. A pool that grows on demand counts a failed attempt as a
 * connection and may then wake no waiting request: after an outage, a copy of the service under load would
 * never serve again (seen with effect 4.1.0 whenever PostgreSQL was killed often enough).
 */
const servicePool = (access: ServerAccess, count: number, applicationName: string): PgClient.PgPoolConfig => {
  const { stream, ...guarded } = guardedPool(access)
  return {
    ...guarded,
    applicationName,
    maxMessageSize,
    minConnections: count,
    maxConnections: count,
    stream: () => {
      if (access.session.known() === null) throw new Error("The server's settings are not known yet")
      return stream()
    },
    // The driver reads both for each connection.
    get startupParameters() {
      const { limits, parameters } = access.session.known() ?? {}
      return { ...parameters, ...limits }
    },
    get prepare() {
      return access.session.known()?.isDirect
    }
  }
}

const connectForCommands = (duty: SchemaDuty) =>
  Effect.flatMap(DatabaseServer, (access) =>
    access.session.learn.pipe(
      Effect.flatMap((sessions) => PgClient.make(commandPool(access, sessions))),
      Effect.tap((sql) => Effect.provideService(bringUp(duty, migrate), SqlClient.SqlClient, sql)),
      Effect.mapError((cause) => new DatabaseUnavailable({ cause }))
    ))

/**
 * Connections without timeouts, with the schema brought up as `duty` says; fails when the server is
 * unreachable.
 */
export const layerCommands = (
  duty: SchemaDuty = "migrate"
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable, DatabaseServer> =>
  Layer.effect(SqlClient.SqlClient, connectForCommands(duty)).pipe(Layer.provide(Reactivity.layer))

/** One attempt to prepare a server at a URL. A migration runs on a connection without timeouts. */
const attempt = (access: ServerAccess, duty: SchemaDuty) =>
  Effect.flatMap(access.session.learn, (sessions) => {
    const migrating = Effect.provide(
      migrateOnce(),
      PgClient.layer({ ...commandPool(access, sessions), maxConnections: 1 })
    )
    return bringUp(duty, Effect.andThen(pendingMigrations, migrating)).pipe(
      Effect.provide(PgClient.layer(servicePool(access, 1, "sextant")))
    )
  })

/**
 * Connections that serve requests. If an external server is unreachable or refuses the login, the layer logs
 * it and tries again until the server is ready, and statements fail fast meanwhile. The embedded server runs
 * already: its schema is brought up to date before the layer is built.
 */
export const layerServing = (
  duty: SchemaDuty = "migrate"
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable, DatabaseServer> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function*() {
      const access = yield* DatabaseServer
      if (access.embedded !== null) {
        yield* Effect.scoped(connectForCommands(duty))
      } else yield* prepare(attempt(access, duty))
      const { connections } = yield* poolShare
      return yield* PgClient.make(servicePool(access, connections, "sextant")).pipe(
        Effect.mapError((cause) => new DatabaseUnavailable({ cause }))
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))

/**
 * A second pool of connections to the same server, for work that must not use up the first pool (reports).
 * Another layer migrates the schema.
 */
export const layerAdditional = (
  connections: number
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable, DatabaseServer> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function*() {
      const access = yield* DatabaseServer
      const { learn } = access.session
      // A replica may be out at the start, and is asked until it answers.
      yield* Effect.timeoutOption(Effect.ignore(learn), startMs)
      yield* Effect.forkScoped(Effect.retry(learn, Schedule.spaced(retryMsMax)))
      return yield* PgClient.make(servicePool(access, connections, "sextant-reports")).pipe(
        Effect.mapError((cause) => new DatabaseUnavailable({ cause }))
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))

/** {@link layerCommands} for the server at a URL: PostgreSQL 15 or later. */
export const layerPostgres = (
  url: Redacted.Redacted<string>,
  duty?: SchemaDuty
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  layerCommands(duty).pipe(Layer.provide(DatabaseServer.layerUrl(url)))

/** {@link layerAdditional} for the server at a URL. */
export const layerPostgresAdditional = (
  url: Redacted.Redacted<string>,
  connections: number
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  layerAdditional(connections).pipe(Layer.provide(DatabaseServer.layerUrl(url)))
