/** Remembers which keys were verified, so that most requests need no look-up in the store of keys. */
import { Deferred, Duration, Effect, type Scope } from "effect"
import { createHmac, createSecretKey, randomBytes } from "node:crypto"
import type { Role } from "../domain/Role.ts"
import { monotonicMs, monotonicMsOf } from "../domain/Time.ts"
import { deadline } from "../resilience/Deadline.ts"
import * as Reason from "../resilience/FailureReason.ts"
import { gauged, meters } from "../telemetry/Metrics.ts"
import { attribute } from "../telemetry/SemanticConventions.ts"
import type { Key, KeyName } from "./Key.ts"
import { KeyRejected, KeysUnavailable } from "./Keys.ts"

/** How long a verified key is accepted without a look-up. */
export const freshMs = Duration.toMillis("60 seconds")
/** How long after the keys that have ended were read: any process may have ended it since. */
const endedFreshMs = Duration.toMillis("5 seconds")
/** Shortest time between two readings of the keys that have ended. */
const endedEveryMs = Duration.toMillis("2 seconds")
/** How long a verified key is accepted while look-ups fail. */
const graceMs = Duration.toMillis("15 minutes")
/** Longest look-up. */
const lookUpMs = Duration.toMillis("2 seconds")
/** How long a caller waits for the look-up of a key that is still in its grace time. */
const graceWaitMs = 100
/** Pause of look-ups for keys in their grace time after one has failed. */
const pauseMs = Duration.toMillis("1 second")
/** Most look-ups at once, count; past it a key that is not remembered cannot be verified. */
const lookUpsMax = 1_000
/** Verified keys that are remembered, count. */
const capacity = 10_000

/** What a good key allows, and for how long. */
export interface KeyStatus {
  readonly role: Role
  /** How long the key is still good, in milliseconds, by its store's clock; null for a key without an end. */
  readonly remainingMs: number | null
}

interface Verified extends KeyName {
  readonly role: Role
  /** When the key was verified, monotonic. */
  readonly atMs: number
  /** When the key ends, monotonic; infinite for a key without an end. */
  readonly endMs: number
}

const nameOf = ({ accountId, keyId }: KeyName): string => `${accountId}_${keyId}`

/** What is remembered about keys, by the digest of each. */
interface Entries {
  readonly verified: Map<string, Verified>
  readonly lookUps: Map<string, Deferred.Deferred<Verified, KeyRejected | KeysUnavailable>>
  /** Keys that their store refused while a look-up of them was in progress. */
  readonly refused: Set<string>
  /** Number of revocations so far: the answer to an older question must not be remembered. */
  revocations: number
  /** When the keys that have ended were read, monotonic; infinite where they cannot be read. */
  endedAtMs: number
}

/** Whether a verified key needs no look-up. */
const isFresh = ({ endedAtMs }: Entries, { atMs, endMs }: Verified, nowMs: number): boolean =>
  nowMs < endMs && nowMs - atMs < freshMs && nowMs - Math.max(atMs, endedAtMs) < endedFreshMs

/** Keys that have ended lately. */
type Ended = Effect.Effect<ReadonlyArray<KeyName>, KeysUnavailable>

/** The status of a key in its store; null for a bad key. */
type LookUp = (key: Key) => Effect.Effect<KeyStatus | null, KeysUnavailable>

const statusOf = ({ endMs, role }: Verified, nowMs: number): KeyStatus =>
  ({ role, remainingMs: endMs === Infinity ? null : endMs - nowMs })

const remember = (verified: Map<string, Verified>, digest: string, key: Verified) => {
  verified.delete(digest)
  verified.set(digest, key)
  const [oldest] = verified.keys()
  if (verified.size > capacity && oldest !== undefined) verified.delete(oldest)
}

