import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Key from "../../src/accounts/Key.ts"
import { AccountId } from "../../src/domain/Scope.ts"

const Name = Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,64}$/))
const Secret = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{32,256}$/))
const secret = "Secret_with_underscores-0123456789"

it("a key names its account and its id, and the secret may hold underscores", () => {
  const text = `sxt_acme-corp_k1_${secret}`
  assert.deepStrictEqual(Key.parse(text), { accountId: AccountId.make("acme-corp"), keyId: "k1", text })
})

const Parts = { instance: Name, keyId: Name, secret: Secret }

it.prop("a formatted key parses to its parts", Parts, (parts) => {
  const key = Key.format(parts.instance, parts.keyId, parts.secret)
  const parsed = Key.parse(key?.text ?? "")
  assert.deepStrictEqual([parsed?.accountId, parsed?.keyId], [AccountId.make(parts.instance), parts.keyId])
})

it.prop("no text outside the format is a key", { text: Schema.String }, ({ text }) => {
  assert.isNull(Key.parse(text))
})

it("a part that is empty, too long, too short or of foreign characters makes no key", () => {
  for (const text of [
    "",
    `sxt__k1_${secret}`,
    `sxt_acme__${secret}`,
    `sxt_Acme_k1_${secret}`,
    `sxt_${"a".repeat(65)}_k1_${secret}`,
    `sxt_acme_k1_${"s".repeat(31)}`,
    `sxt_acme_k1_${"s".repeat(257)}`,
    `sxt_acme_k1_${secret}\n`,
    ` sxt_acme_k1_${secret}`,
    `sk_acme_k1_${secret}`
  ]) assert.isNull(Key.parse(text), text)
  assert.isNull(Key.format("acme_k1", "k2", secret))
  assert.isNotNull(Key.format("a".repeat(64), "b".repeat(64), "s".repeat(256)))
})
