import { assert, type Vitest } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { Keys } from "../../src/accounts/Keys.ts"
import { Role } from "../../src/domain/account/Role.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { contractTest } from "../support/Contract.ts"

export const newAccount = () => AccountId.make(`instance-${randomBytes(6).toString("hex")}`)
export const keyOf = (instance: string, keyId = "k1") =>
  Redacted.make(`sxt_${instance}_${keyId}_${randomBytes(32).toString("base64url")}`)

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "accepted", onFailure: ({ _tag }) => _tag })

const idOf = (key: Redacted.Redacted<string>): string => Redacted.value(key).split("_")[2] ?? ""

/** What keys promise, wherever they are kept. */
export const keysContract = (tests: Vitest.MethodsNonLive<Keys>) => {
  const it = contractTest(tests, Keys, newAccount)

  it("a minted key is verified and tells its account", function*(keys, accountId) {
    const key = yield* keys.create(accountId)
    const caller = yield* keys.verify(key)
    assert.strictEqual(caller.accountId, accountId)
    assert.strictEqual(Redacted.value(caller.key), Redacted.value(key))
    assert.match(Redacted.value(key), /^sxt_instance-[0-9a-f]{12}_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/)
  })

  it("a malformed key, an unknown one and one with a wrong secret are rejected alike", function*(keys, accountId) {
    yield* keys.register(keyOf(accountId))
    for (const key of [Redacted.make(""), keyOf(newAccount()), keyOf(accountId), keyOf(accountId, "k2")]) {
      assert.strictEqual(yield* tagOf(keys.verify(key)), "KeyRejected")
    }
    assert.strictEqual(yield* tagOf(keys.create("Not An Instance")), "KeyRejected")
    assert.strictEqual(yield* tagOf(keys.register(Redacted.make("sxt_a_b_c"))), "KeyRejected")
  })

  it("a key that was rejected is good from its registration on", function*(keys) {
    const key = keyOf(newAccount())
    assert.strictEqual(yield* tagOf(keys.verify(key)), "KeyRejected")
    yield* keys.register(key)
    assert.strictEqual(yield* tagOf(keys.verify(key)), "accepted")
  })

  it("registering a key again changes nothing, and another secret under its id is rejected", function*(keys, accountId) {
    const key = keyOf(accountId)
    yield* keys.register(key)
    yield* keys.register(key)
    assert.strictEqual(yield* tagOf(keys.register(keyOf(accountId))), "KeyRejected")
    assert.strictEqual(yield* tagOf(keys.verify(key)), "accepted")
  })

  it("a revoked key is rejected at once and for good, and is listed with its time", function*(keys, accountId) {
    const key = keyOf(accountId)
    yield* keys.register(key)
    yield* keys.register(keyOf(accountId, "k2"))
    assert.strictEqual(yield* tagOf(keys.verify(key)), "accepted")
    assert.isTrue(yield* keys.revoke(accountId, "k1"))
    assert.isFalse(yield* keys.revoke(accountId, "k1"))
    assert.isFalse(yield* keys.revoke(accountId, "k3"))
    assert.strictEqual(yield* tagOf(keys.verify(key)), "KeyRejected")
    yield* keys.register(key)
    assert.strictEqual(yield* tagOf(keys.verify(key)), "KeyRejected")
    const listed = (yield* keys.list).filter((one) => one.accountId === accountId)
    assert.deepStrictEqual(
      listed.map(({ keyId, revokedAt }) => [keyId, revokedAt instanceof Date]),
      [["k1", true], ["k2", false]]
    )
  })

  it("a key has the role it was made for, and is of the role use unless it was made for another", function*(keys, accountId) {
    yield* keys.register(keyOf(accountId))
    assert.strictEqual((yield* keys.verify(yield* keys.create(accountId))).role, "use")
    for (const role of Role.literals) {
      const key = yield* keys.create(accountId, { role, expiresAt: null })
      const { remainingMs, ...holder } = yield* keys.verify(key)
      assert.deepStrictEqual([holder.role, holder.accountId, remainingMs], [role, accountId, null])
      const listed = (yield* keys.list).find(({ keyId }) => keyId === idOf(key))
      assert.deepStrictEqual([listed?.role, listed?.expiresAt], [role, null])
    }
  })

  it("a key with an end is rejected at once when that has passed", function*(keys, accountId) {
    const nowMs = Date.now()
    const past = yield* keys.create(accountId, { role: "admin", expiresAt: new Date(nowMs - 1_000) })
    assert.strictEqual(yield* tagOf(keys.verify(past)), "KeyRejected")
    assert.isFalse(yield* keys.isKnown(past))
    const lasting = yield* keys.create(accountId, { role: "read", expiresAt: new Date(nowMs + 3_600_000) })
    const { remainingMs } = yield* keys.verify(lasting)
    assert.closeTo(remainingMs ?? NaN, 3_600_000, 60_000)
    assert.isTrue(yield* keys.isKnown(lasting))
    const brief = yield* keys.create(accountId, { role: "use", expiresAt: new Date(Date.now() + 500) })
    assert.strictEqual(yield* tagOf(keys.verify(brief)), "accepted")
    yield* Effect.sleep("600 millis")
    assert.strictEqual(yield* tagOf(keys.verify(brief)), "KeyRejected")
    assert.isFalse(yield* keys.isKnown(brief))
    assert.strictEqual(yield* tagOf(keys.verify(lasting)), "accepted")
  })

  it("the successor of a key has its role and life, and the old key ends after the overlap", function*(keys, accountId) {
    const dayMs = 86_400_000
    const old = yield* keys.create(accountId, { role: "read", expiresAt: new Date(Date.now() + 90 * dayMs) })
    const next = yield* keys.rotate({ accountId, keyId: idOf(old), overlapMs: dayMs })
    if (next === null) return assert.fail("a live key was not rotated")
    assert.notStrictEqual(idOf(next), idOf(old))
    const [before, after] = [yield* keys.verify(old), yield* keys.verify(next)]
    assert.deepStrictEqual([before.role, after.role], ["read", "read"])
    assert.closeTo(before.remainingMs ?? NaN, dayMs, 60_000)
    assert.closeTo(after.remainingMs ?? NaN, 90 * dayMs, 60_000)
    // An overlap never lengthens a life, and without one the old key ends at once.
    yield* keys.rotate({ accountId, keyId: idOf(old), overlapMs: 1_000 * dayMs })
    // An end is a whole millisecond, and now is not.
    assert.isAtMost((yield* keys.verify(old)).remainingMs ?? NaN, dayMs + 1)
    assert.isNotNull(yield* keys.rotate({ accountId, keyId: idOf(old), overlapMs: 0 }))
    assert.strictEqual(yield* tagOf(keys.verify(old)), "KeyRejected")
  })

  it("a key that is not live has no successor, and another account's is not touched", function*(keys, accountId) {
    const other = newAccount()
    const key = keyOf(accountId)
    yield* keys.register(key)
    const expired = yield* keys.create(accountId, { role: "use", expiresAt: new Date(Date.now() - 1_000) })
    const count = () => Effect.map(keys.list, (all) => all.filter((one) => one.accountId === accountId).length)
    const before = yield* count()
    for (const keyId of [idOf(expired), "nosuch"]) {
      assert.isNull(yield* keys.rotate({ accountId, keyId, overlapMs: 0 }))
    }
    assert.isNull(yield* keys.rotate({ accountId: other, keyId: "k1", overlapMs: 0 }))
    yield* keys.revoke(accountId, "k1")
    assert.isNull(yield* keys.rotate({ accountId, keyId: "k1", overlapMs: 0 }))
    assert.strictEqual(yield* count(), before)
  })

  it("a key is listed with its last use once it was used, and not before", function*(keys, accountId) {
    yield* keys.register(keyOf(accountId))
    const lastUse = Effect.map(keys.list, (all) => all.find((one) => one.accountId === accountId)?.lastUsedAt)
    yield* tagOf(keys.verify(keyOf(accountId)))
    assert.isNull(yield* lastUse)
    const key = yield* keys.create(accountId)
    yield* keys.verify(key)
    const used = Effect.map(keys.list, (all) => all.find(({ keyId }) => keyId === idOf(key))?.lastUsedAt)
    assert.instanceOf(
      yield* Effect.repeat(used, { until: (at) => at !== null, schedule: Schedule.spaced("10 millis"), times: 500 }),
      Date
    )
  })
}
