import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as AccountSettingsSql from "../../src/accounts/sql/AccountSettingsSql.ts"
import * as GuaranteeEvidenceSql from "../../src/ledger/sql/guarantee/GuaranteeEvidenceSql.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import { layerPostgres } from "../../src/sql/Database.ts"
import { newAccount } from "../accounts/KeysContract.ts"
import { atTimes } from "../support/clocks.ts"
import { postgresServer } from "../support/Databases.ts"
import { proxiedDatabase } from "../support/WireProxy.ts"
import { engine, recommend } from "./pipelines.ts"

it.live.skipIf(postgresServer === null)(
  "asks the database for a guarantee once in two seconds, and for none without one",
  () =>
    Effect.gen(function*() {
      const { roundTrips, url } = yield* proxiedDatabase(postgresServer ?? "")
      const drivers = Layer.mergeAll(LedgerSql.layer, AccountSettingsSql.layer, GuaranteeEvidenceSql.layer).pipe(
        Layer.provide(layerPostgres(url)), Layer.orDie
      )
      yield* Effect.gen(function*() {
        let nanos = 0n
        const mine = newAccount()
        const tripsOf = (ask: Parameters<typeof recommend>[0]) =>
          Effect.gen(function*() {
            roundTrips()
            const { warnings } = yield* recommend(ask, mine)
            assert.notInclude(warnings, "guarantee_unavailable")
            return roundTrips()
          })
        yield* Effect.gen(function*() {
          const guarantee = { baselineModelId: "dear", trialShare: 0.2 }
          // The account's settings are read once in five seconds, whether it has a guarantee or not.
          assert.strictEqual(yield* tripsOf({}), 2)
          assert.strictEqual(yield* tripsOf({}), 1)
          const first = yield* tripsOf({ guarantee })
          assert.isAtMost(first, 8)
          assert.strictEqual(yield* tripsOf({ guarantee }), 1)
          assert.strictEqual(yield* tripsOf({}), 1)
          nanos = 2_100_000_000n
          assert.isAbove(yield* tripsOf({ guarantee }), 1)
          assert.strictEqual(yield* tripsOf({ guarantee: { baselineModelId: "gone" } }), 1)
        }).pipe(atTimes(() => nanos))
      }).pipe(Effect.provide(engine({ ledger: drivers, settings: { recallBudgetMs: 60_000, ledgerBudgetMs: 60_000 } })
        .pipe(Layer.provide(drivers))))
    }).pipe(Effect.scoped),
  60_000
)
