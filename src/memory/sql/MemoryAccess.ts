/* Runs the SQL statements of memory. Their failures become `MemoryUnavailable`. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import type { Embedder, RemoteEmbedder } from "../../embedder/Embedder.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { MemoryUnavailable } from "../Memory.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { EmbeddingBackfill } from "./EmbeddingBackfill.ts"
import type { ReadYourWrites } from "./ReadYourWrites.ts"
import type { LaneName } from "./ReflectionRows.ts"

type DatabaseEffect<A, E> = Effect.Effect<A, E, SqlClient.SqlClient>

export const laneKeyOf = ({ accountId, lane }: LaneName): string =>
  JSON.stringify([accountId, lane])

export const makeMemoryAccess = Effect.map(SqlClient.SqlClient, (sql) => {
  const unavailable = <A, E>(effect: DatabaseEffect<A, E>): Effect.Effect<A, MemoryUnavailable> =>
    effect.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.mapError((cause) => new MemoryUnavailable({ reason: reasonOf(cause) }))
    )
  /** Runs an effect in the open transaction, or in a new one of the account. */
  const inAccount = <A, E>(accountId: AccountId, effect: DatabaseEffect<A, E>) =>
    unavailable(withAccount(accountId)(effect))
  return { unavailable, inAccount }
})

export interface Embedders {
  readonly embedder: Embedder["Service"]
  readonly remote: RemoteEmbedder | null
}

export interface MemoryParts extends Embedders {
  readonly access: Effect.Success<typeof makeMemoryAccess>
  readonly ownWrites: ReadYourWrites
  /** The background filling of missing vectors; null if no remote embedder is configured. */
  readonly backfill: EmbeddingBackfill | null
  readonly settings: MemorySettings
}