/** Looks the key up. It remembers a good one, and no rejection: a key may be registered at any time. */
const lookUpAndRemember = Effect.fnUntraced(function*(
  entries: Entries,
  lookUp: LookUp,
  digest: string,
  key: Key
): Effect.fn.Return<Verified, KeyRejected | KeysUnavailable> {
  const { refused, verified } = entries
  const revocationsBefore = entries.revocations
  const startedMs = yield* monotonicMs
  const status = yield* lookUp(key)
  const atMs = yield* monotonicMs
  if (status === null || (status.remainingMs ?? Infinity) <= 0) {
    verified.delete(digest)
    return yield* new KeyRejected()
  }
  const { accountId, keyId } = key
  // Counted from the start of the look-up: a slow answer must not lengthen the key's life.
  const endMs = startedMs + (status.remainingMs ?? Infinity)
  const good: Verified = { accountId, keyId, role: status.role, atMs, endMs }
  if (entries.revocations === revocationsBefore && !refused.has(digest)) remember(verified, digest, good)
  return good
})

/** {@link lookUpAndRemember}, once for all callers that need the same key at the same time. */
const makeSharedLookUp = (entries: Entries, lookUp: LookUp, scope: Scope.Scope) => {
  const { lookUps, refused } = entries
  const join = Effect.fnUntraced(function*(
    digest: string,
    key: Key
  ): Effect.fn.Return<Verified, KeyRejected | KeysUnavailable> {
    const running = lookUps.get(digest)
    if (running !== undefined) return yield* Deferred.await(running)
    if (lookUps.size >= lookUpsMax) {
      const reason = new Reason.NotSent({ cause: "too many keys are looked up" })
      return yield* new KeysUnavailable({ reason })
    }
    const answer = Deferred.makeUnsafe<Verified, KeyRejected | KeysUnavailable>()
    // In the layer's scope: a caller that leaves must not take the answer from the others. The two steps are
    // uninterruptible: every entry of `lookUps` has a fiber that removes it.
    yield* Effect.uninterruptible(Effect.suspend(() => {
      lookUps.set(digest, answer)
      return lookUpAndRemember(entries, lookUp, digest, key).pipe(
        deadline(lookUpMs, () => KeysUnavailable.timedOut(lookUpMs)),
        Effect.onExit(() => Effect.sync(() => {
          lookUps.delete(digest)
          refused.delete(digest)
        })),
        Deferred.into(answer),
        Effect.interruptible,
        Effect.forkIn(scope)
      )
    }))
    return yield* Deferred.await(answer)
  })
  return (digest: string, key: Key): Effect.Effect<Verified, KeyRejected | KeysUnavailable> =>
    lookUps.has(digest)
      // A look-up that began before the call may have missed the key's registration.
      ? Effect.catchTag(join(digest, key), "KeyRejected", () => join(digest, key))
      : join(digest, key)
}

/** Verifies keys by the entries and, where these are too old, by the look-up. */
const makeVerify = (
  entries: Entries,
  lookUp: (digest: string, key: Key) => Effect.Effect<Verified, KeyRejected | KeysUnavailable>,
  digestOf: (key: Key) => string
) => {
  const { verified } = entries
  /** End of the pause in which keys in their grace time are not looked up, monotonic. */
  let pauseEndMs = 0
  return Effect.fnUntraced(function*(key: Key): Effect.fn.Return<KeyStatus, KeyRejected | KeysUnavailable> {
    const digest = digestOf(key)
    const nowMs = yield* monotonicMs
    const entry = verified.get(digest)
    const known = entry !== undefined && nowMs - entry.atMs < graceMs ? entry : null
    // The store gave the key's end, so that it need not be asked again.
    if (known !== null && nowMs >= known.endMs) return yield* new KeyRejected()
    if (known !== null && (isFresh(entries, known, nowMs) || nowMs < pauseEndMs)) {
      return statusOf(known, nowMs)
    }
    const lookedUp = lookUp(digest, key)
    const inTime = known === null
      ? lookedUp
      : deadline(graceWaitMs, () => KeysUnavailable.timedOut(graceWaitMs))(lookedUp)
    const good = yield* Effect.catchTag(inTime, "KeysUnavailable", (outage) => {
      // The key may have been revoked in the meantime.
      if (known === null || !verified.has(digest)) return Effect.fail(outage)
      pauseEndMs = nowMs + pauseMs
      return Effect.succeed(known)
    })
    return statusOf(good, nowMs)
  })
}

