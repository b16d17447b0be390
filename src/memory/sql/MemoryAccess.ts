/* Memory's access to the database: in a transaction of one account, every failure as `MemoryUnavailable`. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { MemoryUnavailable } from "../Memory.ts"
import type { LaneName } from "./ReflectionRows.ts"

type DatabaseEffect<A, E> = Effect.Effect<A, E, SqlClient.SqlClient>

/** A lane's name in the caches of this process. */
export const laneKeyOf = ({ accountId, lane }: LaneName): string =>
  JSON.stringify([accountId, lane])

export const makeMemoryAccess = Effect.map(SqlClient.SqlClient, (sql) => {
  /** Every failure is `MemoryUnavailable`. */
  const unavailable = <A, E>(effect: DatabaseEffect<A, E>): Effect.Effect<A, MemoryUnavailable> =>
    effect.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.mapError((cause) => new MemoryUnavailable({ reason: reasonOf(cause) }))
    )
  /** Runs it in a transaction of the account, or in the open one if there is one. */
  const inAccount = <A, E>(accountId: AccountId, effect: DatabaseEffect<A, E>) =>
    unavailable(withAccount(accountId)(effect))
  return { unavailable, inAccount }
})

export type MemoryAccess = Effect.Success<typeof makeMemoryAccess>
