/** How the process is doing, measured four times a second. */
import { Effect, Layer, Schedule, type Scope } from "effect"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { Admissions, type Load, makeAdmission } from "./Admission.ts"
import { limitSettings } from "./LimitSettings.ts"
import { processorQuota } from "./ProcessorQuota.ts"

const heapShareNow = (): number => {
  const { external_memory: buffers, heap_size_limit: limit, used_heap_size: used } = getHeapStatistics()
  return (used + buffers) / limit
}

/** Processor time of the thread that answers requests, ms. */
const processorMsNow = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** The thread that answers requests runs on one core at most. */
const coresAvailable = (): number => Math.min(1, processorQuota() ?? 1)

/**
 * Measures how much of the processor time that it may have the process used, and by how much the event loop
 * was late and busy. The loop's own utilisation goes by the wall clock: it counts the time in which a starved
 * process was not let run. So it says how many may run at once, and refuses nothing by itself.
 */
const makeSampling: Effect.Effect<() => Load, never, Scope.Scope> = Effect.gen(function*() {
  const { delayResolutionMs, quotaEverySamples } = limitSettings
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
  let cores = coresAvailable()
  let samples = 0
  return () => {
    const now = { processorMs: processorMsNow(), atMs: performance.now() }
    const wallMs = Math.max(1, now.atMs - before.atMs)
    const processorShare = (now.processorMs - before.processorMs) / wallMs / cores
    const loopDelayMs = delays.count === 0 ? 0 : Math.max(0, delays.mean / 1e6 - delayResolutionMs)
    const loop = performance.eventLoopUtilization()
    const loopShare = performance.eventLoopUtilization(loop, loopBefore).utilization
    loopBefore = loop
    before = now
    delays.reset()
    if (++samples % quotaEverySamples === 0) cores = coresAvailable()
    return { heapShare: heapShareNow(), processorShare, loopDelayMs, loopShare }
  }
})

/** Admission by the process's own load, sampled while the scope lives: asking for the load costs nothing. */
const admissionByLoad = Effect.gen(function*() {
  const sample = yield* makeSampling
  let load: Load = { heapShare: heapShareNow(), processorShare: 0, loopDelayMs: 0, loopShare: 0 }
  const admission = makeAdmission(() => load)
  const renew = Effect.sync(() => {
    load = sample()
    admission.reconsider()
  })
  yield* Effect.forkScoped(Effect.repeat(renew, Schedule.spaced(limitSettings.sampleMs)))
  return admission
})

/** Admission by the process's own load, or by one that a test makes up. */
export const layerAdmissions = (load?: () => Load): Layer.Layer<Admissions> =>
  Layer.effect(
    Admissions,
    load === undefined ? admissionByLoad : Effect.sync(() => makeAdmission(load))
  )
