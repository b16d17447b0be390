import { Deferred, Duration, Effect, type Scope } from "effect"
import { createHmac, createSecretKey, randomBytes } from "node:crypto"
import { deadline } from "../resilience/Deadline.ts"
import { gauged, meters } from "../telemetry/Metrics.ts"
import { attribute } from "../telemetry/SemanticConventions.ts"
import type { Role } from "../domain/Role.ts"
import type { AccountId } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import type { Key } from "./Key.ts"
import { KeyRejected, KeysUnavailable } from "./Keys.ts"
import * as Reason from "../resilience/FailureReason.ts"

/** How long a verified key is taken without asking its store. */
const freshMs = Duration.toMillis("60 seconds")
/** How long it is still taken when the store cannot be asked. */
const graceMs = Duration.toMillis("15 minutes")
/** How long a rejected key is refused without asking. */
const rejectedMs = Duration.toMillis("10 seconds")
/** How long its store may take to answer before it counts as out. */
const patienceMs = Duration.toMillis("2 seconds")
/** How long a caller waits for it whose key is still taken without: an answer has a deadline of its own. */
const graceWaitMs = 100
/** How long a store that was out is left alone by those who can do without its answer. */
const pauseMs = Duration.toMillis("1 second")
/** Look-ups under way at once; beyond it a key that nobody knows yet cannot be verified. */
const underwayMax = 1_000
/** Entries kept of each kind. They are apart, so that guesses cannot crowd out verified keys. */
const capacity = 10_000

const slow = () => KeysUnavailable.timedOut(graceWaitMs)

/** What a good key is good for. */
export interface KeyStatus {
  readonly role: Role
  /** How long the key is still good, ms, by its store's clock; null for a key without an end. */
  readonly remainingMs: number | null
}

interface Verified {
  readonly accountId: AccountId
  readonly keyId: string
  readonly role: Role
  /** Monotonic. */
  readonly atMs: number
  /** When the key ends, monotonic; infinite for a key without an end. */
  readonly endMs: number
}

const statusOf = ({ endMs, role }: Verified, nowMs: number): KeyStatus =>
  ({ role, remainingMs: endMs === Infinity ? null : endMs - nowMs })

const remember = <Value>(entries: Map<string, Value>, digest: string, value: Value) => {
  entries.delete(digest)
  entries.set(digest, value)
  const [oldest] = entries.keys()
  if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
}

export interface KeyCache {
  /** Succeeds for a good key. Concurrent calls for one key share one look-up. */
  readonly verify: (key: Key) => Effect.Effect<KeyStatus, KeyRejected | KeysUnavailable>
  /** Whether the key is remembered as good, and would be taken if its store were out. */
  readonly isKnown: (key: Key) => Effect.Effect<boolean>
  /** Forgets a key at once, whatever look-up of it is under way. */
  readonly evict: (accountId: AccountId, keyId: string) => void
  /** Forgets this very key at once, and what a look-up of it under way will say: its store has refused it. */
  readonly forget: (key: Key) => void
  /** Forgets that keys were rejected: one of them has just been registered. */
  readonly evictRejected: () => void
}

/**
 * Remembers what a look-up said of a key, under an HMAC of the key with a pepper of this process; the key
 * itself is never held. `lookUp` says what a key is good for, null for a bad one.
 */
