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

/** The error if no connection to the database could be made, or the schema is not as required. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  cause: Schema.Defect()
}) {}

/** Maximum message size, bytes: the driver's default is too small for a report on a whole ledger. */
const maxMessageSize = 256 * 2 ** 20

export type SchemaDuty = "migrate" | "require" | "ignore"

const bringUp = (duty: SchemaDuty, migrating: Effect.Effect<unknown, unknown, SqlClient.SqlClient>) =>
  duty === "migrate" ? migrating : duty === "require" ? requireSchema : Effect.void

const { connections, retryMsMax, startMs } = databaseSettings

/** Connections of commands have no time limit on statements, if the server allows that. */
const commandPool = (
  { address, login }: ServerAccess,
  { isDirect, parameters }: Sessions
): PgClient.PgPoolConfig => ({
  ...login,
  // If the server is at a URL, the driver opens the socket by itself.
  ...login.url === undefined ? { stream: () => connect({ ...address(), noDelay: true }) } : {},
  maxConnections: connections, maxMessageSize, applicationName: "sextant",
  startupParameters: parameters, prepare: isDirect
})

/**
 * Connections that serve requests, with short time limits. Behind a connection pooler, statements are not
 * prepared by name. The pool has a fixed size, because a growing pool of effect 4.1.0 counts failed attempts
 * as connections.
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
    get startupParameters() {
      const { limits, parameters } = access.session.known() ?? {}
      return { ...parameters, ...limits }
    },
    get prepare() {
      return access.session.known()?.isDirect
    }
  }
}

const serve = (access: ServerAccess, count: number, applicationName: string) =>
  Effect.mapError(
    PgClient.make(servicePool(access, count, applicationName)),
    (cause) => new DatabaseUnavailable({ cause })
  )

const connectForCommands = (duty: SchemaDuty) =>
  Effect.flatMap(DatabaseServer, (access) =>
    access.session.learn.pipe(
      Effect.flatMap((sessions) => PgClient.make(commandPool(access, sessions))),
      Effect.tap((sql) => Effect.provideService(bringUp(duty, migrate), SqlClient.SqlClient, sql)),
      Effect.mapError((cause) => new DatabaseUnavailable({ cause }))
    ))

/** The layer fails if the server is unreachable. */
export const layerCommands = (
  duty: SchemaDuty = "migrate"
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable, DatabaseServer> =>
  Layer.effect(SqlClient.SqlClient, connectForCommands(duty)).pipe(Layer.provide(Reactivity.layer))

/** A migration runs on a connection of commands, because it may take long. */
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
 * Connections that serve requests. If a server at a URL is unreachable or refuses the login, the layer tries
 * again in the background. Until the server is ready, statements fail at once.
 */
export const layerServing = (
  duty: SchemaDuty = "migrate"
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable, DatabaseServer> =>
  Layer.effect(SqlClient.SqlClient, Effect.gen(function*() {
    const access = yield* DatabaseServer
    if (access.embedded !== null) yield* Effect.scoped(connectForCommands(duty))
    else yield* prepare(attempt(access, duty))
    const { connections } = yield* poolShare
    return yield* serve(access, connections, "sextant")
  })).pipe(Layer.provide(Reactivity.layer))

/** A second pool for reports, which must not use up the first pool. */
export const layerAdditional = (
  connections: number
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable, DatabaseServer> =>
  Layer.effect(SqlClient.SqlClient, Effect.gen(function*() {
    const access = yield* DatabaseServer
    const { learn } = access.session
    // A server that is unreachable at the start is asked for its settings until it answers.
    yield* Effect.timeoutOption(Effect.ignore(learn), startMs)
    yield* Effect.forkScoped(Effect.retry(learn, Schedule.spaced(retryMsMax)))
    return yield* serve(access, connections, "sextant-reports")
  })).pipe(Layer.provide(Reactivity.layer))

/** Provides {@link layerCommands} for the server at a URL, which must be PostgreSQL 15 or later. */
export const layerPostgres = (
  url: Redacted.Redacted<string>,
  duty?: SchemaDuty
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  layerCommands(duty).pipe(Layer.provide(DatabaseServer.layerUrl(url)))

export const layerPostgresAdditional = (
  url: Redacted.Redacted<string>,
  connections: number
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  layerAdditional(connections).pipe(Layer.provide(DatabaseServer.layerUrl(url)))
