import { assert, type Vitest } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { VoteSecrets } from "../../src/accounts/VoteSecrets.ts"
import { contractTest } from "../support/Contract.ts"
import { newAccount } from "./KeysContract.ts"

/** What every store of the secrets of votes promises. */
export const voteSecretsContract = (tests: Vitest.MethodsNonLive<never>) => {
  const it = contractTest(tests, VoteSecrets, newAccount)

  it("an account has no secret until one is asked for, and then always the same", function*(secrets, mine) {
    assert.isNull(yield* secrets.find(mine, 1))
    const all = yield* Effect.all(
      [secrets.readOrMake(mine), secrets.readOrMake(mine), secrets.readOrMake(newAccount())], { concurrency: 3 }
    )
    const [first, second, foreign] = all.map(({ secret }) => Redacted.value(secret))
    assert.strictEqual(first, second)
    assert.notStrictEqual(first, foreign)
    assert.isAtLeast(first?.length ?? 0, 43)
    assert.deepStrictEqual(all.map(({ version }) => version), [1, 1, 1])
    const found = yield* secrets.find(mine, 1)
    assert.strictEqual(found === null ? null : Redacted.value(found.secret), first)
  })

  it("another secret has the next version, and takes the place of the one before at once", function*(secrets, mine) {
    const before = yield* secrets.readOrMake(mine)
    assert.strictEqual(yield* secrets.rotate(mine), 2)
    const after = yield* secrets.readOrMake(mine)
    assert.strictEqual(after.version, 2)
    assert.notStrictEqual(Redacted.value(after.secret), Redacted.value(before.secret))
    assert.strictEqual((yield* secrets.find(mine, 1))?.version, 2)
    assert.strictEqual(yield* secrets.rotate(newAccount()), 1)
  })
}
