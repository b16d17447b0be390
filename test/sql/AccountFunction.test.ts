import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountModelsStore } from "../../src/accounts/AccountModels.ts"
import { AccountSettings } from "../../src/accounts/AccountSettings.ts"
import * as AccountModelsSql from "../../src/accounts/sql/AccountModelsSql.ts"
import * as AccountSettingsSql from "../../src/accounts/sql/AccountSettingsSql.ts"
import { AccountId, laneOf } from "../../src/domain/Scope.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import * as LaneCalibrationSql from "../../src/ledger/sql/LaneCalibrationSql.ts"
import { callAs, withAccount } from "../../src/sql/AccountScope.ts"
import { layerPostgres } from "../../src/sql/Database.ts"
import { codeOf } from "../../src/sql/Transient.ts"
import { onEachEngine, postgresServer, slow } from "../support/Databases.ts"
import { mine, Notes, other } from "../support/Notes.ts"
import { proxiedDatabase } from "../support/WireProxy.ts"

const Functions = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // As careless as a body can be: it has no condition on the account.
  yield* sql`create function all_notes(account text) returns setof note language plpgsql as $$
    declare
      entered text := enter_account(account);
    begin
      return query select * from note;
    end $$`
  yield* sql`create function add_note(account text, of_account text, body text) returns void language plpgsql as $$
    declare
      entered text := enter_account(account);
    begin
      insert into note values (of_account, body);
    end $$`
}))

const notes = (accountId: AccountId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<{ readonly body: string }>`select body from all_notes(${accountId})`, (rows) =>
      rows.map(({ body }) => body)))

describe("a function of an account", () => {
  onEachEngine((name, engine) =>
    layer(Functions.pipe(Layer.provideMerge(Notes), Layer.provideMerge(engine)), slow)(name, (it) => {
      it.effect("sees and writes only the rows of the account that it is called for", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          assert.deepStrictEqual(yield* notes(mine), ["a"])
          assert.deepStrictEqual(yield* notes(other), ["b"])
          assert.deepStrictEqual(yield* notes(AccountId.make("stranger")), [])
          const refused = yield* Effect.flip(sql`select add_note(${mine}, ${other}, 'forged')`)
          assert.strictEqual(codeOf(refused), "42501")
          assert.deepStrictEqual(yield* notes(other), ["b"])
        }))

      it.effect("fails in a statement that calls it for two accounts", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const refused = yield* Effect.flip(sql`select * from all_notes(${mine}) as a, all_notes(${other}) as b`)
          assert.strictEqual(codeOf(refused), "42501")
          assert.deepStrictEqual(yield* notes(other), ["b"])
        }))

      it.effect("joins the transaction of its account and fails in another's, as work of an account does", () =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* withAccount(mine)(callAs(mine)(notes(mine))), ["a"])
          assert.strictEqual(
            (yield* Effect.flip(withAccount(mine)(callAs(other)(notes(other))))).reason._tag,
            "AuthorizationError"
          )
          assert.strictEqual(codeOf(yield* Effect.flip(withAccount(mine)(notes(other)))), "42501")
        }))

      it.effect("goes on working on its connections when a later version adds a column to its table", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const connection = yield* sql.reserve
          const ask = connection.execute("select body from all_notes($1)", [mine], undefined)
          for (let i = 0; i < 7; i++) assert.deepStrictEqual(yield* ask, [{ body: "a" }])
          yield* sql`alter table note add column size int`
          for (let i = 0; i < 7; i++) assert.deepStrictEqual(yield* ask, [{ body: "a" }])
        }).pipe(Effect.scoped))
    }))

  it.live.skipIf(postgresServer === null)("makes each look-up of a recommendation one round trip", () =>
    Effect.gen(function*() {
      const { roundTrips, url } = yield* proxiedDatabase(postgresServer ?? "")
      yield* Effect.gen(function*() {
        const [settings, models, calibrations] = [
          yield* AccountSettings, yield* AccountModelsStore, yield* LaneCalibrations
        ]
        roundTrips()
        yield* settings.read(mine)
        assert.strictEqual(roundTrips(), 1)
        yield* models.read(mine)
        assert.strictEqual(roundTrips(), 1)
        yield* calibrations.read(mine, laneOf("tests"))
        assert.strictEqual(roundTrips(), 1)
      }).pipe(Effect.provide(
        Layer.mergeAll(AccountSettingsSql.layer, AccountModelsSql.layer, LaneCalibrationSql.layer).pipe(
          Layer.provide(layerPostgres(url))
        )
      ))
    }).pipe(Effect.scoped), 60_000)
})
