/** A cache that may answer with the last value while its store is slow or unreachable. */
import { type Context, Effect, Exit, Fiber, FiberSet, type Scope } from "effect"
import { monotonicMs, monotonicMsOf } from "../domain/Time.ts"
import { BoundedMap } from "./BoundedMap.ts"
import type { CachedFailure, CachedValue, OpenRead } from "./CacheEntry.ts"
import type { CacheRule } from "./CacheRule.ts"
import { coldLoad } from "./ColdLoad.ts"
import { deadline } from "./Deadline.ts"

/** Time limit of a read, ms, if the rule has {@link CacheRule.late}. Chosen. */
const readMsMax = 2_000

type Validity<Value> = ((value: Value, nowMs: number) => boolean) | undefined

/** `last` is the cached value, of any age; undefined if there is none. */
type Look<Value, E, R> = (last: Value | undefined) => Effect.Effect<Value, E, R>

const errorOf = <E>(exit: Exit.Exit<unknown, E>): { readonly error: E } | null => {
  if (Exit.isSuccess(exit)) return null
  for (const reason of exit.cause.reasons) if (reason._tag === "Fail") return reason
  return null
}

/**
 * A fresh value is returned in one step of the runtime. If the cached value of a key is no longer fresh,
 * callers share one read. Callers get the old value, up to the age `staleMs`, if the read takes longer than
 * `waitMs`, or fails and its failure is not final. A read goes on after its callers left, so it must not
 * begin inside their transaction. Ages use the monotonic clock; Effect's `Cache` uses the wall clock.
 */
export class ReadCache<Value, E> {
  readonly #rule: CacheRule<Value, E>
  readonly #holds: Validity<Value>
  readonly #values: BoundedMap<string, CachedValue<Value>>
  readonly #failures: BoundedMap<string, CachedFailure<E>>
  readonly #readings = new Map<string, OpenRead<Value, E>>()
  readonly #fibers: FiberSet.FiberSet<Value, E>

  constructor(rule: CacheRule<Value, E>, fibers: FiberSet.FiberSet<Value, E>) {
    this.#rule = rule
    this.#holds = rule.holds
    const { capacity, sizeOf } = rule
    this.#values = new BoundedMap(capacity, sizeOf && (({ exit }) => sizeOf(exit.value)))
    this.#failures = new BoundedMap(rule.capacity)
    this.#fibers = fibers
  }

  get size(): number {
    return this.#values.size
  }

  total(): number {
    return this.#values.total()
  }

  get readings(): number {
    return this.#readings.size
  }

  fresh(key: string, nowMs: number): Value | undefined {
    const held = this.#values.get(key)
    return held !== undefined && this.#isFresh(held, nowMs) ? this.#use(key, held).value : undefined
  }

  /** Returns the value of a key if its age is below `staleMs`. */
  last(key: string, nowMs: number): Value | undefined {
    return this.#standIn(key, nowMs)?.value
  }

  held(key: string): Value | undefined {
    return this.#values.get(key)?.exit.value
  }

