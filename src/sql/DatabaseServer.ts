/* Which PostgreSQL server the process works on: one of its own, or one elsewhere. */
import type { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { type Address, addressOf } from "./IdleTimeoutStream.ts"
import type { EmbeddedUnavailable } from "./embedded/EmbeddedFailure.ts"
import { type EmbeddedPostgres, openEmbedded } from "./embedded/EmbeddedPostgres.ts"

/** How connections to a server are made. */
export interface ServerAccess {
  /** Where it listens; may throw for a URL that is none. */
  readonly address: () => Address
  /** Who connects, and to which database. */
  readonly login: Pick<PgClient.PgClientConfig, "url" | "username" | "database">
  /** The embedded server; null for one elsewhere. */
  readonly embedded: EmbeddedPostgres | null
}

/** The server at a URL. */
export const atUrl = (url: Redacted.Redacted<string>): ServerAccess => (
  { address: () => addressOf(Redacted.value(url)), login: { url }, embedded: null }
)

/** The embedded server, or the database of another name on it. */
export const onEmbedded = (embedded: EmbeddedPostgres, database = "postgres"): ServerAccess => (
  { address: () => ({ path: embedded.socketPath }), login: { username: "postgres", database }, embedded }
)

/** The server of the process: all its connections go there, whatever they are for. */
export class DatabaseServer extends Context.Service<DatabaseServer, ServerAccess>()(
  "sextant/sql/DatabaseServer"
) {
  /** A server elsewhere; nothing is asked of it yet. */
  static readonly layerUrl = (url: Redacted.Redacted<string>): Layer.Layer<DatabaseServer> =>
    Layer.succeed(DatabaseServer, atUrl(url))

  /** The embedded server of a data directory, which runs at least until the layer is released. */
  static readonly layerEmbedded = (
    dataDirectory: string
  ): Layer.Layer<DatabaseServer, EmbeddedUnavailable> =>
    Layer.effect(DatabaseServer, Effect.map(openEmbedded(dataDirectory), (server) => onEmbedded(server)))
}
