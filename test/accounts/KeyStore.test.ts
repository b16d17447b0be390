import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeKeys } from "../../src/accounts/KeyStore.ts"
import { KeyRejected, KeysUnavailable } from "../../src/accounts/Keys.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"
import { storeInMemory } from "../local/KeysLocal.ts"
import { keyOf } from "./KeysContract.ts"

const accountId = AccountId.make("acme")

/** Two processes on one store, both of which have verified two keys; the second reaches its store only while `isUp`. */
const twoProcesses = Effect.gen(function*() {
  const store = storeInMemory()
  const link = { isUp: true, found: 0 }
  const outage = new KeysUnavailable({ reason: new Reason.Unreachable({ cause: "out" }) })
  const overLink = <A>(effect: Effect.Effect<A, KeysUnavailable>) => Effect.suspend(() => link.isUp ? effect : outage)
  const here = yield* makeKeys(store)
  const there = yield* makeKeys({
    ...store,
    find: (...args) => overLink(Effect.suspend(() => {
      link.found++
      return store.find(...args)
    })),
    ended: overLink(store.ended)
  })
  const [ending, lasting] = [keyOf("acme", "k1"), keyOf("acme", "k2")]
  for (const key of [ending, lasting]) {
    yield* here.register(key)
    yield* there.verify(key)
  }
  return { here, there, link, ending, lasting }
})

describe("A key that one process has ended", () => {
  it.effect("is refused by the others within 5 s after its revocation, and other keys are not", () =>
    Effect.gen(function*() {
      const { ending, here, lasting, there } = yield* twoProcesses
      yield* here.revoke(accountId, "k1")
      yield* TestClock.adjust("5 seconds")
      assert.instanceOf(yield* Effect.flip(there.verify(ending)), KeyRejected)
      yield* there.verify(lasting)
    }))

  it.effect("is forgotten by the others while they are asked about other keys, which need no look-up", () =>
    Effect.gen(function*() {
      const { ending, here, lasting, link, there } = yield* twoProcesses
      yield* here.revoke(accountId, "k1")
      const { found } = link
      for (let i = 0; i < 50; i++) {
        yield* TestClock.adjust("1 second")
        assert.isNotNull(yield* there.remembered?.(lasting) ?? Effect.succeed(null))
      }
      assert.strictEqual(link.found, found)
      assert.isFalse(yield* there.isKnown(ending))
    }))

  it.effect("is refused by the others within 5 s after the overlap of its rotation", () =>
    Effect.gen(function*() {
      const { ending, here, there } = yield* twoProcesses
      yield* here.rotate({ accountId, keyId: "k1", overlapMs: 10_000 })
      yield* TestClock.adjust("9 seconds")
      yield* there.verify(ending)
      yield* TestClock.adjust("6 seconds")
      assert.instanceOf(yield* Effect.flip(there.verify(ending)), KeyRejected)
    }))

  it.effect("is refused within 5 s after the end of an outage in which it was revoked", () =>
    Effect.gen(function*() {
      const { ending, here, lasting, link, there } = yield* twoProcesses
      link.isUp = false
      yield* here.revoke(accountId, "k1")
      yield* TestClock.adjust("14 minutes")
      yield* there.verify(ending)
      yield* there.verify(lasting)
      link.isUp = true
      yield* TestClock.adjust("5 seconds")
      assert.instanceOf(yield* Effect.flip(there.verify(ending)), KeyRejected)
      yield* there.verify(lasting)
    }))
})
