/** A cache of verified keys, so that most requests need no look-up in the store of keys. */
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

/** Maximum time for which a verified key stays fresh. */
export const freshMs = Duration.toMillis("60 seconds")
/** Time after which a key is stale without a new verification or a new list of ended keys, ms. */
const endedFreshMs = Duration.toMillis("5 seconds")
/** Minimum time between the starts of two readings of the ended keys. */
const endedEveryMs = Duration.toMillis("2 seconds")
/** Maximum time for which a verified key is accepted while look-ups fail. */
const graceMs = Duration.toMillis("15 minutes")
const endedMsMax = Duration.toMillis("2 seconds")
/** Pause between a failed look-up and the next one, for a key verified less than {@link graceMs} ago. */
const pauseMs = Duration.toMillis("1 second")
/** Maximum number of concurrent look-ups; a further look-up fails at once. */
const lookUpsMax = 1_000
const capacity = 10_000

export interface KeyStatus {
  readonly role: Role
  /** Remaining life, ms; null if the key has no end. */
  readonly remainingMs: number | null
}

interface Verified extends KeyName {
  readonly role: Role
  /** Monotonic time at which the key was verified, ms. */
  readonly atMs: number
  /** Monotonic time at which the key ends, ms; infinite if the key has no end. */
  readonly endMs: number
}

const nameOf = ({ accountId, keyId }: KeyName): string => `${accountId}_${keyId}`

type EndedKeys = Effect.Effect<ReadonlyArray<KeyName>, KeysUnavailable>

/** Looks up a key's status; null if the key is unknown, wrong or revoked. */
type LookUp = (key: Key) => Effect.Effect<KeyStatus | null, KeysUnavailable>

type Verifieds = ReadCache<Verified, KeyRejected | KeysUnavailable>

const statusOf = ({ endMs, role }: Verified, nowMs: number): KeyStatus =>
  ({ role, remainingMs: endMs === Infinity ? null : endMs - nowMs })

const makeVerified = (lookUp: LookUp, cache: Verifieds) =>
  Effect.fnUntraced(function*(key: Key): Effect.fn.Return<Verified, KeyRejected | KeysUnavailable> {
    if (cache.readings > lookUpsMax) {
      const reason = new Reason.NotSent({ cause: "too many keys are looked up" })
      return yield* new KeysUnavailable({ reason })
    }
    const startedMs = yield* monotonicMs
    const status = yield* lookUp(key)
    if (status === null || (status.remainingMs ?? Infinity) <= 0) return yield* new KeyRejected()
    // The remaining life counts from the start of the look-up, because a slow answer must not lengthen it.
    const endMs = startedMs + (status.remainingMs ?? Infinity)
    const { accountId, keyId } = key
    return { accountId, keyId, role: status.role, atMs: yield* monotonicMs, endMs }
  })

const makeEvict = (cache: Verifieds) => (ended: ReadonlyArray<KeyName>): void => {
  if (ended.length === 0) return
  const names = new Set(ended.map(nameOf))
  cache.forgetWhere((key) => names.has(nameOf(key)))
}

/** Reads the ended keys in the background, every few seconds while keys are used. */
const makeLearnEnded = (ended: EndedKeys | null, evict: ReturnType<typeof makeEvict>, scope: Scope.Scope) => {
  /** Monotonic start of the last successful reading, ms. */
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
        // While the list of ended keys cannot be read, keys in use are looked up every few seconds.
        Effect.catch((cause) => Effect.logDebug("The keys that have ended could not be read", cause)),
        Effect.forkIn(scope)
      )
    }
  }
}

export interface KeyCache {
  /** Concurrent calls for a key usually share one look-up. */
  readonly verify: (key: Key) => Effect.Effect<KeyStatus, KeyRejected | KeysUnavailable>
  /** Returns the status of a good key that needs no look-up; null for any other key. */
  readonly remembered: (key: Key) => Effect.Effect<KeyStatus | null>
  /** Returns whether the key would be accepted while its store is unavailable. */
  readonly isKnown: (key: Key) => Effect.Effect<boolean>
  /** Forgets the keys in `ended` at once, and does not remember the results of look-ups in progress. */
  readonly evict: (ended: ReadonlyArray<KeyName>) => void
  readonly forget: (key: Key) => void
}

/**
 * Makes a cache over `lookUp`. The cache stores an HMAC of each key under a secret of this process, and never
 * the key. Rejections are not remembered, because a key may be registered at any time. `ended` is null if the
 * store cannot list ended keys.
 */
export const makeKeyCache = Effect.fnUntraced(function*(
  lookUp: LookUp,
  ended: EndedKeys | null = null
): Effect.fn.Return<KeyCache, never, Scope.Scope> {
  // The HMAC's key object is made once, because making it anew for each digest would be slower.
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
        // If the cache knows that the key has ended, the key is refused without a look-up.
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
