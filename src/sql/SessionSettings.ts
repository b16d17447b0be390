/* Settings of a session on which the service's promises depend. A connection replaces unsuitable ones. */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Schema, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { databaseSettings } from "./DatabaseSettings.ts"
import { codeOf } from "./Transient.ts"

/** A connection sends these settings when it is opened. */
type SessionParameters = Readonly<Record<string, string>>

/** Accepted values of a setting. If the server has another value, connections send the first accepted one. */
type SettingValues = readonly [value: string, ...others: ReadonlyArray<string>]

/** Settings without which outcomes could be lost or hidden; a server that refuses one is not used. */
const required: Readonly<Record<string, SettingValues>> = {
  // With a weaker `synchronous_commit`, PostgreSQL would answer a commit before the commit is on the disk.
  synchronous_commit: ["on", "remote_apply"],
  // Every search path that leads to a schema is accepted.
  search_path: ["\"$user\", public"],
  row_security: ["on"],
  standard_conforming_strings: ["on"],
  default_transaction_isolation: ["read committed", "read uncommitted"],
  // If `session_replication_role` were `replica`, triggers would be off.
  session_replication_role: ["origin", "local"]
}

const preferred: Readonly<Record<string, SettingValues>> = {
  TimeZone: ["UTC"],
  statement_timeout: ["0"],
  lock_timeout: ["0"],
  idle_in_transaction_session_timeout: ["0"],
  idle_session_timeout: ["0"],
  transaction_timeout: ["0"]
}

const wanted = { ...required, ...preferred }

/** Turns off the first query's time limits, because the server's own may be too short for its answer. */
const unlimited: SessionParameters = { statement_timeout: "0", idle_session_timeout: "0" }

const serving: SessionParameters = {
  statement_timeout: String(databaseSettings.statementMs),
  lock_timeout: String(databaseSettings.lockMs),
  idle_in_transaction_session_timeout: String(databaseSettings.idleTransactionMs)
}

interface SessionSetting {
  readonly name: string
  /** The setting's value; null if this version of PostgreSQL has no such setting. */
  readonly value: string | null
  readonly isUsable: boolean
}

interface Session {
  readonly role: string
  readonly database: string
  readonly settings: ReadonlyArray<SessionSetting>
}

const readSession = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    readonly name: string
    readonly value: string | null
    readonly hasSchema: boolean
    readonly role: string
    readonly database: string
  }>`select name, current_setting(name, true) as value, current_schema() is not null as "hasSchema",
    session_user::text as role, current_database()::text as database
    from unnest(${Object.keys(wanted)}::text[]) as name`
  const { database = "", role = "" } = rows[0] ?? {}
  const settings = rows.map(({ hasSchema, name, value }) => {
    const isListed = value === null || wanted[name]?.includes(value) === true
    return { name, value, isUsable: name === "search_path" ? hasSchema : isListed }
  })
  const session: Session = { role, database, settings }
  return session
})

const refusedIn = ({ settings }: Session): ReadonlyArray<SessionSetting> =>
  settings.filter(({ isUsable, name }) => !isUsable && required[name] !== undefined)

/** Reads the required settings of a connection, each as `name value`. */
export const settingsInForce = Effect.map(readSession, ({ settings }) =>
  settings.flatMap(({ name, value }) => required[name] === undefined ? [] : [`${name} ${value}`]))

export const quoted = (name: string): string => `"${name.replaceAll("\"", "\"\"")}"`

/** The error if the server's settings would lose or refuse outcomes and cannot be changed. */
export class SettingsRefused extends Schema.TaggedError<SettingsRefused>()("SettingsRefused", {
  role: Schema.String,
  database: Schema.String,
  settings: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.NullOr(Schema.String) }))
}) {
  override get message() {
    const found = this.settings.map(({ name, value }) => `${name} = ${value}`).join(" and ")
    const place = `alter role ${quoted(this.role)} in database ${quoted(this.database)}`
    const cure = this.settings.map(({ name }) => {
      const value = required[name]?.[0]
      return `${place} set ${name} = ${name === "search_path" ? value : `'${value}'`}`
    })
    return `PostgreSQL sets ${found}, with which outcomes would be lost or refused, and this connection may `
      + `not change it. As a superuser, run: ${cure.join("; ")}`
  }
}

