/* The PostgreSQL server that the process uses: the embedded one, or the server at a URL. */
import type { PgClient } from "@effect/sql-pg"
import { Context, Layer, Redacted } from "effect"
import { databaseSettings } from "./DatabaseSettings.ts"
import { type ServerAddress, addressOf, idleTimeoutStreams, withHost } from "./IdleTimeoutStream.ts"
import { makeSessionSettings, type SessionSettings } from "./SessionSettings.ts"

export interface EmbeddedPostgres {
  /** Path of the socket to connect to. Only the role `postgres` may connect, without a password. */
  readonly socketPath: string
  /** The id of PostgreSQL's main process, which changes when the server is started again. */
  readonly pid: () => number
}

export interface ServerAccess {
  /** Throws if the URL is invalid. */
  readonly address: () => ServerAddress
  readonly login: Pick<PgClient.PgClientConfig, "url" | "username" | "database">
  /** The embedded server; null if the process uses a server at a URL. */
  readonly embedded: EmbeddedPostgres | null
  readonly session: SessionSettings
}

/** Returns the settings of a pool that has short limits on connecting and on a silent server. */
export const guardedPool = ({ address, login }: Pick<ServerAccess, "address" | "login">) => ({
  ...login,
  stream: idleTimeoutStreams(address, databaseSettings),
  connectTimeout: databaseSettings.connectMs,
  applicationName: "sextant"
})

const access = (parts: Omit<ServerAccess, "session">): ServerAccess => ({
  ...parts,
  session: makeSessionSettings((startupParameters) => (
    { ...guardedPool(parts), startupParameters, maxConnections: 1 }
  ))
})

const atUrl = (given: Redacted.Redacted<string>) => {
  const url = Redacted.make(withHost(Redacted.value(given)))
  return access({ address: () => addressOf(Redacted.value(url)), login: { url }, embedded: null })
}

export const onEmbedded = (embedded: EmbeddedPostgres, database = "postgres") => access(
  { address: () => ({ path: embedded.socketPath }), login: { username: "postgres", database }, embedded }
)

export class DatabaseServer extends Context.Service<DatabaseServer, ServerAccess>()(
  "sextant/sql/DatabaseServer"
) {
  static readonly layerUrl = (url: Redacted.Redacted<string>): Layer.Layer<DatabaseServer> =>
    Layer.succeed(DatabaseServer, atUrl(url))
}
