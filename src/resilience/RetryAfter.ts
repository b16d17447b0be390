import { Redacted, Schema } from "effect"
import { createHash } from "node:crypto"

/** Not asked: the backend wants the key's account to wait. */
export class AskedToWait extends Schema.TaggedError<AskedToWait>()("AskedToWait", {}) {
  override get message() {
    return "The backend has asked this account to wait"
  }
}

/**
 * How long a `Retry-After` asks to wait, in milliseconds, in [0, maxMs]: seconds, or the date until which.
 * Null for a header that is absent or neither.
 */
export const retryAfterMs = (header: string | undefined, nowMs: number, maxMs: number): number | null => {
  const text = header?.trim() ?? ""
  const isSeconds = /^\d+$/.test(text)
  // Only dates end so; `Date.parse` reads years into all kinds of text.
  const isDate = / GMT$/.test(text)
  const waitMs = isSeconds ? Number(text) * 1_000 : isDate ? Date.parse(text) - nowMs : Number.NaN
  return Number.isNaN(waitMs) ? null : Math.min(maxMs, Math.max(0, waitMs))
}

/** Keys whose account was asked to wait, and until when. */
export interface Waits {
  readonly ask: (key: Redacted.Redacted<string>, untilMs: number, nowMs: number) => void
  /** How long the key's account still has to wait, in milliseconds; 0 when it does not. */
  readonly leftMs: (key: Redacted.Redacted<string>, nowMs: number) => number
}

/**
 * Kept by key rather than by the account that a key names: whoever makes up a key with another's name in it
 * must not make that account wait. What is kept is a digest, not the key.
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
