import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Keys } from "../../../src/accounts/Keys.ts"
import { Lane } from "../../../src/domain/Scope.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import * as KeysHttp from "../../../src/memory/remote/KeysHttp.ts"
import * as MemoryHttp from "../../../src/memory/remote/MemoryHttp.ts"
import { rawBackend } from "../backend.ts"
import { queryIn } from "../fixtures.ts"
import { asRequestOf } from "../../support/CallerKeys.ts"
import { keyOf, newAccount } from "../../accounts/KeysContract.ts"

const json = { "content-type": "application/json" }
const problem = { "content-type": "application/problem+json" }
const accountAnswer = (accountId: string) =>
  ({ account_id: accountId, endpoint: "x", role: "use", remaining_ms: null })
const unauthorized = { type: "about:blank", title: "Unauthorized", status: 401, detail: "no" }

/** The account, role and end of a verified key of `accountId`, or the failure, over a backend that answers so. */
const verifying = (accountId: string, status: number, body: unknown, headers: Record<string, string> = json) =>
  Keys.use((keys) => keys.verify(keyOf(accountId))).pipe(
    Effect.match({
      onSuccess: ({ accountId, remainingMs, role }): ReadonlyArray<unknown> => [accountId, role, remainingMs !== null],
      onFailure: ({ _tag }) => [_tag]
    }),
    Effect.provide(KeysHttp.layer.pipe(Layer.provide(rawBackend((_request, response) => {
      response.writeHead(status, headers).end(JSON.stringify(body))
    }))))
  )

describe("Keys that the backend verifies", () => {
  it.live("are good when the backend names their account, and bad when it refuses or names another", () =>
    Effect.gen(function*() {
      const accountId = newAccount()
      assert.deepStrictEqual(yield* verifying(accountId, 200, accountAnswer(accountId)), [accountId, "use", false])
      assert.deepStrictEqual(yield* verifying(accountId, 200, accountAnswer("other")), ["KeyRejected"])
      assert.deepStrictEqual(yield* verifying(accountId, 401, unauthorized, problem), ["KeyRejected"])
    }))

  it.live("have the role and end that the backend names", () =>
    Effect.gen(function*() {
      const accountId = newAccount()
      const holder = (told: object) => verifying(accountId, 200, { account_id: accountId, endpoint: "x", ...told })
      assert.deepStrictEqual(yield* holder({}), ["KeysUnavailable"])
      assert.deepStrictEqual(yield* holder({ role: "read", remaining_ms: null }), [accountId, "read", false])
      assert.deepStrictEqual(yield* holder({ role: "admin", remaining_ms: 60_000 }), [accountId, "admin", true])
      assert.deepStrictEqual(yield* holder({ role: "use", remaining_ms: -1 }), ["KeyRejected"])
      // A role of a later version gives no right here.
      assert.deepStrictEqual(yield* holder({ role: "billing", remaining_ms: null }), ["KeyRejected"])
      assert.deepStrictEqual(yield* holder({ role: 7, remaining_ms: null }), ["KeysUnavailable"])
    }))

  it.live("are unavailable, never bad, after any other answer of the backend", () =>
    Effect.gen(function*() {
      const accountId = newAccount()
      for (const status of [200, 302, 400, 403, 404, 429, 500, 503]) {
        assert.deepStrictEqual(yield* verifying(accountId, status, { not: "ours" }), ["KeysUnavailable"], String(status))
      }
    }))

  it.live("are bad at once when the backend refuses them for another call", () =>
    Effect.gen(function*() {
      const accountId = newAccount()
      let isRevoked = false
      const backend = rawBackend((request, response) => {
        request.resume()
        if (isRevoked) response.writeHead(401, problem).end(JSON.stringify(unauthorized))
        else response.writeHead(200, json).end(JSON.stringify(accountAnswer(accountId)))
      })
      yield* Effect.gen(function*() {
        const [keys, memory] = [yield* Keys, yield* Memory]
        const key = keyOf(accountId)
        const caller = yield* keys.verify(key)
        isRevoked = true
        yield* keys.verify(key)
        yield* Effect.flip(asRequestOf(caller.accountId, caller.key)(
          memory.recall(queryIn({ accountId: caller.accountId, lane: Lane.make("sextant:default") }))
        ))
        assert.strictEqual((yield* Effect.flip(keys.verify(key)))._tag, "KeyRejected")
      }).pipe(Effect.provide(Layer.merge(KeysHttp.layer, MemoryHttp.layer).pipe(Layer.provide(backend))))
    }))

  it.live("are looked up once, and not at all when they are malformed", () =>
    Effect.gen(function*() {
      let asked = 0
      const accountId = newAccount()
      const backend = rawBackend((_request, response) => {
        asked++
        response.writeHead(200, json).end(JSON.stringify(accountAnswer(accountId)))
      })
      yield* Effect.gen(function*() {
        const keys = yield* Keys
        const key = keyOf(accountId)
        for (let turn = 0; turn < 3; turn++) yield* keys.verify(key)
        const { _tag } = yield* Effect.flip(keys.verify(keyOf("Not An Instance")))
        assert.strictEqual(_tag, "KeyRejected")
        for (const refused of [keys.create(accountId), keys.register(key), keys.list,
          keys.rotate({ accountId, keyId: "k1", overlapMs: 0 })]) {
          assert.strictEqual((yield* Effect.flip(Effect.asVoid(refused)))._tag, "KeysUnavailable")
        }
      }).pipe(Effect.provide(KeysHttp.layer.pipe(Layer.provide(backend))))
      assert.strictEqual(asked, 1)
    }))
})
