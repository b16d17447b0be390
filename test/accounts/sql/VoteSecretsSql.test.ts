import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as VoteSecretsSql from "../../../src/accounts/sql/VoteSecretsSql.ts"
import { VoteSecrets } from "../../../src/accounts/VoteSecrets.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import { newAccount } from "../KeysContract.ts"
import { voteSecretsContract } from "../VoteSecretsContract.ts"

describe("Secrets of votes in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(VoteSecretsSql.layer, engine), slow)(name, (it) => {
      voteSecretsContract(it)

      it.effect("a process that holds an older secret reads the one of a token's version", () =>
        Effect.gen(function*() {
          const secrets = yield* VoteSecrets
          const other = Context.get(yield* Layer.build(Layer.fresh(VoteSecretsSql.layer)), VoteSecrets)
          const mine = newAccount()
          assert.isNull(yield* other.find(mine, 1))
          yield* secrets.readOrMake(mine)
          assert.strictEqual((yield* other.find(mine, 1))?.version, 1)
          yield* secrets.rotate(mine)
          assert.strictEqual((yield* other.find(mine, 2))?.version, 2)
        }))
    })))
