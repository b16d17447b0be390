import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { databaseSettings } from "../../src/sql/DatabaseSettings.ts"
import { freshDatabase, layerPostgresServing, postgresServer, slow } from "../support/Databases.ts"

const patient = Layer.unwrap(
  Effect.map(freshDatabase(postgresServer ?? ""), ({ url }) => layerPostgresServing(url))
)

describe("a service's connections to PostgreSQL", () => {
  if (postgresServer === null) return it.skip("have no server to go to", () => {})
  layer(patient, slow)((it) => {
    it.effect("reach a prepared database, and end statements that take or wait too long", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [limits] = yield* sql`select current_setting('statement_timeout') as statement,
          current_setting('lock_timeout') as lock, to_regclass('decision') is not null as prepared`
        assert.deepStrictEqual(limits, { statement: "10s", lock: "2s", prepared: true })
      }))

    it.effect("are all open from its start, since a pool that grows on demand gets stuck in outages", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const open = yield* Effect.repeat(
          sql<{ readonly count: number }>`select count(*)::int as count from pg_stat_activity
            where datname = current_database() and application_name = 'sextant'`,
          { until: ([row]) => row?.count === databaseSettings.connections, times: 1_000 }
        )
        assert.deepStrictEqual(open, [{ count: databaseSettings.connections }])
      }))

    it.effect("give up on a row that another transaction holds, and leave others alone", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table hot (id int primary key)`
        yield* sql`insert into hot values (1)`
        const locked = sql.withTransaction(Effect.andThen(sql`select * from hot for update`, Effect.never))
        const holder = yield* Effect.forkChild(locked)
        yield* Effect.sleep("300 millis")
        const waiting = yield* Effect.forkChild(Effect.flip(sql.withTransaction(sql`update hot set id = 2`)))
        assert.lengthOf(yield* sql`select 1`, 1)
        const { reason } = yield* Fiber.join(waiting)
        assert.strictEqual(reason._tag, "LockTimeoutError")
        yield* Fiber.interrupt(holder)
      }))
  })
})