  /** `holds` replaces the rule's condition. */
  read<R>(key: string, look: Look<Value, E, R>, holds = this.#holds): Effect.Effect<Value, E, R> {
    return Effect.withFiber((fiber) => {
      const nowMs = monotonicMsOf(fiber)
      const held = this.#values.get(key)
      if (held !== undefined && (this.#isFresh(held, nowMs, holds) || nowMs < held.pausedUntilMs)) {
        return this.#use(key, held)
      }
      const failed = held === undefined ? this.#failures.get(key) : undefined
      if (failed !== undefined && nowMs < failed.untilMs) return failed.exit
      const running = this.#readings.get(key)
      if (running === undefined) return this.#answerOf(key, this.#begin(key, look, fiber), nowMs)
      // A read that began before this call may return a value that is too old for the caller.
      return Effect.flatMap(Effect.exit(this.#answerOf(key, running, nowMs)), (exit) =>
        this.#isOvertaken(exit, nowMs, holds) ? this.#reread(key, look, holds) : exit)
    })
  }

  /** Begins to read the value of a key, even if the value is fresh, unless a read is already running. */
  refresh<R>(key: string, look: Look<Value, E, R>): Effect.Effect<void, never, R> {
    return Effect.withFiber((fiber) => {
      if (!this.#readings.has(key)) this.#begin(key, look, fiber)
      return Effect.void
    })
  }

  /** Replaces the value of a key, unless there is a fresh value for which `isNewer` returns true. */
  store(key: string, value: Value, isNewer: (held: Value) => boolean = () => false): Effect.Effect<void> {
    return Effect.map(monotonicMs, (nowMs) => {
      const held = this.fresh(key, nowMs)
      if (held !== undefined && isNewer(held)) return
      // A running read may bring a value older than `value`, so its result is not stored.
      this.#readings.delete(key)
      this.#put(key, value, nowMs, 0)
    })
  }

  /** Drops the value and the failure of a key, and lets no running read of the key store its result. */
  forget(key: string): void {
    this.#values.delete(key)
    this.#failures.delete(key)
    this.#readings.delete(key)
  }

  /** Drops values that were stored before `beforeMs`, unless a read of their key is running. */
  forgetBefore(beforeMs: number): void {
    for (const [key, { atMs }] of this.#values) {
      if (atMs < beforeMs && !this.#readings.has(key)) this.#values.delete(key)
    }
  }

  /** Drops the values for which `isSo` returns true, and lets no running read store its result. */
  forgetWhere(isSo: (value: Value) => boolean): void {
    for (const [key, { exit }] of this.#values) if (isSo(exit.value)) this.#values.delete(key)
    this.#readings.clear()
  }

  #use(key: string, held: CachedValue<Value>): Exit.Success<Value> {
    if (this.#rule.keepsUsed === true) this.#values.touch(key, held)
    return held.exit
  }

  #isFresh({ exit, freshUntilMs }: CachedValue<Value>, nowMs: number, holds = this.#holds): boolean {
    return nowMs < freshUntilMs && (holds === undefined || holds(exit.value, nowMs))
  }

  #standIn(key: string, nowMs: number): Exit.Success<Value> | undefined {
    const held = this.#values.get(key)
    return held !== undefined && nowMs - held.atMs < (this.#rule.staleMs ?? Infinity) ? held.exit : undefined
  }

  #put(key: string, value: Value, nowMs: number, tookMs: number): void {
    this.#failures.delete(key)
    const { freshMs } = this.#rule
    const freshUntilMs = nowMs + (typeof freshMs === "number" ? freshMs : freshMs(tookMs))
    // The cast is safe, because `Exit.succeed` always returns a success, although its type does not say so.
    const exit = Exit.succeed(value) as Exit.Success<Value>
    this.#values.set(key, { exit, atMs: nowMs, freshUntilMs, pausedUntilMs: 0 })
  }

  #isFinal(exit: Exit.Exit<Value, E>): boolean {
    const failure = errorOf(exit)
    return failure !== null && this.#rule.isFinal?.(failure.error) === true
  }

  #isOvertaken(exit: Exit.Exit<Value, E>, nowMs: number, holds: Validity<Value>): boolean {
    return Exit.isSuccess(exit) ? holds?.(exit.value, nowMs) === false : this.#isFinal(exit)
  }

  #reread<R>(key: string, look: Look<Value, E, R>, holds: Validity<Value>): Effect.Effect<Value, E, R> {
    return Effect.withFiber((fiber) => {
      const nowMs = monotonicMsOf(fiber)
      const held = this.#values.get(key)
      if (held !== undefined && this.#isFresh(held, nowMs, holds)) return held.exit
      return this.#answerOf(key, this.#readings.get(key) ?? this.#begin(key, look, fiber), nowMs)
    })
  }

  /** Begins a read, and gives its entry of `#readings` a fiber, in one step of the runtime. */
  #begin<R>(key: string, look: Look<Value, E, R>, reader: Fiber.Fiber<unknown, unknown>): OpenRead<Value, E> {
    const { isLoad = true, late } = this.#rule
    const reading: OpenRead<Value, E> = { beganMs: monotonicMsOf(reader), fiber: null }
    this.#readings.set(key, reading)
    const last = this.#values.get(key)?.exit.value
    const looking = Effect.suspend(() => look(last))
    const counted = isLoad && last === undefined ? coldLoad(looking) : looking
    const bounded = late === undefined ? counted : deadline(readMsMax, () => late(readMsMax))(counted)
    // The cast is safe, because the callers of `read` and `refresh` provide the services that `look` needs.
    const run = Effect.runForkWith(reader.context as Context.Context<R>)
    reading.fiber = run(Effect.onExit(bounded, (exit) =>
      Effect.map(monotonicMs, (nowMs) => this.#settle(key, reading, exit, nowMs))))
    FiberSet.addUnsafe(this.#fibers, reading.fiber)
    return reading
  }

  #settle(key: string, reading: OpenRead<Value, E>, exit: Exit.Exit<Value, E>, nowMs: number): void {
    // If another value was stored or the key was dropped during the read, the result is not stored.
    if (this.#readings.get(key) !== reading) return
    this.#readings.delete(key)
    if (Exit.isSuccess(exit)) return this.#put(key, exit.value, nowMs, nowMs - reading.beganMs)
    if (this.#isFinal(exit)) return this.#values.delete(key)
    if (errorOf(exit) === null) return
    const { failedMs, pauseMs, staleMs = Infinity } = this.#rule
    const held = this.#values.get(key)
    if (held !== undefined) held.pausedUntilMs = Math.min(nowMs + pauseMs, held.atMs + staleMs)
    else {
      const untilMs = nowMs + (failedMs ?? pauseMs)
      if (untilMs > nowMs) this.#failures.set(key, { exit: Exit.failCause(exit.cause), untilMs })
    }
  }

  /** Returns the result of a read; if the read is late or fails, returns the last value if there is one. */
  #answerOf(key: string, reading: OpenRead<Value, E>, nowMs: number): Effect.Effect<Value, E> {
    const { fiber } = reading
    if (fiber === null) return Effect.die(new Error("A reading has begun without its fiber"))
    const read = Effect.flatMap(Fiber.await(fiber), (exit) => {
      if (errorOf(exit) === null || this.#isFinal(exit)) return exit
      return Effect.flatMap(this.#lastNow(key), (last) => {
        if (last === undefined) return exit
        return Effect.as(Effect.logDebug("The store failed; the last value is used", exit), last.value)
      })
    })
    if (fiber.pollUnsafe() !== undefined) return read
    const last = this.#standIn(key, nowMs)
    if (last === undefined) return read
    const leftMs = reading.beganMs + (this.#rule.waitMs ?? 100) - nowMs
    if (leftMs <= 0) return last
    const orElse = () => Effect.flatMap(this.#lastNow(key), (now) => now ?? read)
    return Effect.timeoutOrElse(read, { duration: leftMs, orElse })
  }

  #lastNow(key: string): Effect.Effect<Exit.Success<Value> | undefined> {
    return Effect.map(monotonicMs, (nowMs) => this.#standIn(key, nowMs))
  }
}

/** Running reads of the cache end with the scope. */
export const makeReadCache = <Value, E>(
  rule: CacheRule<Value, E>
): Effect.Effect<ReadCache<Value, E>, never, Scope.Scope> =>
  Effect.map(FiberSet.make<Value, E>(), (fibers) => new ReadCache(rule, fibers))
