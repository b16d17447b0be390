import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Lane } from "../../src/domain/Scope.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import * as LaneCalibrationSql from "../../src/ledger/sql/LaneCalibrationSql.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { newAccount } from "../ledger/LedgerContract.ts"
import { onServer, postgres, postgresServer, slow } from "../support/Databases.ts"

const lane = Lane.make("lane")
const learned = (outcomes: number) => ({
  outcomes, similarityLow: 0, similarityHigh: 0, localShare: 0.5, cellsError: 0, mixedError: 0
})

describe("a write that a shared transaction makes for many", () => {
  if (postgres === null || postgresServer === null) {
    plain.skip("needs a server", () => {})
    return
  }
  const server = postgresServer
  layer(Layer.provideMerge(LaneCalibrationSql.layer, postgres), slow)("on PostgreSQL", (it) => {
    it.effect("ends with it, and does not keep its connection until the write is answered", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const lanes = yield* LaneCalibrations
        const accountId = newAccount()
        const change = lanes.change(accountId, lane, (now) => learned((now?.outcomes ?? 0) + 1))
        yield* change
        const locked = yield* Deferred.make<void>()
        const release = yield* Latch.make()
        const holder = yield* Effect.forkChild(
          sql`select from lane_numbers where account_id = ${accountId} for update`.pipe(
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(release.await),
            withAccount(accountId)
          )
        )
        yield* Deferred.await(locked)
        const pid = yield* Deferred.make<number>()
        const shared = yield* Effect.forkChild(
          Effect.gen(function*() {
            const [own] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
            yield* Deferred.succeed(pid, own?.pid ?? 0)
            yield* Effect.all([change, change], { concurrency: "unbounded" })
          }).pipe(withAccount(accountId, { isShared: true }))
        )
        const own = yield* Deferred.await(pid)
        const isWaiting = onServer<{ readonly waits: boolean }>(
          server,
          `select coalesce(wait_event_type = 'Lock', false) as waits from pg_stat_activity where pid = ${own}`
        )
        while ((yield* isWaiting)[0]?.waits !== true) yield* Effect.sleep(10)
        // Ends while the row is still somebody else's.
        yield* Fiber.interrupt(shared)
        yield* release.open
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(holder)))
        yield* change
        const [row] = yield* sql`select outcomes::int as outcomes from lane_numbers`.pipe(
          withAccount(accountId)
        )
        assert.deepStrictEqual(row, { outcomes: 2 })
      }), 30_000)
  })
})
