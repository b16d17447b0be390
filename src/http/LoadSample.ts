import { Effect, Layer, Schedule, type Scope } from "effect"
import { performance } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { Admissions, type Load, makeAdmission } from "./Admission.ts"
import { limitSettings } from "./LimitSettings.ts"

const heapShareNow = (): number => {
  const { external_memory: buffers, heap_size_limit: limit, used_heap_size: used } = getHeapStatistics()
  return (used + buffers) / limit
}

/** The process's load, sampled while the scope lives: asking for it costs nothing. */
const sampleLoad: Effect.Effect<() => Load, never, Scope.Scope> = Effect.gen(function*() {
  let before = performance.eventLoopUtilization()
  let load: Load = { heapShare: heapShareNow(), loopShare: 0 }
  const sample = Effect.sync(() => {
    const now = performance.eventLoopUtilization()
    load = { heapShare: heapShareNow(), loopShare: performance.eventLoopUtilization(now, before).utilization }
    before = now
  })
  yield* Effect.forkScoped(Effect.repeat(sample, Schedule.spaced(limitSettings.sampleMs)))
  return () => load
})

/** Admission by the process's own load, or by one that a test makes up. */
export const layerAdmissions = (load?: () => Load): Layer.Layer<Admissions> =>
  Layer.effect(
    Admissions,
    Effect.map(load === undefined ? sampleLoad : Effect.succeed(load), (now) => makeAdmission(now))
  )
