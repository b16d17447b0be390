import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../src/domain/Scope.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { mine, Notes, other } from "../support/Notes.ts"

const bodies = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly body: string }>`select body from note order by body`
  return rows.map(({ body }) => body)
})

const session = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly isApplication: boolean; readonly account: string | null }>`
    select current_user = 'sextant_app' as "isApplication", current_setting('app.account', true) as account`
  return row
})

describe("an account's scope", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(Notes, engine), slow)(name, (it) => {
      it.effect("shows only the account's rows to a statement without a where clause", () =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* withAccount(mine)(bodies), ["a"])
          assert.deepStrictEqual(yield* withAccount(AccountId.make("nobody"))(bodies), [])
        }))

      it.effect("refuses a row of another account and changes none", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const refused = yield* Effect.flip(withAccount(mine)(sql`insert into note values ('other', 'c')`))
          assert.strictEqual(refused.reason._tag, "AuthorizationError")
          yield* withAccount(mine)(sql`update note set body = 'stolen' where account_id = 'other'`)
          assert.deepStrictEqual(yield* withAccount(other)(bodies), ["b"])
        }))

      it.effect("shows no row to the application role without a current account", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const rows = yield* sql`select set_config('role', 'sextant_app', true)`.pipe(
            Effect.andThen(bodies),
            sql.withTransaction
          )
          assert.deepStrictEqual(rows, [])
        }))

      it.effect("leaves neither role nor account on the connection, after a commit or a rollback", () =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* withAccount(mine)(session), { isApplication: true, account: "mine" })
          const isClear = Effect.map(session, (row) => row?.isApplication === false && !row.account)
          assert.isTrue(yield* isClear)
          yield* Effect.flip(withAccount(mine)(Effect.andThen(session, Effect.fail("rolled back"))))
          const checks = yield* Effect.replicateEffect(isClear, 20, { concurrency: "unbounded" })
          assert.isTrue(checks.every(Boolean))
        }))

      it.effect("joins an open scope of the same account, so that the outer one rolls it back too", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const inner = withAccount(mine)(sql`insert into note values ('mine', 'joined')`)
          yield* Effect.flip(withAccount(mine)(Effect.andThen(inner, Effect.fail("rolled back"))))
          assert.deepStrictEqual(yield* withAccount(mine)(bodies), ["a"])
        }))

      it.effect("refuses to be opened inside another account's scope", () =>
        Effect.gen(function*() {
          const failure = yield* Effect.flip(withAccount(mine)(withAccount(other)(bodies)))
          assert.strictEqual(failure.reason._tag, "AuthorizationError")
        }))

      it.effect("never mixes fifty concurrent scopes of two accounts", () =>
        Effect.gen(function*() {
          const seen = yield* Effect.forEach(
            Array.from({ length: 50 }, (_, index) => index % 2 === 0 ? mine : other),
            (accountId) =>
              withAccount(accountId)(Effect.map(bodies, (found) => [accountId, ...found].join(" "))),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual([...new Set(seen)].sort(), ["mine a", "other b"])
        }))

      it.effect("hides the keys from the application role", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const refused = yield* Effect.flip(withAccount(mine)(sql`select * from api_key`))
          assert.strictEqual(refused.reason._tag, "AuthorizationError")
        }))
    })))
