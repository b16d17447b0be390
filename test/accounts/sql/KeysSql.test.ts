import { assert, describe, layer } from "@effect/vitest"
import { Cause, Context, Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { inspect } from "node:util"
import { Keys } from "../../../src/accounts/Keys.ts"
import * as KeysSql from "../../../src/accounts/sql/KeysSql.ts"
import { Role } from "../../../src/domain/account/Role.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import { keyOf, keysContract, newAccount } from "../KeysContract.ts"

describe("Keys in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(KeysSql.layer, engine), slow)(name, (it) => {
      keysContract(it)

      it.effect("of the role use, and no others, are verified by a version from before roles", () =>
        Effect.gen(function*() {
          const keys = yield* Keys
          const sql = yield* SqlClient.SqlClient
          for (const role of Role.literals) {
            const key = yield* keys.create(newAccount(), { role, expiresAt: null })
            const [, accountId = "", keyId = ""] = Redacted.value(key).split("_")
            // Its statement, and its hash.
            const [row] = yield* sql<{ readonly salt: Uint8Array; readonly keyHash: Uint8Array }>`
              select salt, key_hash as "keyHash" from api_key
              where account_id = ${accountId} and key_id = ${keyId} and revoked_at is null`
            const hash = createHmac("sha256", row?.salt ?? "").update(Redacted.value(key)).digest()
            assert.strictEqual(hash.equals(row?.keyHash ?? hash), role === "use", role)
            // Nor does another role in the row make another key of it.
            yield* sql`update api_key set role = 'admin' where account_id = ${accountId}`
            const raised = yield* Effect.exit(keys.verify(key))
            assert.strictEqual(raised._tag, role === "admin" ? "Success" : "Failure", role)
          }
        }))

      it.effect("are forgotten by another process once they are revoked, or past the overlap of a rotation", () =>
        Effect.gen(function*() {
          const keys = yield* Keys
          const there = Context.get(yield* Layer.build(Layer.fresh(KeysSql.layer)), Keys)
          const accountId = newAccount()
          const [revoked, rotated, lasting] = [
            yield* keys.create(accountId), yield* keys.create(accountId), yield* keys.create(accountId)
          ]
          const idOf = (key: Redacted.Redacted<string>) => Redacted.value(key).split("_")[2] ?? ""
          for (const key of [revoked, rotated]) yield* there.verify(key)
          yield* keys.revoke(accountId, idOf(revoked))
          yield* keys.rotate({ accountId, keyId: idOf(rotated), overlapMs: 100 })
          const known = Effect.filter([revoked, rotated], there.isKnown)
          // It learns of ends while its keys are used.
          yield* Effect.repeat(Effect.andThen(there.verify(lasting), known), {
            until: (left) => left.length === 0, schedule: Schedule.spaced("50 millis")
          })
          assert.isTrue(yield* there.isKnown(lasting))
        }), 30_000)

      it.effect("are shown, with their secret, neither by a row nor by a failure", () =>
        Effect.gen(function*() {
          const keys = yield* Keys
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const key = keyOf(accountId)
          const secret = Redacted.value(key).split("_").slice(3).join("_")
          yield* keys.register(key)
          const [row] = yield* sql<{ readonly text: string }>`
            select api_key::text || encode(salt, 'escape') || encode(key_hash, 'escape') as text
            from api_key where account_id = ${accountId}`
          assert.notInclude(row?.text, secret)

          const wrong = keyOf(accountId)
          const rejected = yield* Effect.sandbox(keys.verify(wrong)).pipe(Effect.flip)
          yield* sql`alter table api_key rename to api_key_gone`
          const unavailable = yield* Effect.sandbox(keys.verify(keyOf(accountId, "k9"))).pipe(Effect.flip)
          const stored = yield* Effect.sandbox(keys.register(keyOf(accountId, "k8"))).pipe(Effect.flip)
          yield* sql`alter table api_key_gone rename to api_key`
          for (const cause of [rejected, unavailable, stored]) {
            assert.notMatch(Cause.pretty(cause) + inspect(cause, { depth: 20 }), /sxt_/)
          }
          assert.strictEqual(Cause.squash(unavailable) instanceof Error, true)
        }))
    })))
