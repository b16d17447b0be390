/** Metrics of the process: memory, processor time, event loop. */
import { Effect, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { gauged, meters } from "../Metrics.ts"
import { attribute } from "../SemanticConventions.ts"

/** Resolution of the event loop's delay, ms, which is Node's default. */
const resolutionMs = 10

const spent = (mode: "user" | "system") =>
  Effect.acquireRelease(
    Effect.map(Effect.context<never>(), (context) =>
      Metric.registerUnsafe(meters.processCpu({ [attribute.cpuMode]: mode }), context, {
        get: () => ({ count: process.cpuUsage()[mode] / 1e6, incremental: true }),
        update: () => {},
        modify: () => {}
      })),
    (registration) => Effect.sync(() => registration.remove())
  )

export const processMetrics = Effect.gen(function*() {
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  yield* gauged(meters.eventLoopDelay({}), () => {
    const seconds = delay.count === 0 ? 0 : delay.percentile(99) / 1e9
    delay.reset()
    return seconds
  })
  yield* gauged(meters.processMemory({}), () => process.memoryUsage.rss())
  yield* gauged(meters.processUptime({}), () => process.uptime())
  yield* spent("user")
  yield* spent("system")
})
