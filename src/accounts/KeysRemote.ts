/** The common part of the drivers of keys that a memory backend keeps and verifies. */
import { Effect, Redacted } from "effect"
import * as Reason from "../resilience/FailureReason.ts"
import type { Key } from "./Key.ts"
import type { KeyCache } from "./KeyCache.ts"
import { KeyRejected, Keys, KeysUnavailable } from "./Keys.ts"

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
    verify: Effect.fnUntraced(function*(text) {
      const key = parse(Redacted.value(text)) ?? (yield* new KeyRejected())
      return { accountId: key.accountId, key: text, ...yield* cache.verify(key) }
    }),
    remembered: (text) => {
      const key = parse(Redacted.value(text))
      return key === null ? Effect.succeed(null) : Effect.map(cache.remembered(key), (status) =>
        status === null ? null : { accountId: key.accountId, key: text, ...status })
    },
    isKnown: (text) => {
      const key = parse(Redacted.value(text))
      return key === null ? Effect.succeed(false) : cache.isKnown(key)
    },
    create: () => kept,
    register: () => kept,
    rotate: () => kept,
    list: kept,
    revoke: () => kept
  })
}
