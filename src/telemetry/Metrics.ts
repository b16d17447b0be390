/** The metrics of the service, and the functions that record them. */
import { Clock, Context, Effect, Exit, type Fiber, Metric } from "effect"
import { attribute, metric, type MetricName } from "./SemanticConventions.ts"

/** While metrics are off, a measurement costs one read of this reference. */
export const MetricsEnabled = Context.Reference<boolean>("sextant/telemetry/Metrics/MetricsEnabled", {
  defaultValue: () => false
})

type MetricAttributes = Readonly<Record<string, string>>

/**
 * One cached object for each set of attribute values, because `effect` would compute the key of a series at
 * every update.
 */
const family = <Input, State>(make: (attributes: MetricAttributes) => Metric.Metric<Input, State>) => {
  const series = new Map<string, Metric.Metric<Input, State>>()
  return (attributes: MetricAttributes): Metric.Metric<Input, State> => {
    const key = Object.values(attributes).join("\n")
    const known = series.get(key)
    if (known !== undefined) return known
    const made = make(attributes)
    if (series.size < seriesMax) series.set(key, made)
    return made
  }
}

const seriesMax = 1_000

const counter = ({ description, name }: MetricName) =>
  family((attributes) => Metric.counter(name, { description, attributes, incremental: true }))

const gauge = ({ description, name }: MetricName) =>
  family((attributes) => Metric.gauge(name, { description, attributes }))

const histogram = ({ description, name }: MetricName, boundaries: ReadonlyArray<number>) =>
  family((attributes) => Metric.histogram(name, { description, attributes, boundaries }))

/** Upper bounds of the histogram of requests, in seconds, from the semantic conventions. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** Upper bounds of the histograms of stages and of memory's operations, s. Chosen. */
const stageSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
/** Upper bounds of the histogram of operations, s: those of the semantic conventions, and smaller ones. */
const genAiSeconds = [
  0.0001, 0.001, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92
]
/** Upper bounds of histograms of tokens: the lower ones of the semantic conventions. */
const tokenCounts = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576]

export const meters = {
  requests: histogram(metric.requests, requestSeconds),
  stages: histogram(metric.stages, stageSeconds),
  memory: histogram(metric.memory, stageSeconds),
  genAi: histogram(metric.genAi, genAiSeconds),
  tokens: histogram(metric.tokens, tokenCounts),
  decisions: counter(metric.decisions),
  warnings: counter(metric.warnings),
  feedback: counter(metric.feedback),
  trials: counter(metric.trials),
  predicted: counter(metric.predicted),
  realized: counter(metric.realized),
  costEstimated: counter(metric.costEstimated),
  costPremium: counter(metric.costPremium),
  costRealized: counter(metric.costRealized),
  costBilledEstimate: counter(metric.costBilledEstimate),
  costBilledPremium: counter(metric.costBilledPremium),
  costReasoner: counter(metric.costReasoner),
  budgetUsed: gauge(metric.budgetUsed),
  budgetShift: gauge(metric.budgetShift),
  modelsUnhealthy: gauge(metric.modelsUnhealthy),
  cacheBytes: gauge(metric.cacheBytes),
  cacheEntries: gauge(metric.cacheEntries),
  backlogWaiting: gauge(metric.backlogWaiting),
  backlogDropped: counter(metric.backlogDropped),
  retentionRefused: gauge(metric.retentionRefused),
  clockSkew: gauge(metric.clockSkew),
  rowsUnreadable: counter(metric.rowsUnreadable),
  outboxWaiting: gauge(metric.outboxWaiting),
  breakers: gauge(metric.breakers),
  exports: counter(metric.exports),
  processMemory: gauge(metric.processMemory),
  processCpu: counter(metric.processCpu),
  processUptime: gauge(metric.processUptime),
  eventLoopDelay: gauge(metric.eventLoopDelay)
}

export type AnyFiber = Fiber.Fiber<unknown, unknown>

export type Add = <State>(series: Metric.Metric<number, State>, value: number) => void

export const measure = (record: (add: Add) => void): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(MetricsEnabled)) record((series, value) => series.updateUnsafe(value, fiber.context))
    return Effect.void
  })

/** The tag of a failure (`error` if it has none), `defect` or `interrupted`; null for a success. */
const errorTypeOf = <A, E>(exit: Exit.Exit<A, E>): string | null => {
  if (Exit.isSuccess(exit)) return null
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Die") return "defect"
    if (reason._tag !== "Fail") continue
    const { error } = reason
    const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : "error"
    return typeof tag === "string" ? tag : "error"
  }
  return "interrupted"
}

type DurationSeries = (attributes: MetricAttributes) => Metric.Metric<number, Metric.HistogramState>

/** Begins a timer, and returns a function that records its seconds, as a success or an error's type. */
const beginTimer = (
  fiber: AnyFiber,
  ofSuccess: Metric.Metric<number, Metric.HistogramState>,
  ofError: (errorType: string) => Metric.Metric<number, Metric.HistogramState>
) => {
  const clock = fiber.getRef(Clock.Clock)
  const began = clock.currentTimeNanosUnsafe()
  return (errorType: string | null): void => {
    const seconds = Number(clock.currentTimeNanosUnsafe() - began) / 1e9
    const ended = errorType === null ? ofSuccess : ofError(errorType)
    ended.updateUnsafe(seconds, fiber.context)
  }
}

/** Records the duration of an effect, s; each type of error has a separate series. */
export const timed = (series: DurationSeries, attributes: MetricAttributes) => {
  const ofSuccess = series(attributes)
  const ofError = (errorType: string) => series({ ...attributes, [attribute.errorType]: errorType })
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      if (!fiber.getRef(MetricsEnabled)) return self
      const end = beginTimer(fiber, ofSuccess, ofError)
      return Effect.onExit(self, (exit) => Effect.sync(() => end(errorTypeOf(exit))))
    })
}

/** Records the duration of a function, s; an exception is recorded with the error type `defect`. */
export const timedNow = (series: DurationSeries, attributes: MetricAttributes) => {
  const ofSuccess = series(attributes)
  const ofError = (errorType: string) => series({ ...attributes, [attribute.errorType]: errorType })
  return <A>(fiber: AnyFiber, compute: () => A): A => {
    if (!fiber.getRef(MetricsEnabled)) return compute()
    const end = beginTimer(fiber, ofSuccess, ofError)
    let errorType: string | null = "defect"
    try {
      const value = compute()
      errorType = null
      return value
    } finally {
      end(errorType)
    }
  }
}

/** Registers a gauge that is read at each collection, until the scope closes. */
export const gauged = (series: Metric.Metric<number, Metric.GaugeState<number>>, read: () => number) =>
  Effect.acquireRelease(
    Effect.map(Effect.context<never>(), (context) =>
      Metric.registerUnsafe(series, context, {
        get: () => ({ value: read() }),
        update: () => {},
        modify: () => {}
      })),
    (registration) => Effect.sync(() => registration.remove())
  )
