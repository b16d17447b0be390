import { assert, describe, layer } from "@effect/vitest"
import { Context, type Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { AccountModelsStore } from "../../../src/accounts/AccountModels.ts"
import * as AccountModelsSql from "../../../src/accounts/sql/AccountModelsSql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import { accountModelsContract, documentOf, shared } from "../AccountModelsContract.ts"
import { newAccount } from "../KeysContract.ts"

/** The store of another process on the same database. */
const anotherProcess = Effect.map(Layer.build(Layer.fresh(AccountModelsSql.layer)), Context.get(AccountModelsStore))

const soon = Schedule.spaced("50 millis")

describe("Models of accounts in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(AccountModelsSql.layer, engine), slow)(name, (it) => {
      accountModelsContract(it)

      it.effect("are seen by another process in about a second, and are one object until they change", () =>
        Effect.gen(function*() {
          const store = yield* AccountModelsStore
          const other = yield* anotherProcess
          const mine = newAccount()
          const seen = (names: string | undefined, within: Duration.Input = "2 seconds") =>
            other.read(mine).pipe(
              Effect.repeat({ until: ({ document }) => document.defaultCandidates?.join() === names, schedule: soon }),
              Effect.timeout(within)
            )
          const empty = documentOf({ defaultCandidates: null, defaultProviders: null, models: [] })
          yield* other.read(mine)
          yield* store.write(mine, documentOf(), shared)
          const { document } = yield* seen("gpt-5,llama")
          yield* Effect.sleep("1200 millis")
          assert.strictEqual((yield* other.read(mine)).document, document)
          // No version repeats after a removal. A slow reading is answered with the last document.
          yield* store.write(mine, empty, shared)
          yield* store.write(mine, documentOf({ defaultCandidates: ["llama"] }), shared)
          yield* seen("llama", "30 seconds")
          yield* store.write(mine, empty, shared)
          yield* seen(undefined)
        }))

      it.effect("that are written at once are written in turn, and each knows what the one before declared", () =>
        Effect.gen(function*() {
          const store = yield* AccountModelsStore
          const other = yield* anotherProcess
          const mine = newAccount()
          const providers = Array.from({ length: 8 }, (_, i) => `provider-${i}`)
          yield* Effect.forEach(providers, (provider, i) => (i % 2 === 0 ? store : other).write(mine, documentOf({
            defaultCandidates: null, defaultProviders: null, models: [{ modelId: "llama", baseModel: "gpt-5", provider }]
          }), shared), { concurrency: "unbounded" })
          const fresh = yield* Effect.flatMap(anotherProcess, ({ read }) => read(mine))
          const [llama] = fresh.identities
          assert.deepInclude(llama, { modelId: "llama", changed: ["provider"] })
          assert.strictEqual(llama?.provider, fresh.document.models[0]?.provider)
        }))

      it.effect("stay as they were last read while the table is gone, and what was never read fails", () =>
        Effect.gen(function*() {
          const store = yield* AccountModelsStore
          const sql = yield* SqlClient.SqlClient
          const [mine, unread] = [newAccount(), newAccount()]
          yield* store.write(mine, documentOf(), shared)
          yield* Effect.acquireUseRelease(
            sql`alter table account_models rename to account_models_gone`,
            () => Effect.gen(function*() {
              yield* Effect.sleep("1200 millis")
              assert.deepStrictEqual((yield* store.read(mine)).document, documentOf())
              const failure = yield* Effect.flip(store.read(unread))
              assert.strictEqual(failure._tag, "LedgerUnavailable")
            }),
            () => Effect.ignore(sql`alter table account_models_gone rename to account_models`)
          )
        }))

      it.effect("that this version cannot read are a failure, and no other account is hurt", () =>
        Effect.gen(function*() {
          const store = yield* AccountModelsStore
          const sql = yield* SqlClient.SqlClient
          const [mine, other] = [newAccount(), newAccount()]
          yield* withAccount(mine)(sql`
            insert into account_models (account_id, document) values (${mine}, '{"models": "later"}'::jsonb)`)
          assert.strictEqual((yield* Effect.flip(store.read(mine)))._tag, "LedgerUnavailable")
          yield* store.write(other, documentOf(), shared)
          assert.deepStrictEqual((yield* store.read(other)).document, documentOf())
          yield* store.write(mine, documentOf(), shared)
          assert.deepStrictEqual((yield* store.read(mine)).document, documentOf())
        }))
    })
  ))
