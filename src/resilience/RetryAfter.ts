/** The `Retry-After` header of a backend, and the keys that the backend asked to wait. */
import { Duration, Redacted, Result, Schema } from "effect"
import { Headers } from "effect/http"
import { createHash } from "node:crypto"

/** The call was not made, because the backend has asked the account of this key to wait. */
export class AskedToWait extends Schema.TaggedError<AskedToWait>()("AskedToWait", {}) {
  override get message() {
    return "The backend has asked this account to wait"
  }
}

/** Returns the header's wait, ms in [0, maxMs]; null if it has neither seconds nor a date. */
export const retryAfterMs = (header: string | undefined, nowMs: number, maxMs: number): number | null => {
  const asked = Headers.parseRetryAfter(header ?? "")
  if (Result.isFailure(asked)) return null
  return Math.min(maxMs, Duration.toMillis(Headers.retryAfterDelay(asked.success, nowMs)))
}

interface Waits {
  readonly ask: (key: Redacted.Redacted<string>, untilMs: number, nowMs: number) => void
  /** Returns how long the key must still wait, in milliseconds; 0 if it need not wait. */
  readonly leftMs: (key: Redacted.Redacted<string>, nowMs: number) => number
}

/** Each wait applies to one key only, because a forged key must not make its whole account wait. */
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
