/* The token by which an answer's reader votes: what it names, and the code that only the account makes. */
import { Redacted } from "effect"
import { createHmac, timingSafeEqual } from "node:crypto"
import * as RecommendationId from "../domain/RecommendationId.ts"
import { AccountId } from "../domain/Scope.ts"
import type { VoteSecret } from "./VoteSecrets.ts"

/** What a token names. */
interface VoteClaim {
  readonly accountId: AccountId
  readonly recommendationId: RecommendationId.RecommendationId
  /** When it ends, whole seconds since 1970. */
  readonly expiresAtSeconds: number
}

/** A token that has the form of one; whether it is good, the account's secret says. */
export interface ReadToken extends VoteClaim {
  readonly version: number
  readonly code: string
}

/** Longest token that is read, UTF-16 units: of the longest name of an account. */
export const tokenLengthMax = 192

/** One spelling of each token: no leading zeros, and no unused bits in the last digit of the code. */
const shape =
  /^([1-9]\d{0,8})\.([1-9a-z][\da-z]{0,8})\.([\da-f]{32})\.([\w-]{42}[AEIMQUYcgkosw048])\.([\w-]{1,64})$/

/** Whether a text, such as a misspelt path, has a token in it. */
export const holdsToken = (text: string): boolean => /[\da-f]{32}\.[\w-]{43}/i.test(text)

const codeOf = ({ accountId, expiresAtSeconds, recommendationId }: VoteClaim, secret: VoteSecret): Buffer =>
  createHmac("sha256", Redacted.value(secret.secret))
    .update(JSON.stringify(["vote", accountId, secret.version, expiresAtSeconds, recommendationId]))
    .digest()

/** The token of a recommendation, all in characters of a URL where the account's name is. */
export const signed = (claim: VoteClaim, secret: VoteSecret): string =>
  [
    secret.version,
    claim.expiresAtSeconds.toString(36),
    claim.recommendationId.replaceAll("-", ""),
    codeOf(claim, secret).toString("base64url"),
    claim.accountId
  ].join(".")

/** What a text says if it is spelled as {@link signed} spells a token; null for any other. */
export const readToken = (text: string): ReadToken | null => {
  if (text.length > tokenLengthMax) return null
  const [, version = "", expires = "", hex = "", code = "", account = ""] = shape.exec(text) ?? []
  const recommendationId = hex === "" ? null : RecommendationId.parse(RecommendationId.ofHex(hex))
  return recommendationId === null ? null : {
    accountId: AccountId.make(account),
    recommendationId,
    expiresAtSeconds: Number.parseInt(expires, 36),
    version: Number(version),
    code
  }
}

/** Whether the token is the account's own, and has not ended. */
export const isGood = (token: ReadToken, secret: VoteSecret, nowMs: number): boolean =>
  token.version === secret.version && nowMs < token.expiresAtSeconds * 1_000
  && timingSafeEqual(Buffer.from(token.code, "base64url"), codeOf(token, secret))