const makeEvict = (entries: Entries) => (ended: ReadonlyArray<KeyName>): void => {
  if (ended.length === 0) return
  entries.revocations++
  const names = new Set(ended.map(nameOf))
  for (const [digest, entry] of entries.verified) {
    if (names.has(nameOf(entry))) entries.verified.delete(digest)
  }
}

/** Forgets, every few seconds while keys are used, those that any process has ended; in the background. */
const makeLearnEnded = (entries: Entries, ended: Ended | null, scope: Scope.Scope) => {
  const evict = makeEvict(entries)
  let nextMs = ended === null ? Infinity : -Infinity
  return (nowMs: number): Effect.Effect<unknown> => {
    if (ended === null || nowMs < nextMs) return Effect.void
    nextMs = nowMs + endedEveryMs
    return ended.pipe(
      deadline(lookUpMs, () => KeysUnavailable.timedOut(lookUpMs)),
      Effect.map((names) => {
        entries.endedAtMs = nowMs
        evict(names)
      }),
      // During an outage every key is looked up, and those in their grace time are accepted.
      Effect.catch((cause) => Effect.logDebug("The keys that have ended could not be read", cause)),
      Effect.forkIn(scope)
    )
  }
}

export interface KeyCache {
  /** The status of a good key. Concurrent calls for one key share one look-up. */
  readonly verify: (key: Key) => Effect.Effect<KeyStatus, KeyRejected | KeysUnavailable>
  /** The status of a good key that needs no look-up; null for any other. */
  readonly remembered: (key: Key) => Effect.Effect<KeyStatus | null>
  /** Whether the key is remembered as good, so that it would be accepted without its store. */
  readonly isKnown: (key: Key) => Effect.Effect<boolean>
  /** Forgets keys at once, and the results of look-ups of them that are in progress. */
  readonly evict: (ended: ReadonlyArray<KeyName>) => void
  /** {@link evict} by the key's text, for a key that its store has just refused. */
  readonly forget: (key: Key) => void
}

/**
 * A cache over `lookUp`, by an HMAC of each key with a pepper of this process; it never holds a key. `ended`
 * yields the keys that have ended lately, where their store tells.
 */
export const makeKeyCache = Effect.fnUntraced(function*(
  lookUp: LookUp,
  ended: Ended | null = null
): Effect.fn.Return<KeyCache, never, Scope.Scope> {
  // A key object, made once: Node would otherwise make one for each digest, at seven times the digest's cost.
  const pepper = createSecretKey(randomBytes(32))
  const digestOf = ({ text }: Key): string => createHmac("sha256", pepper).update(text).digest("base64")
  const entries: Entries = {
    verified: new Map(), lookUps: new Map(), refused: new Set(), revocations: 0,
    endedAtMs: ended === null ? Infinity : -Infinity
  }
  const { lookUps, refused, verified } = entries
  yield* gauged(meters.cacheEntries({ [attribute.cache]: "keys" }), () => verified.size)
  const scope = yield* Effect.scope
  const learnEnded = makeLearnEnded(entries, ended, scope)
  const verify = makeVerify(entries, makeSharedLookUp(entries, lookUp, scope), digestOf)

  return {
    verify: (key) => Effect.andThen(Effect.flatMap(monotonicMs, learnEnded), verify(key)),
    remembered: (key) =>
      Effect.withFiber((fiber) => {
        const known = verified.get(digestOf(key))
        const nowMs = monotonicMsOf(fiber)
        if (known === undefined || !isFresh(entries, known, nowMs)) return Effect.succeed(null)
        return Effect.as(learnEnded(nowMs), statusOf(known, nowMs))
      }),
    isKnown: Effect.fnUntraced(function*(key) {
      const known = verified.get(digestOf(key))
      const nowMs = yield* monotonicMs
      return known !== undefined && nowMs - known.atMs < graceMs && nowMs < known.endMs
    }),
    evict: makeEvict(entries),
    forget: (key) => {
      const digest = digestOf(key)
      verified.delete(digest)
      if (lookUps.has(digest)) refused.add(digest)
    }
  }
})
