import { Effect, type Context } from "effect"
import { meters } from "../Metrics.ts"
import { attribute } from "../SemanticConventions.ts"

/** What an exporter of any signal has: OpenTelemetry types the three apart. */
interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number }) => void): void
}

/**
 * Counts what is sent and what could not be, and logs when that changes: OpenTelemetry itself keeps silent,
 * and a line for every lost batch would be one every few seconds for as long as a collector is out.
 *
 * @param context of the loggers that do not go through the exporter themselves
 */
export const watched = <Items, E extends Exporter<Items>>(
  exporter: E & Exporter<Items>,
  signal: "traces" | "metrics" | "logs",
  context: Context.Context<never>
): E => {
  const run = Effect.runForkWith(context)
  const send = exporter.export.bind(exporter)
  let isArriving: boolean | null = null
  exporter.export = (items: Items, done) =>
    send(items, (result) => {
      const isSent = result.code === 0
      const attributes = { [attribute.signal]: signal, [attribute.result]: isSent ? "sent" : "lost" }
      meters.exports(attributes).updateUnsafe(1, context)
      if (isSent !== (isArriving ?? true)) {
        run(isSent
          ? Effect.logInfo("Telemetry reaches the collector again", { signal })
          : Effect.logWarning("Telemetry does not reach the collector and is dropped", { signal }))
      }
      isArriving = isSent
      done(result)
    })
  return exporter
}

/** What a processor or a reader of any signal has at its end. */
interface Flushed {
  forceFlush(): Promise<void>
  shutdown(): Promise<void>
}

/**
 * Makes the end of a processor or reader succeed where its last batch could not be sent, with a warning.
 * `@effect/opentelemetry` 4.1.0 turns a rejected `forceFlush` or `shutdown` into a defect of a finalizer, and
 * a service whose collector is out would then end a stop by signal with exit code 1.
 *
 * @param context of the loggers that do not go through the exporter themselves
 */
export const flushedQuietly = <Part extends Flushed>(
  part: Part & Flushed,
  signal: "traces" | "metrics" | "logs",
  context: Context.Context<never>
): Part => {
  const run = Effect.runForkWith(context)
  const warn = (cause: unknown) =>
    void run(Effect.logWarning("Telemetry was not flushed at the end", { signal }, cause))
  const [flush, shutdown] = [part.forceFlush.bind(part), part.shutdown.bind(part)]
  part.forceFlush = () => flush().catch(warn)
  part.shutdown = () => shutdown().catch(warn)
  return part
}
