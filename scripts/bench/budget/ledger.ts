/** What reading an account's spending takes of PostgreSQL, over a ledger of many decisions in its period. */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../src/sql/Database.ts"
import { setup } from "../../../test/support/globalSetup.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { table } from "../harness/figures.ts"
import { accountId } from "../harness/history.ts"
import { fillLedger } from "../harness/ledger.ts"
import { beside, type Postgres } from "../harness/postgres.ts"
import { processorMsOfFamily } from "../harness/processor.ts"

/** Reports between two readings: 100 a second for two seconds. */
const reportsBetween = 200

/** Reads the spending once, as a process does. */
const read = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select budget_spend(${accountId}, 'month', 1::float8) as spend`
})

/** As many reports, which add their changes. */
const report = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update decision set actual_cost_usd = 0.001 * random(), outcomes = null,
      feedback_at = now() + random() * interval '1 second', chosen_model_id = recommended_model_id,
      outcome = 'success', quality = 1, provenance = 'gate', teaches = true, is_late = false
    where (account_id, created_at, recommendation_id) in (
      select account_id, created_at, recommendation_id from decision
      where account_id = ${accountId} order by created_at desc limit ${reportsBetween})`
}).pipe(withAccount(accountId))

/** The processor time of PostgreSQL that the effect takes, ms. */
const costOf = Effect.fnUntraced(function*<A, E, R>({ postmaster }: Postgres, effect: Effect.Effect<A, E, R>) {
  const pid = postmaster() ?? 0
  const before = processorMsOfFamily(pid) ?? 0
  yield* effect
  return (processorMsOfFamily(pid) ?? 0) - before
})

/** Prints the table for a ledger of so many decisions. */
export const measureLedger = async (rows: number, rounds: number): Promise<void> => {
  const close = await setup()
  const url = process.env["SEXTANT_TEST_DATABASE_URL"]
  if (url === undefined) throw new Error("No PostgreSQL here")
  const postgres = await beside(url)
  await Effect.runPromise(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    // It spreads decisions over 60 days: half of them lie in the last 30.
    yield* fillLedger(accountId, 2 * rows)
    yield* withAccount(accountId)(sql`insert into account_setting (account_id, budget_usd, budget_period)
      values (${accountId}, 100, 'month')`)
    const first = yield* costOf(postgres, read)
    const times = (effect: typeof read) =>
      Effect.map(costOf(postgres, Effect.repeat(effect, { times: rounds - 1 })), (ms) => ms / rounds)
    const idle = yield* times(read)
    const reports = yield* times(report)
    yield* read
    const both = yield* times(Effect.andThen(report, read))
    yield* withAccount(accountId)(sql`update account_setting set budget_usd = null`)
    const without = yield* times(report)
    console.log(table(["", "PostgreSQL CPU ms"], [
      [`the first reading, of ${rows} decisions and their bills`, first.toFixed(0)],
      ["a reading without changes", idle.toFixed(2)],
      [`a reading after ${reportsBetween} reports`, (both - reports).toFixed(2)],
      ["what a budget adds to each report", ((reports - without) / reportsBetween).toFixed(4)]
    ]))
  }).pipe(Effect.provide(Database.layerPostgres(Redacted.make(url))))).finally(async () => {
    await postgres.close()
    await close()
  })
}
