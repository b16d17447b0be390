/* The PostgreSQL server that the process uses: the embedded one, or the server at a URL. */
import type { PgClient } from "@effect/sql-pg"
import { Context, Layer, Redacted } from "effect"
import { databaseSettings } from "./DatabaseSettings.ts"
import { type ServerAddress, addressOf, idleTimeoutStreams, withHost } from "./IdleTimeoutStream.ts"
import { makeSessionSettings, type SessionSettings } from "./SessionSettings.ts"

/** A running embedded server, for as long as the scope that opened it. */
export interface EmbeddedPostgres {
  /** The socket to connect to. The only role is `postgres`, which needs no password. */
  readonly socketPath: string
  /** The postmaster's process id, which changes when the server is started again. */
  readonly pid: () => number
}

/** How connections to a server are made. */
export interface ServerAccess {
  /** Where the server listens; throws for an invalid URL. */
  readonly address: () => ServerAddress
  /** Who connects, and to which database. */
  readonly login: Pick<PgClient.PgClientConfig, "url" | "username" | "database">
  /** The embedded server; null for the server at a URL. */
  readonly embedded: EmbeddedPostgres | null
  /** What every connection sends. */
  readonly session: SessionSettings
}

/** Connections without long waits: for the network, for a silent server. */
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

/** Access to the server at a URL. */
const atUrl = (given: Redacted.Redacted<string>) => {
  const url = Redacted.make(withHost(Redacted.value(given)))
  return access({ address: () => addressOf(Redacted.value(url)), login: { url }, embedded: null })
}

/** Access to a database of the embedded server. */
export const onEmbedded = (embedded: EmbeddedPostgres, database = "postgres") => access(
  { address: () => ({ path: embedded.socketPath }), login: { username: "postgres", database }, embedded }
)

/** The PostgreSQL server of the process, which all its connections use. */
export class DatabaseServer extends Context.Service<DatabaseServer, ServerAccess>()(
  "sextant/sql/DatabaseServer"
) {
  /** The server at a URL; the layer opens no connection. */
  static readonly layerUrl = (url: Redacted.Redacted<string>): Layer.Layer<DatabaseServer> =>
    Layer.succeed(DatabaseServer, atUrl(url))
}
