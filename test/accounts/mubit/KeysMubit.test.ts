import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import * as Key from "../../../src/accounts/Key.ts"
import { Keys } from "../../../src/accounts/Keys.ts"
import * as KeysMubit from "../../../src/accounts/mubit/KeysMubit.ts"
import * as MubitClient from "../../../src/memory/mubit/MubitClient.ts"
import { answerWith, fakeMubit, type Trouble } from "../../memory/mubit/fake.ts"

const secret = "0123456789abcdef".repeat(2)

/** What verifying a key comes to, over a backend with that trouble, and what the backend heard. */
const verified = (text: string, trouble: Trouble | null = null) =>
  Effect.gen(function*() {
    const { heard, state, url } = yield* fakeMubit()
    state.trouble = trouble
    const result = yield* Keys.use((keys) => keys.verify(Redacted.make(text))).pipe(
      Effect.match({ onSuccess: ({ accountId }): string => accountId, onFailure: ({ _tag }) => _tag }),
      Effect.provide(KeysMubit.layer.pipe(Layer.provide(MubitClient.layer(url))))
    )
    return { result, heard: heard.length }
  })

const status = (code: number): Trouble => (_heard, response) => answerWith(response, code, {})

describe("Keys that the hosted backend verifies", () => {
  it.live("are good, with any prefix, when the backend answers a question about memory", () =>
    Effect.gen(function*() {
      for (const prefix of ["mbt", "sxt"]) {
        assert.deepStrictEqual(yield* verified(`${prefix}_acme-corp_k1_${secret}`), { result: "acme-corp", heard: 1 })
      }
    }))

  it.live("are bad when the backend refuses them, although its health needs no key", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* verified(`mbt_acme_bad1_${secret}`)).result, "KeyRejected")
      for (const code of [401, 403]) {
        assert.strictEqual((yield* verified(`mbt_acme_k1_${secret}`, status(code))).result, "KeyRejected")
      }
    }))

  it.live("are good for an account without a memory, if a made-up key is refused", () =>
    Effect.gen(function*() {
      const tokens: Array<string> = []
      const unknownTo = (isKnown: (token: string) => boolean): Trouble => ({ authorization }, response) => {
        tokens.push(authorization)
        return answerWith(response, isKnown(authorization) ? 404 : 401, { error: "no such run" })
      }
      const text = `mbt_acme_k1_${secret}`
      const picky = unknownTo((token) => token === `Bearer ${text}`)
      assert.deepStrictEqual(yield* verified(text, picky), { result: "acme", heard: 2 })
      assert.notInclude(tokens[1], secret)
      assert.strictEqual((yield* verified(`mbt_acme_k2_${secret}`, picky)).result, "KeyRejected")
      assert.strictEqual((yield* verified(text, unknownTo(() => true))).result, "KeysUnavailable")
    }))

  it.live("are unavailable, never bad and never good, after any other answer of the backend", () =>
    Effect.gen(function*() {
      for (const code of [302, 400, 404, 429, 500, 503]) {
        assert.strictEqual((yield* verified(`mbt_acme_k1_${secret}`, status(code))).result, "KeysUnavailable", `${code}`)
      }
      const page: Trouble = (_heard, response) => response.writeHead(200).end("<html>") === response
      assert.strictEqual((yield* verified(`mbt_acme_k1_${secret}`, page)).result, "KeysUnavailable")
    }))

  it.live("are looked up again after the backend has refused them for any call", () =>
    Effect.gen(function*() {
      const { heard, state, url } = yield* fakeMubit()
      const client = MubitClient.layer(url)
      yield* Effect.gen(function*() {
        const [keys, { ask }] = [yield* Keys, yield* MubitClient.MubitClient]
        const key = Redacted.make(`mbt_acme_k1_${secret}`)
        yield* keys.verify(key)
        yield* keys.verify(key)
        assert.lengthOf(heard, 1)
        state.trouble = status(401)
        yield* Effect.flip(ask(key, { path: "/v2/control/query", body: {} }, Schema.String))
        assert.strictEqual((yield* Effect.flip(keys.verify(key)))._tag, "KeyRejected")
        assert.lengthOf(heard, 3)
      }).pipe(Effect.provide(KeysMubit.layer.pipe(Layer.provideMerge(client))))
    }))

  it.live("are refused without a call when they are malformed", () =>
    Effect.gen(function*() {
      for (const text of ["", "mbt", `MBT_acme_k1_${secret}`, `mbt_acme_${secret}`, `m1_acme_k1_${secret}`, `_acme_k1_${secret}`]) {
        assert.deepStrictEqual(yield* verified(text), { result: "KeyRejected", heard: 0 }, text)
      }
    }))
})

it("a foreign prefix is refused by every other protocol", () => {
  assert.isNull(Key.parse(`mbt_acme_k1_${secret}`))
  const { accountId, keyId } = Key.parseForeign(`mbt_acme_k1_${secret}_more`)!
  assert.deepStrictEqual([String(accountId), keyId], ["acme", "k1"])
})
