/** Driver of {@link SharedPrices}: one row of the database that the copies share. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { serviceAccount } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import { SharedPrices, SharedPricesUnavailable } from "../SharedPrices.ts"
import { type SharedPricesSettings, sharedPricesSettings } from "../SharedPricesSettings.ts"

interface SharedPricesRow {
  readonly isDue: boolean
  readonly revision: number
  readonly text: string | null
}

const make = ({ answerMs, leaseMs }: SharedPricesSettings) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ms = (value: number) => sql`${value}::float8 * interval '1 millisecond'`
    const guarded = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
      effect.pipe(
        withAccount(serviceAccount),
        withStatementDeadline(answerMs),
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.mapError((cause) => new SharedPricesUnavailable({ reason: reasonOf(cause) }))
      )

    /** Of all copies that look at once one gets the turn; the others wait for the row and find it leased. */
    const claim = sql<{ readonly turn: string }>`
      insert into shared_prices (account_id, due_at, turn, leased_until)
      values (${serviceAccount}, now(), gen_random_uuid(), now() + ${ms(leaseMs)})
      on conflict (account_id) do update set turn = excluded.turn, leased_until = excluded.leased_until
        where shared_prices.account_id = ${serviceAccount} and shared_prices.due_at <= now()
          and (shared_prices.leased_until is null or shared_prices.leased_until <= now())
      returning turn::text as turn`

    return SharedPrices.of({
      look: (seen) =>
        guarded(Effect.gen(function*() {
          // Overdue prices are about to be replaced, so that a copy with newer prices of its own keeps them.
          const [row] = yield* sql<SharedPricesRow>`select revision::float8 as revision,
              due_at <= now() and (leased_until is null or leased_until <= now()) as "isDue",
              case when revision <> ${seen}::float8 and due_at > now() then content end as text
            from shared_prices where account_id = ${serviceAccount}`
          const [claimed] = row?.isDue === false ? [] : yield* claim
          return {
            turn: claimed?.turn ?? null,
            news: row === undefined || row.text === null ? null : { revision: row.revision, text: row.text }
          }
        })),
      settle: (turn, { dueInMs, text }) =>
        guarded(Effect.gen(function*() {
          const [row] = yield* sql<{ readonly revision: number }>`update shared_prices set
              content = coalesce(${text}::text, content),
              revision = revision + case when ${text}::text is null then 0 else 1 end,
              due_at = now() + ${ms(dueInMs)}, turn = null, leased_until = null
            where account_id = ${serviceAccount} and turn = ${turn}::uuid
            returning revision::float8 as revision`
          return row?.revision ?? null
        }))
    })
  })

/** In the database that copies share, on either engine. */
export const layer = (
  settings: SharedPricesSettings = sharedPricesSettings
): Layer.Layer<SharedPrices, never, SqlClient.SqlClient> => Layer.effect(SharedPrices, make(settings))
