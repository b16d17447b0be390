/** The common part of the drivers of keys that a memory backend keeps and verifies. */
import { Effect, Redacted } from "effect"
import * as Reason from "../resilience/FailureReason.ts"
import type { Key } from "./Key.ts"
import { type KeyCache, keysIn } from "./KeyCache.ts"
import { Keys, KeysUnavailable } from "./Keys.ts"

/**
 * The port over a backend at `endpoint`. Only `verify` and `isKnown` work; creating, listing and revoking
 * keys is the backend's own task, and fails here. A key that the backend refuses for any call is forgotten
 * at once.
 *
 * @param parse reads a key of the backend's format; null for any other text
 */
export const keysRemote = ({ endpoint, onRefused, parse, cache }: {
  readonly endpoint: string
  readonly onRefused: (listener: (key: Redacted.Redacted<string>) => void) => void
  readonly parse: (text: string) => Key | null
  readonly cache: KeyCache
}): Keys["Service"] => {
  onRefused((text) => {
    const key = parse(Redacted.value(text))
    if (key !== null) cache.forget(key)
  })
  const kept = Effect.suspend(() =>
    Effect.fail(new KeysUnavailable({
      reason: new Reason.Rejected({ cause: `the memory backend at ${endpoint} keeps the keys` })
    }))
  )
  return Keys.of({
    ...keysIn(cache, parse),
    create: () => kept,
    register: () => kept,
    rotate: () => kept,
    list: kept,
    revoke: () => kept
  })
}
