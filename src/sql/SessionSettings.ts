/* Settings of a session on which promises rest: those of the server, and those that a connection sends. */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Schema, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { databaseSettings } from "./DatabaseSettings.ts"
import { codeOf } from "./Transient.ts"

/** Settings by name, as a connection sends them when it is opened. */
type SessionParameters = Readonly<Record<string, string>>

/** Values that will do; a connection sends the first in place of any other. */
type SettingValues = readonly [value: string, ...others: ReadonlyArray<string>]

/** Without these no statement is sent: an outcome would be lost, refused or hidden. */
const required: Readonly<Record<string, SettingValues>> = {
  // With less, a commit is answered before it is on the disk.
  synchronous_commit: ["on", "remote_apply"],
  // Any path will do that leads to a schema.
  search_path: ["\"$user\", public"],
  row_security: ["on"],
  standard_conforming_strings: ["on"],
  default_transaction_isolation: ["read committed", "read uncommitted"],
  // `replica` switches triggers off.
  session_replication_role: ["origin", "local"]
}

/** Time limits for commands and migrations; the pool that serves requests has its own. */
const preferred: Readonly<Record<string, SettingValues>> = {
  TimeZone: ["UTC"],
  statement_timeout: ["0"],
  lock_timeout: ["0"],
  idle_in_transaction_session_timeout: ["0"],
  idle_session_timeout: ["0"],
  transaction_timeout: ["0"]
}

const wanted = { ...required, ...preferred }

/** Time limits of the first question: a server's own may be shorter than its answer takes. */
const unlimited: SessionParameters = { statement_timeout: "0", idle_session_timeout: "0" }

/** Time limits of connections that serve requests. */
const serving: SessionParameters = {
  statement_timeout: String(databaseSettings.statementMs),
  lock_timeout: String(databaseSettings.lockMs),
  idle_in_transaction_session_timeout: String(databaseSettings.idleTransactionMs)
}

interface SessionSetting {
  readonly name: string
  /** Null where this version of PostgreSQL has no such setting. */
  readonly value: string | null
  readonly isUsable: boolean
}

interface Session {
  readonly role: string
  readonly database: string
  readonly settings: ReadonlyArray<SessionSetting>
}

/** The settings in force on a connection. */
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

/** Those of a connection's settings that promises rest on, as `name value`. */
export const settingsInForce = Effect.map(readSession, ({ settings }) =>
  settings.flatMap(({ name, value }) => required[name] === undefined ? [] : [`${name} ${value}`]))

/** A name as SQL writes it, in double quotes. */
export const quoted = (name: string): string => `"${name.replaceAll("\"", "\"\"")}"`

/** The server gives settings that break promises, and the connection cannot change them. */
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
 * What a connection sends: its own value where that will do, since a reload of the server's configuration
 * then changes nothing; else the value that will do. Only a superuser may send `session_replication_role`.
 */
const parametersFor = (settings: ReadonlyArray<SessionSetting>): SessionParameters =>
  Object.fromEntries(settings.flatMap(({ isUsable, name, value }) => {
    if (value === null || isUsable && name === "session_replication_role") return []
    return [[name, isUsable ? value : wanted[name]?.[0] ?? value]]
  }))

/** A setting is unknown to the server or a pooler, or the role may not change it. */
const isParameterRefused = (error: SqlError.SqlError): boolean => /^(08P01|0A|22|42)/.test(codeOf(error))

/** The pool of one connection that sends these parameters. */
type PoolWith = (parameters: SessionParameters) => PgClient.PgPoolConfig

/** What is known of the connections to a server. */
export interface Sessions {
  readonly role: string
  readonly database: string
  /** What every connection sends. */
  readonly parameters: SessionParameters
  /** What one that serves requests sends as well; nothing where a pooler refuses it. */
  readonly limits: SessionParameters
  /** Whether a limit of the server's ends a statement that serves a request. A pooler may drop ours. */
  readonly isLimited: boolean
  /**
   * Whether the server is reached itself. A pooler may run each transaction on another connection, which has
   * no statement that was prepared by name before.
   */
  readonly isDirect: boolean
}

/** Asks on a connection of its own who answers it, and whether the limits of serving hold. */
const askPeer = (poolWith: PoolWith, parameters: SessionParameters) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* PgConnection.make(poolWith({ ...parameters, ...serving }))
    const { rows: [row] } = yield* connection.query(
      "select pg_backend_pid() as pid, current_setting('statement_timeout') as timeout", [], false
    )
    // A pooler names itself at the start, and the server names its own process.
    return {
      limits: serving, isLimited: row?.["timeout"] !== "0", isDirect: row?.["pid"] === connection.processId
    }
  })).pipe(Effect.catchIf(isParameterRefused, () =>
    Effect.succeed({ limits: {}, isLimited: false, isDirect: false })))

/** Finds parameters with which every promise holds, and how the server is reached. */
const findSessions = Effect.fnUntraced(function*(
  poolWith: PoolWith
): Effect.fn.Return<Sessions, SqlError.SqlError | SettingsRefused> {
  const sessionWith = (parameters: SessionParameters) =>
    Effect.provide(readSession, PgClient.layer({ ...poolWith(parameters), prepare: false }))
  const { database, role, settings } = yield* sessionWith(unlimited).pipe(
    Effect.catchIf(isParameterRefused, () => sessionWith({}))
  )
  const own = { role, database, settings }
  // A pooler may refuse what it does not know: then only what must be changed is sent.
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

/** What the connections to one server send. */
export interface SessionSettings {
  /** Asks the server; once it has answered, the answer holds for all later connections. */
  readonly learn: Effect.Effect<Sessions, SqlError.SqlError | SettingsRefused>
  /** The answer; null before there is one. */
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
