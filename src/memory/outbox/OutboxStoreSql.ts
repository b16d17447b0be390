/** Driver of {@link OutboxStore}: the service's own database. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import * as Rows from "./OutboxRows.ts"
import { outboxSettings } from "./OutboxSettings.ts"
import { OutboxStore, OutboxUnavailable } from "./OutboxStore.ts"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  /** In the transaction that the calling fiber has open, if any. */
  const stored = <Args extends ReadonlyArray<unknown>, A, E>(
    work: (...args: Args) => Effect.Effect<A, E, SqlClient.SqlClient>
  ) =>
  (...args: Args) =>
    work(...args).pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.mapError((cause) => new OutboxUnavailable({ reason: reasonOf(cause) }))
    )
  /** Outside any transaction, with a statement deadline. */
  const withDeadline = <Args extends ReadonlyArray<unknown>, A, E>(
    work: (...args: Args) => Effect.Effect<A, E, SqlClient.SqlClient>
  ) =>
    stored((...args: Args) => withStatementDeadline(outboxSettings.storeMs)(work(...args)))
  return OutboxStore.of({
    isWaiting: stored(Rows.isWaiting),
    claim: withDeadline(Rows.claim),
    settle: withDeadline(Rows.settle),
    countWaiting: withDeadline(Rows.countWaiting)
  })
})

/** In the service's own database, where writes join the settlement around them. */
export const layer: Layer.Layer<OutboxStore, never, SqlClient.SqlClient> = Layer.effect(OutboxStore, make)
