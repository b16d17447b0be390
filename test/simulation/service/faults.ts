import { Context, Effect, Fiber, type Scope } from "effect"
import type { Draw } from "./seeded.ts"

/** The faults that a dependency can show in one call. */
export const faultKinds = [
  /** Fails at once, with the port's typed error. */
  "fail",
  /** Takes a while, within every budget. */
  "delay",
  /** Takes longer than any budget; whoever gives up stops it before it had an effect. */
  "hang",
  /** Takes longer than any budget and has its effect all the same, after the caller has given up. */
  "late",
  /** Has its effect, and fails. */
  "lost",
  /** Has its effect twice. */
  "twice",
  /** Answers beside the question. */
  "nonsense"
] as const
export type FaultKind = typeof faultKinds[number]

export const portNames = [
  "memory.recall", "memory.write", "memory.read", "keys", "ledger.record", "ledger.find", "ledger.applyReport",
  "lanes.read", "catalog", "reasoner", "embedder", "delivery"
] as const
export type PortName = typeof portNames[number]

/** An illness of one port for a time. */
interface Illness {
  readonly port: PortName
  readonly kinds: ReadonlyArray<FaultKind>
  readonly share: number
  readonly fromMs: number
  readonly untilMs: number
}

/** One call of a dependency, as it happened to a request. */
export interface Seen {
  readonly port: PortName | "ledger.expect" | "recall" | "record" | "teach" | "reinforce" | "steps" | "promote" | "rank"
    | "classify" | "note" | "verify" | "recommend"
  readonly what: string
  readonly beganMs: number
  endedMs: number | null
  /** `cut`: its caller gave up; null when it has, and the call does not know yet. */
  end: "ok" | "failed" | "cut" | null
  value: unknown
}

/** The calls to dependencies below one request, for its checks. */
export interface Diary {
  readonly id: number
  readonly seen: Array<Seen>
  readonly faults: Array<readonly [PortName, FaultKind]>
}

/** The request that this fiber works for; null for the service's own work. */
export const Current = Context.Reference<Diary | null>("sextant/test/simulation/Current", {
  defaultValue: () => null
})

export interface Faults {
  /** The fault of this call, or null. */
  readonly next: (port: PortName, allowed: ReadonlyArray<FaultKind>) => Effect.Effect<FaultKind | null>
  /** Applies the next fault to the call. */
  readonly on: <A, E>(
    port: PortName,
    allowed: ReadonlyArray<FaultKind>,
    call: Effect.Effect<A, E>,
    failure: (cause: string) => E
  ) => Effect.Effect<A, E>
  readonly isOver: () => boolean
  readonly end: () => void
  readonly counts: Map<string, number>
}

const kindsOf = (draw: Draw): ReadonlyArray<FaultKind> =>
  draw.chance(0.3) ? [draw.of(faultKinds)] : faultKinds.filter(() => draw.chance(0.5))

/** Which ports are ill in this run, how and when. */
const illnesses = (draw: Draw, startMs: number): ReadonlyArray<Illness> =>
  portNames.flatMap((port): ReadonlyArray<Illness> => {
    if (!draw.chance(0.5)) return []
    const fromMs = startMs + (draw.chance(0.5) ? 0 : draw.between(0, 20_000))
    const untilMs = draw.chance(0.5) ? Infinity : fromMs + draw.between(1_000, 30_000)
    return [{ port, kinds: kindsOf(draw), share: draw.of([0.05, 0.2, 0.5, 1]), fromMs, untilMs }]
  })

/** Longer than every budget: no request waits for a dependency so long. */
const tooLongMs = 40_000

/** @param scope what is late goes on in it: the dependency's own, not the service's */
export const makeFaults = Effect.fnUntraced(function*(
  draw: Draw,
  scope: Scope.Scope,
  onFault: (port: PortName, kind: FaultKind) => void,
  share: number
) {
  const startMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const ill = draw.chance(share) ? illnesses(draw, startMs) : []
  const counts = new Map<string, number>()
  let isOver = false

  const next: Faults["next"] = Effect.fnUntraced(function*(port, allowed) {
    const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    const illness = ill.find((each) => each.port === port && nowMs >= each.fromMs && nowMs < each.untilMs)
    if (isOver || illness === undefined || !draw.chance(illness.share)) return null
    const kinds = illness.kinds.filter((kind) => allowed.includes(kind))
    if (kinds.length === 0) return null
    const kind = draw.of(kinds)
    counts.set(`${port}:${kind}`, (counts.get(`${port}:${kind}`) ?? 0) + 1)
    const diary = yield* Current
    diary?.faults.push([port, kind])
    onFault(port, kind)
    return kind
  })

  const on: Faults["on"] = Effect.fnUntraced(function*(port, allowed, call, failure) {
    const kind = yield* next(port, allowed)
    switch (kind) {
      case null:
      case "nonsense":
        return yield* call
      case "fail":
        return yield* Effect.fail(failure("ill"))
      case "delay":
        yield* Effect.sleep(draw.between(1, 220))
        return yield* call
      case "hang":
        yield* Effect.sleep(tooLongMs)
        return yield* Effect.fail(failure("hung"))
      case "late": {
        const lateMs = draw.of([draw.between(240, 260), draw.between(900, 1_100), draw.between(2_000, 9_000)])
        const remote = yield* Effect.forkIn(Effect.andThen(Effect.sleep(lateMs), call), scope)
        return yield* Fiber.join(remote)
      }
      case "lost":
        yield* call
        return yield* Effect.fail(failure("the answer was lost"))
      case "twice":
        yield* call
        return yield* call
    }
  })

  const faults: Faults = { next, on, counts, isOver: () => isOver, end: () => { isOver = true } }
  return faults
})

/** Records the result of a request's call. */
export const observed = <A, E, R>(
  port: Seen["port"],
  what: string,
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const diary = yield* Current
    const nowMs = Effect.clockWith((clock) => clock.currentTimeMillis)
    const seen: Seen = { port, what, beganMs: yield* nowMs, endedMs: null, end: null, value: null }
    diary?.seen.push(seen)
    return yield* Effect.onExit(call, (exit) =>
      Effect.map(nowMs, (endedMs) => {
        seen.endedMs = endedMs
        seen.end = exit._tag === "Success"
          ? "ok"
          : exit.cause.reasons.some(({ _tag }) => _tag === "Fail" || _tag === "Die") ? "failed" : "cut"
        const failure = exit._tag === "Success" ? null : exit.cause.reasons.find(({ _tag }) => _tag === "Fail")
        seen.value = exit._tag === "Success" ? exit.value : failure?._tag === "Fail" ? failure.error : null
      }))
  })
