import { Effect, Redacted } from "effect"
import * as Reason from "../resilience/FailureReason.ts"
import type { Key } from "./Key.ts"
import { KeyRejected, Keys, KeysUnavailable } from "./Keys.ts"
import type { KeyCache } from "./KeyCache.ts"

/**
 * Keys that the memory at `endpoint` keeps, so that everything but `verify` fails. A key is forgotten as soon
 * as that refuses it, whatever it was asked.
 *
 * @param parse null for a text that is no key of its kind
 */
export const keysRemote = ({ endpoint, onRefused, parse, verifiedKeys }: {
  readonly endpoint: string
  readonly onRefused: (listener: (key: Redacted.Redacted<string>) => void) => void
  readonly parse: (text: string) => Key | null
  readonly verifiedKeys: KeyCache
}): Keys["Service"] => {
  onRefused((text) => {
    const key = parse(Redacted.value(text))
    if (key !== null) verifiedKeys.forget(key)
  })
  const elsewhere = Effect.suspend(() =>
    Effect.fail(new KeysUnavailable({
      reason: new Reason.Rejected({ cause: `the memory backend at ${endpoint} keeps the keys` })
    }))
  )
  return Keys.of({
    verify: Effect.fnUntraced(function*(text) {
      const key = parse(Redacted.value(text)) ?? (yield* new KeyRejected())
      return { accountId: key.accountId, key: text, ...yield* verifiedKeys.verify(key) }
    }),
    isKnown: (text) => {
      const key = parse(Redacted.value(text))
      return key === null ? Effect.succeed(false) : verifiedKeys.isKnown(key)
    },
    create: () => elsewhere,
    register: () => elsewhere,
    rotate: () => elsewhere,
    list: elsewhere,
    revoke: () => elsewhere
  })
}
