import { assert, describe, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountSettings } from "../../../src/accounts/AccountSettings.ts"
import * as AccountSettingsSql from "../../../src/accounts/sql/AccountSettingsSql.ts"
import type { Budget } from "../../../src/domain/account/Budget.ts"
import { LedgerUnavailable } from "../../../src/ledger/Ledger.ts"
import { deadline } from "../../../src/resilience/Deadline.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import { newAccount } from "../KeysContract.ts"

const hard: Budget = { usd: 10, period: "day", isHard: true }

describe("Settings of accounts in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(AccountSettingsSql.layer, engine), slow)(name, (it) => {
      it.effect("are known to the next request when the first reading outlasts its deadline", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const settings = yield* AccountSettings
          const mine = newAccount()
          yield* settings.write(mine, { budget: hard })
          const other = Context.get(yield* Layer.build(Layer.fresh(AccountSettingsSql.layer)), AccountSettings)
          const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const holder = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
            yield* sql`lock table account_setting in access exclusive mode`
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(release)
          })))
          yield* Deferred.await(held)
          const late = yield* Effect.flip(
            other.read(mine).pipe(deadline(50, () => LedgerUnavailable.timedOut(50)))
          )
          assert.strictEqual(late._tag, "LedgerUnavailable")
          yield* Deferred.succeed(release, undefined)
          yield* Fiber.join(holder)
          yield* Effect.sleep("300 millis")
          // Were the first reading thrown away, the next one would see this.
          yield* settings.write(mine, { budget: { ...hard, usd: 20 } })
          assert.deepStrictEqual((yield* other.read(mine)).budget, hard)
        }))
    })))