/**
 * The settings that a connection sends. An accepted value of the server is sent back to it, so that a reload
 * of the server's configuration does not change the value. An accepted `session_replication_role` is not
 * sent, because only a superuser may send it.
 */
const parametersFor = (settings: ReadonlyArray<SessionSetting>): SessionParameters =>
  Object.fromEntries(settings.flatMap(({ isUsable, name, value }) => {
    if (value === null || isUsable && name === "session_replication_role") return []
    return [[name, isUsable ? value : wanted[name]?.[0] ?? value]]
  }))

/** True if the error's code fits a sent setting that is unknown, or that the role may not change. */
const isParameterRefused = (error: SqlError.SqlError): boolean => /^(08P01|0A|22|42)/.test(codeOf(error))

type PoolWith = (parameters: SessionParameters) => PgClient.PgPoolConfig

export interface Sessions {
  readonly role: string
  readonly database: string
  readonly parameters: SessionParameters
  /** The time limits that connections for requests also send; empty if a pooler refuses them. */
  readonly limits: SessionParameters
  /** True if the server applies the time limit of statements, which a pooler may drop. */
  readonly isLimited: boolean
  /** True if no pooler is in between, so that statements can be prepared by name. */
  readonly isDirect: boolean
}

/** Opens a connection, and finds out whether a pooler is in between and whether the time limits hold. */
const askPeer = (poolWith: PoolWith, parameters: SessionParameters) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* PgConnection.make(poolWith({ ...parameters, ...serving }))
    const { rows: [row] } = yield* connection.query(
      "select pg_backend_pid() as pid, current_setting('statement_timeout') as timeout", [], false
    )
    // When a connection opens, a pooler sends another process id than the server does.
    return {
      limits: serving, isLimited: row?.["timeout"] !== "0", isDirect: row?.["pid"] === connection.processId
    }
  })).pipe(Effect.catchIf(isParameterRefused, () =>
    Effect.succeed({ limits: {}, isLimited: false, isDirect: false })))

/** Finds the settings that each connection must send, and whether a pooler is in between. */
const findSessions = Effect.fnUntraced(function*(
  poolWith: PoolWith
): Effect.fn.Return<Sessions, SqlError.SqlError | SettingsRefused> {
  const sessionWith = (parameters: SessionParameters) =>
    Effect.provide(readSession, PgClient.layer({ ...poolWith(parameters), prepare: false }))
  const { database, role, settings } = yield* sessionWith(unlimited).pipe(
    Effect.catchIf(isParameterRefused, () => sessionWith({}))
  )
  const own = { role, database, settings }
  // If the server refuses to change settings, only required settings with unaccepted values are sent.
  for (const parameters of [parametersFor(settings), parametersFor(refusedIn(own))]) {
    const refused = yield* sessionWith(parameters).pipe(
      Effect.map(refusedIn),
      Effect.catchIf(isParameterRefused, () => Effect.succeed(null))
    )
    if (refused?.length !== 0) continue
    return { role, database, parameters, ...yield* askPeer(poolWith, parameters) }
  }
  return yield* new SettingsRefused({ role, database, settings: refusedIn(own) })
})

export interface SessionSettings {
  /** Finds the session settings for later connections, or yields those that an earlier call found. */
  readonly learn: Effect.Effect<Sessions, SqlError.SqlError | SettingsRefused>
  /** Returns the settings that `learn` found; null before it has found them. */
  readonly known: () => Sessions | null
}

export const makeSessionSettings = (poolWith: PoolWith): SessionSettings => {
  const turn = Semaphore.makeUnsafe(1)
  let known: Sessions | null = null
  const learn = Effect.suspend(() => known === null
    ? Effect.tap(findSessions(poolWith), (found) => Effect.sync(() => known = found))
    : Effect.succeed(known))
  return { learn: turn.withPermits(1)(learn), known: () => known }
}
