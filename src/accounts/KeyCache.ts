/** Remembers which keys were verified, so that most requests need no look-up in the store of keys. */
import { Duration, Effect, Redacted, type Scope } from "effect"
import { createHmac, createSecretKey, randomBytes } from "node:crypto"
import type { Role } from "../domain/account/Role.ts"
import { monotonicMs, monotonicMsOf } from "../domain/Time.ts"
import { deadline } from "../resilience/Deadline.ts"
import * as Reason from "../resilience/FailureReason.ts"
import { makeReadCache, type ReadCache } from "../resilience/ReadCache.ts"
import { gauged, meters } from "../telemetry/Metrics.ts"
import { attribute } from "../telemetry/SemanticConventions.ts"
import { type Key, type KeyName, parse } from "./Key.ts"
import { KeyRejected, type Keys, KeysUnavailable } from "./Keys.ts"

/** How long a verified key is accepted without a look-up. */
export const freshMs = Duration.toMillis("60 seconds")
/** How long after the keys that have ended were read: any process may have ended it since. */
const endedFreshMs = Duration.toMillis("5 seconds")
/** Shortest time between two readings of the keys that have ended. */
const endedEveryMs = Duration.toMillis("2 seconds")
/** How long a verified key is accepted while look-ups fail. */
const graceMs = Duration.toMillis("15 minutes")
/** Longest reading of those. */
const endedMsMax = Duration.toMillis("2 seconds")
/** Pause of the look-ups of a key in its grace time after one has failed. */
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

/** Keys that have ended lately. */
type EndedKeys = Effect.Effect<ReadonlyArray<KeyName>, KeysUnavailable>

/** The status of a key in its store; null for a bad key. */
type LookUp = (key: Key) => Effect.Effect<KeyStatus | null, KeysUnavailable>

type Verifieds = ReadCache<Verified, KeyRejected | KeysUnavailable>

const statusOf = ({ endMs, role }: Verified, nowMs: number): KeyStatus =>
  ({ role, remainingMs: endMs === Infinity ? null : endMs - nowMs })

/** Looks the key up, at most {@link lookUpsMax} keys at once. */
const makeVerified = (lookUp: LookUp, cache: Verifieds) =>
  Effect.fnUntraced(function*(key: Key): Effect.fn.Return<Verified, KeyRejected | KeysUnavailable> {
    if (cache.readings > lookUpsMax) {
      const reason = new Reason.NotSent({ cause: "too many keys are looked up" })
      return yield* new KeysUnavailable({ reason })
    }
    const startedMs = yield* monotonicMs
    const status = yield* lookUp(key)
    if (status === null || (status.remainingMs ?? Infinity) <= 0) return yield* new KeyRejected()
    // Counted from the start of the look-up: a slow answer must not lengthen the key's life.
    const endMs = startedMs + (status.remainingMs ?? Infinity)
    const { accountId, keyId } = key
    return { accountId, keyId, role: status.role, atMs: yield* monotonicMs, endMs }
  })

const makeEvict = (cache: Verifieds) => (ended: ReadonlyArray<KeyName>): void => {
  if (ended.length === 0) return
  const names = new Set(ended.map(nameOf))
  cache.forgetWhere((key) => names.has(nameOf(key)))
}

/** Learns, every few seconds while keys are used, which any process has ended; in the background. */
const makeLearnEnded = (ended: EndedKeys | null, evict: ReturnType<typeof makeEvict>, scope: Scope.Scope) => {
  /** When the keys that have ended were read, monotonic; infinite where they cannot be read. */
  let atMs = ended === null ? Infinity : -Infinity
  let nextMs = atMs
  return {
    atMs: (): number => atMs,
    learn: (nowMs: number): Effect.Effect<unknown> => {
      if (ended === null || nowMs < nextMs) return Effect.void
      nextMs = nowMs + endedEveryMs
      return ended.pipe(
        deadline(endedMsMax, () => KeysUnavailable.timedOut(endedMsMax)),
        Effect.map((names) => {
          atMs = nowMs
          evict(names)
        }),
        // During an outage every key is looked up, and those in their grace time are accepted.
        Effect.catch((cause) => Effect.logDebug("The keys that have ended could not be read", cause)),
        Effect.forkIn(scope)
      )
    }
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
 * A cache over `lookUp`, by an HMAC of each key with a pepper of this process; it never holds a key. It
 * remembers no rejection, because a key may be registered at any time. `ended` yields the keys that have
 * ended lately, where their store tells.
 */
export const makeKeyCache = Effect.fnUntraced(function*(
  lookUp: LookUp,
  ended: EndedKeys | null = null
): Effect.fn.Return<KeyCache, never, Scope.Scope> {
  // A key object, made once: Node would otherwise make one for each digest, at seven times the digest's cost.
  const pepper = createSecretKey(randomBytes(32))
  const digestOf = ({ text }: Key): string => createHmac("sha256", pepper).update(text).digest("base64")
  const cache: Verifieds = yield* makeReadCache<Verified, KeyRejected | KeysUnavailable>({
    capacity,
    freshMs,
    holds: ({ atMs, endMs }, nowMs) =>
      nowMs < endMs && nowMs - Math.max(atMs, endedKeys.atMs()) < endedFreshMs,
    staleMs: graceMs,
    pauseMs,
    failedMs: 0,
    late: KeysUnavailable.timedOut,
    isFinal: ({ _tag }) => _tag === "KeyRejected",
    isLoad: false
  })
  yield* gauged(meters.cacheEntries({ [attribute.cache]: "keys" }), () => cache.size)
  const evict = makeEvict(cache)
  const endedKeys = makeLearnEnded(ended, evict, yield* Effect.scope)
  const verified = makeVerified(lookUp, cache)

  return {
    verify: (key) =>
      Effect.withFiber((fiber) => {
        const nowMs = monotonicMsOf(fiber)
        const digest = digestOf(key)
        const last = cache.last(digest, nowMs)
        // The store gave the key's end, so that it need not be asked again.
        if (last !== undefined && nowMs >= last.endMs) return Effect.fail(new KeyRejected())
        const read = Effect.map(cache.read(digest, () => verified(key)), (good) => statusOf(good, nowMs))
        return Effect.andThen(endedKeys.learn(nowMs), read)
      }),
    remembered: (key) =>
      Effect.withFiber((fiber) => {
        const nowMs = monotonicMsOf(fiber)
        const known = cache.fresh(digestOf(key), nowMs)
        if (known === undefined) return Effect.succeed(null)
        return Effect.as(endedKeys.learn(nowMs), statusOf(known, nowMs))
      }),
    isKnown: (key) =>
      Effect.map(monotonicMs, (nowMs) => {
        const known = cache.last(digestOf(key), nowMs)
        return known !== undefined && nowMs < known.endMs
      }),
    evict,
    forget: (key) => cache.forget(digestOf(key))
  }
})

/** What a port of keys answers from the cache. */
export const keysIn = (
  cache: KeyCache
): Required<Pick<Keys["Service"], "isKnown" | "remembered" | "verify">> => ({
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
  }
})
