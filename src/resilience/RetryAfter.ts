/** The `Retry-After` header of a backend, and the accounts that it asked to wait. */
import { Duration, Redacted, Result, Schema } from "effect"
import { Headers } from "effect/http"
import { createHash } from "node:crypto"

/** The call was not made: the backend has asked the account of the key to wait. */
export class AskedToWait extends Schema.TaggedError<AskedToWait>()("AskedToWait", {}) {
  override get message() {
    return "The backend has asked this account to wait"
  }
}

/**
 * The wait that a `Retry-After` header asks for, in milliseconds, in [0, maxMs]. The header holds seconds or
 * a date; null when it is absent or holds neither.
 */
export const retryAfterMs = (header: string | undefined, nowMs: number, maxMs: number): number | null => {
  const asked = Headers.parseRetryAfter(header ?? "")
  if (Result.isFailure(asked)) return null
  return Math.min(maxMs, Duration.toMillis(Headers.retryAfterDelay(asked.success, nowMs)))
}

/** The keys whose account was asked to wait, each with the end of its wait. */
interface Waits {
  readonly ask: (key: Redacted.Redacted<string>, untilMs: number, nowMs: number) => void
  /** The rest of the key's wait, in milliseconds; 0 without one. */
  readonly leftMs: (key: Redacted.Redacted<string>, nowMs: number) => number
}

/**
 * Waits by key rather than by the account that a key names: a forged key with another account's name in it
 * must not make that account wait. Only a digest of the key is kept.
 */
export const makeWaits = (): Waits => {
  const untilOf = new Map<string, number>()
  const digestOf = (key: Redacted.Redacted<string>): string =>
    createHash("sha256").update(Redacted.value(key)).digest("base64")
  return {
    ask: (key, untilMs, nowMs) => {
      for (const [known, until] of untilOf) if (until <= nowMs) untilOf.delete(known)
      untilOf.set(digestOf(key), untilMs)
    },
    leftMs: (key, nowMs) => untilOf.size === 0 ? 0 : Math.max(0, (untilOf.get(digestOf(key)) ?? 0) - nowMs)
  }
}
