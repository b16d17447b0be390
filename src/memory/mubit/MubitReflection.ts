/* Decides when the hosted backend is asked to reflect on a lane, and asks it in the background. */
import { Effect, type Scope } from "effect"
import type { LaneId } from "../../domain/Scope.ts"
import { BoundedMap } from "../../resilience/BoundedMap.ts"
import type { MemoryUnavailable } from "../Memory.ts"
import type { Observation, Taught } from "../MemoryWrite.ts"
import type { MubitSettings } from "./MubitSettings.ts"

/** What this process has taught a lane. */
interface Lesson {
  taught: number
  /** Outcomes since the last multiple of the rule's number: an outcome that is sent again counts once. */
  readonly recent: Set<string>
  /** A reflection is asked for and has not gone out. */
  isPending: boolean
}

type TaughtSoFar = Pick<Taught, "laneTaught" | "reflectionTriggered">

/**
 * Counts what is taught and asks the backend to reflect by our rule: after every 25th outcome of a lane and
 * after a failure at a gate. Counted is what this process taught since it started, so that several processes
 * ask at several 25ths, and a repeat from before the last 25th counts again; what a reflection does twice is
 * the backend's to notice. It is asked a pause later, off the caller's path, once for all that made it due
 * meanwhile; a failure is logged, and the next outcome that makes one due asks again. One that is due when
 * the process ends is not asked for.
 */
export const makeReflections = Effect.fnUntraced(function*(
  settings: MubitSettings,
  reflect: (scope: LaneId) => Effect.Effect<void, MemoryUnavailable>
): Effect.fn.Return<
  { readonly taught: (observation: Observation) => Effect.Effect<TaughtSoFar> },
  never,
  Scope.Scope
> {
  const processScope = yield* Effect.scope
  const { every, pauseMs } = settings.memory.reflection
  const lanes = new BoundedMap<string, Lesson>(settings.rememberedMax)

  const laneOf = ({ accountId, lane }: LaneId): Lesson => {
    const name = JSON.stringify([accountId, lane])
    const known = lanes.get(name) ?? { taught: 0, recent: new Set<string>(), isPending: false }
    lanes.set(name, known)
    return known
  }

  const reflectSoon = Effect.fnUntraced(function*({ accountId, lane }: LaneId, counted: Lesson) {
    if (counted.isPending) return
    counted.isPending = true
    yield* Effect.sleep(pauseMs).pipe(
      Effect.andThen(Effect.sync(() => {
        counted.isPending = false
      })),
      Effect.andThen(reflect({ accountId, lane })),
      Effect.catch((failure) =>
        Effect.logWarning("The memory backend was not asked to reflect", failure.cause).pipe(
          Effect.annotateLogs({ accountId, lane })
        )),
      Effect.forkIn(processScope)
    )
  })

  return {
    taught: Effect.fnUntraced(function*(observation) {
      const { teaches } = observation
      const counted = laneOf(observation)
      const isGateFailure = teaches && observation.provenance === "gate" && observation.outcome === "failure"
      if (!teaches || counted.recent.has(observation.observationId)) {
        return { laneTaught: counted.taught, reflectionTriggered: isGateFailure }
      }
      counted.taught++
      const isRound = counted.taught % every === 0
      if (isRound) counted.recent.clear()
      counted.recent.add(observation.observationId)
      if (isRound || isGateFailure) yield* reflectSoon(observation, counted)
      return { laneTaught: counted.taught, reflectionTriggered: isRound || isGateFailure }
    })
  }
})