export const makeKeyCache = Effect.fnUntraced(function*(
  lookUp: (key: Key) => Effect.Effect<KeyStatus | null, KeysUnavailable>
): Effect.fn.Return<KeyCache, never, Scope.Scope> {
  const scope = yield* Effect.scope
  // Made once: of bytes Node makes a key object for every digest, which costs seven times the digest.
  const pepper = createSecretKey(randomBytes(32))
  const verified = new Map<string, Verified>()
  const rejected = new Map<string, number>()
  yield* gauged(meters.cacheEntries({ [attribute.cache]: "keys" }), () => verified.size)
  /** Until when callers in grace do not ask, monotonic. */
  let outUntilMs = 0
  const underway = new Map<string, Deferred.Deferred<Verified, KeyRejected | KeysUnavailable>>()
  // An answer that was asked for before a revocation must not be remembered after it.
  let revocations = 0
  /** Keys refused while a look-up of them is under way. */
  const refused = new Set<string>()
  const digestOf = ({ text }: Key): string => createHmac("sha256", pepper).update(text).digest("base64")

  const ask = Effect.fnUntraced(function*(digest: string, key: Key) {
    const revocationsBefore = revocations
    const askedMs = yield* monotonicMs
    const standing = yield* lookUp(key)
    const atMs = yield* monotonicMs
    if (standing === null || (standing.remainingMs ?? Infinity) <= 0) {
      verified.delete(digest)
      remember(rejected, digest, atMs)
      return yield* new KeyRejected()
    }
    const { accountId, keyId } = key
    // From when it was asked: a slow answer must not lengthen the key's life.
    const endMs = askedMs + (standing.remainingMs ?? Infinity)
    const good: Verified = { accountId, keyId, role: standing.role, atMs, endMs }
    if (revocations === revocationsBefore && !refused.has(digest)) remember(verified, digest, good)
    return good
  })

  const askOnce = Effect.fnUntraced(function*(digest: string, key: Key) {
    const running = underway.get(digest)
    if (running !== undefined) return yield* Deferred.await(running)
    if (underway.size >= underwayMax) {
      const reason = new Reason.NotSent({ cause: "too many keys are looked up" })
      return yield* new KeysUnavailable({ reason })
    }
    const answer = Deferred.makeUnsafe<Verified, KeyRejected | KeysUnavailable>()
    // In the layer's scope: a caller that goes away must not take the answer from those who wait for it. Nor
    // between the two steps: what is under way is being asked.
    yield* Effect.uninterruptible(Effect.suspend(() => {
      underway.set(digest, answer)
      return ask(digest, key).pipe(
        deadline(patienceMs, () => KeysUnavailable.timedOut(patienceMs)),
        Effect.onExit(() => Effect.sync(() => {
          underway.delete(digest)
          refused.delete(digest)
        })),
        Deferred.into(answer),
        Effect.interruptible,
        Effect.forkIn(scope)
      )
    }))
    return yield* Deferred.await(answer)
  })

  const verify = Effect.fnUntraced(function*(key: Key) {
    const digest = digestOf(key)
    const nowMs = yield* monotonicMs
    const remembered = verified.get(digest)
    const known = remembered !== undefined && nowMs - remembered.atMs < graceMs ? remembered : null
    // Its end was told by its store, which need not be asked again, nor be there.
    if (known !== null && nowMs >= known.endMs) return yield* new KeyRejected()
    if (known !== null && (nowMs - known.atMs < freshMs || nowMs < outUntilMs)) {
      return statusOf(known, nowMs)
    }
    const rejectedAtMs = rejected.get(digest)
    if (rejectedAtMs !== undefined && nowMs - rejectedAtMs < rejectedMs) return yield* new KeyRejected()
    const asking = askOnce(digest, key)
    const good = yield* (known === null ? asking : deadline(graceWaitMs, slow)(asking)).pipe(
      Effect.catchTag("KeysUnavailable", (outage) => {
        // A revocation may have come meanwhile.
        if (known === null || !verified.has(digest)) return Effect.fail(outage)
        outUntilMs = nowMs + pauseMs
        return Effect.succeed(known)
      })
    )
    return statusOf(good, nowMs)
  })

  const isKnown = Effect.fnUntraced(function*(key: Key) {
    const known = verified.get(digestOf(key))
    const nowMs = yield* monotonicMs
    return known !== undefined && nowMs - known.atMs < graceMs && nowMs < known.endMs
  })

  return {
    verify,
    isKnown,
    evict: (accountId, keyId) => {
      revocations++
      for (const [digest, entry] of verified) {
        if (entry.accountId === accountId && entry.keyId === keyId) verified.delete(digest)
      }
    },
    forget: (key) => {
      const digest = digestOf(key)
      verified.delete(digest)
      if (underway.has(digest)) refused.add(digest)
    },
    evictRejected: () => rejected.clear()
  }
})
