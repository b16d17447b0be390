import { assert, describe, layer } from "@effect/vitest"
import { Cause, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inspect } from "node:util"
import { Keys } from "../../src/keys/Keys.ts"
import * as KeysSql from "../../src/keys/KeysSql.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { keyOf, keysContract, newInstance } from "./KeysContract.ts"

describe("keys in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(KeysSql.layer, engine), slow)(name, (it) => {
      keysContract(it)

      it.effect("neither the row of a key nor any failure shows the key or its secret", () =>
        Effect.gen(function*() {
          const keys = yield* Keys
          const sql = yield* SqlClient.SqlClient
          const instance = newInstance()
          const key = keyOf(instance)
          const secret = Redacted.value(key).split("_").slice(3).join("_")
          yield* keys.register(key)
          const [row] = yield* sql<{ readonly text: string }>`
            select api_key::text || encode(salt, 'escape') || encode(key_hash, 'escape') as text
            from api_key where account_id = ${instance}`
          assert.notInclude(row?.text, secret)

          const wrong = keyOf(instance)
          const rejected = yield* Effect.sandbox(keys.verify(wrong)).pipe(Effect.flip)
          yield* sql`alter table api_key rename to api_key_gone`
          const unavailable = yield* Effect.sandbox(keys.verify(keyOf(instance, "k9"))).pipe(Effect.flip)
          const stored = yield* Effect.sandbox(keys.register(keyOf(instance, "k8"))).pipe(Effect.flip)
          yield* sql`alter table api_key_gone rename to api_key`
          for (const cause of [rejected, unavailable, stored]) {
            assert.notMatch(Cause.pretty(cause) + inspect(cause, { depth: 20 }), /sxt_/)
          }
          assert.strictEqual(Cause.squash(unavailable) instanceof Error, true)
        }))
    })))
