/* Measures the load of the process four times a second. */
import { Effect, Layer, Schedule, type Scope } from "effect"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { Admissions, type Load, makeAdmission } from "./Admission.ts"
import { limitSettings } from "./LimitSettings.ts"

const heapShareNow = (): number => {
  const { external_memory: buffers, heap_size_limit: limit, used_heap_size: used } = getHeapStatistics()
  return (used + buffers) / limit
}

const processorMsNow = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/**
 * The event loop's delay rises if the operating system grants the process less than one core. The event
 * loop's utilisation includes time in which the process was not idle, but waited for a core.
 */
const makeSampling: Effect.Effect<() => Load, never, Scope.Scope> = Effect.gen(function*() {
  const { delayResolutionMs } = limitSettings
  const delays = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: delayResolutionMs })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  let before = { processorMs: processorMsNow(), atMs: performance.now() }
  let loopBefore = performance.eventLoopUtilization()
  return () => {
    const now = { processorMs: processorMsNow(), atMs: performance.now() }
    const wallMs = Math.max(1, now.atMs - before.atMs)
    const processorShare = (now.processorMs - before.processorMs) / wallMs
    const loopDelayMs = delays.count === 0 ? 0 : Math.max(0, delays.mean / 1e6 - delayResolutionMs)
    const loop = performance.eventLoopUtilization()
    const loopShare = performance.eventLoopUtilization(loop, loopBefore).utilization
    loopBefore = loop
    before = now
    delays.reset()
    return { heapShare: heapShareNow(), processorShare, loopDelayMs, loopShare }
  }
})

const admissionByLoad = Effect.gen(function*() {
  const sample = yield* makeSampling
  let load: Load = { heapShare: heapShareNow(), processorShare: 0, loopDelayMs: 0, loopShare: 0 }
  const admission = makeAdmission(() => load)
  const refresh = Effect.sync(() => {
    load = sample()
    admission.reconsider()
  })
  yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(limitSettings.sampleMs)))
  return admission
})

export const layerAdmissions = (load?: () => Load): Layer.Layer<Admissions> =>
  Layer.effect(
    Admissions,
    load === undefined ? admissionByLoad : Effect.sync(() => makeAdmission(load))
  )
