import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { isGood, readToken, signed, tokenLengthMax } from "../../src/accounts/VoteToken.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { AccountId } from "../../src/domain/Scope.ts"

const atMs = 1_780_000_000_000
const secret = { version: 3, secret: Redacted.make("s".repeat(43)) }
const claim = {
  accountId: AccountId.make("acme-eu"), recommendationId: RecommendationId.make(atMs), expiresAtSeconds: atMs / 1_000
}
const token = signed(claim, secret)
const isGoodText = (text: string, by = secret, nowMs = atMs - 1) => {
  const read = readToken(text)
  return read !== null && isGood(read, by, nowMs)
}

it("a token says its account, its version and its end, in characters of a URL's path", () => {
  assert.match(token, /^3\.[\da-z]+\.[\da-f]{32}\.[\w-]{43}\.acme-eu$/)
  assert.deepInclude(readToken(token), { ...claim, version: 3 })
  assert.notInclude(token, Redacted.value(secret.secret))
})

it("a token is good until its end, for its secret alone", () => {
  assert.isTrue(isGoodText(token))
  assert.isFalse(isGoodText(token, secret, atMs))
  assert.isFalse(isGoodText(token, { ...secret, version: 4 }))
  assert.isFalse(isGoodText(token, { ...secret, secret: Redacted.make("t".repeat(43)) }))
})

it("a token with any part of another one, or cut anywhere, is not good", () => {
  const others = [
    signed({ ...claim, accountId: AccountId.make("acme-us") }, secret),
    signed({ ...claim, expiresAtSeconds: claim.expiresAtSeconds + 1 }, secret),
    signed({ ...claim, recommendationId: RecommendationId.make(atMs) }, secret),
    signed(claim, { ...secret, version: 4 })
  ]
  for (const other of others) {
    const [own, foreign] = [token.split("."), other.split(".")]
    own.forEach((part, at) => {
      const mixed = own.with(at, foreign[at] ?? "").join(".")
      if (part !== foreign[at]) assert.isFalse(isGoodText(mixed), mixed)
    })
  }
  for (let length = 0; length < token.length; length++) assert.isFalse(isGoodText(token.slice(0, length)))
})

it("a text that no token has the form of is not read, however long", () => {
  const texts = [
    "", ".", "....", signed({ ...claim, accountId: AccountId.make("a\u0000b") }, secret), signed({ ...claim, accountId: AccountId.make("a\ud800") }, secret), `${token}x`.repeat(9), "%", "\u0000", "../../etc", `${token}/x`, token.toUpperCase(),
    `1.zzzzzzzzz.${"f".repeat(32)}.${"A".repeat(43)}.acme`, "a".repeat(1_000_000), `${token}${"a".repeat(tokenLengthMax)}`
  ]
  for (const text of texts) assert.isFalse(isGoodText(text), text.slice(0, 60))
  const longest = signed({ ...claim, accountId: AccountId.make("a".repeat(64)) }, { ...secret, version: 999_999_999 })
  assert.isTrue(isGoodText(longest, { ...secret, version: 999_999_999 }))
})

it("a token has one spelling", () => {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  const [version = "", end = "", hex = "", code = "", account = ""] = token.split(".")
  const bytes = Buffer.from(code, "base64url")
  const codes = [...digits].map((digit) => code.slice(0, -1) + digit)
    .filter((each) => each !== code && Buffer.from(each, "base64url").equals(bytes))
  assert.lengthOf(codes, 3)
  const spellings = [
    ...codes.map((each) => [version, end, hex, each, account]), [`0${version}`, end, hex, code, account],
    [version, `0${end}`, hex, code, account], [version, end.toUpperCase(), hex, code, account],
    [version, end, hex, `${code}=`, account], [version, end, hex.toUpperCase(), code, account]
  ].map((parts) => parts.join(".")).filter((text) => text !== token)
  for (const text of spellings) assert.isNull(readToken(text), text)
  for (let i = 0; i < 64; i++) {
    const other = signed({ ...claim, recommendationId: RecommendationId.make(atMs + i) }, secret)
    assert.isTrue(isGoodText(other), other)
  }
})
