import { assert, type Vitest } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { AccountId } from "../../src/domain/Scope.ts"
import { Keys } from "../../src/keys/Keys.ts"

export const newInstance = () => `instance-${randomBytes(6).toString("hex")}`
export const keyOf = (instance: string, keyId = "k1") =>
  Redacted.make(`sxt_${instance}_${keyId}_${randomBytes(32).toString("base64url")}`)

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "accepted", onFailure: ({ _tag }) => _tag })

/** What keys promise, wherever they are kept. */
export const keysContract = (it: Vitest.MethodsNonLive<Keys>) => {
  it.effect("a minted key is verified and tells its account", () =>
    Effect.gen(function*() {
      const keys = yield* Keys
      const instance = newInstance()
      const key = yield* keys.create(instance)
      const caller = yield* keys.verify(key)
      assert.strictEqual(caller.accountId, instance)
      assert.strictEqual(Redacted.value(caller.key), Redacted.value(key))
      assert.match(Redacted.value(key), /^sxt_instance-[0-9a-f]{12}_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/)
    }))

  it.effect("a malformed key, an unknown one and one with a wrong secret are rejected alike", () =>
    Effect.gen(function*() {
      const keys = yield* Keys
      const instance = newInstance()
      yield* keys.register(keyOf(instance))
      for (const key of [Redacted.make(""), keyOf(newInstance()), keyOf(instance), keyOf(instance, "k2")]) {
        assert.strictEqual(yield* tagOf(keys.verify(key)), "KeyRejected")
      }
      assert.strictEqual(yield* tagOf(keys.create("Not An Instance")), "KeyRejected")
      assert.strictEqual(yield* tagOf(keys.register(Redacted.make("sxt_a_b_c"))), "KeyRejected")
    }))

  it.effect("a key that was rejected is good from its registration on", () =>
    Effect.gen(function*() {
      const keys = yield* Keys
      const key = keyOf(newInstance())
      assert.strictEqual(yield* tagOf(keys.verify(key)), "KeyRejected")
      yield* keys.register(key)
      assert.strictEqual(yield* tagOf(keys.verify(key)), "accepted")
    }))

  it.effect("registering a key again changes nothing, and another secret under its id is rejected", () =>
    Effect.gen(function*() {
      const keys = yield* Keys
      const instance = newInstance()
      const key = keyOf(instance)
      yield* keys.register(key)
      yield* keys.register(key)
      assert.strictEqual(yield* tagOf(keys.register(keyOf(instance))), "KeyRejected")
      assert.strictEqual(yield* tagOf(keys.verify(key)), "accepted")
    }))

  it.effect("a revoked key is rejected at once and for good, and is listed with its time", () =>
    Effect.gen(function*() {
      const keys = yield* Keys
      const accountId = AccountId.make(newInstance())
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
    }))
}
