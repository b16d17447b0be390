/** Exports telemetry, counts that, and logs when exports start or stop to fail. */
import { OTLPExporterBase } from "@opentelemetry/otlp-exporter-base"
import {
  convertLegacyHttpOptions, createOtlpHttpExportDelegate
} from "@opentelemetry/otlp-exporter-base/node-http"
import type { IExporterMetricsHelper, ISerializer } from "@opentelemetry/otlp-transformer"
import { Effect, type Context } from "effect"
import { meters } from "../Metrics.ts"
import { attribute } from "../SemanticConventions.ts"

export type Signal = "traces" | "metrics" | "logs"

/**
 * Sends a signal over OTLP/HTTP with JSON, as OpenTelemetry's exporter of each signal does, which is a
 * package of its own around these lines. The environment's variables say how.
 */
export const exporterOf = <Items, Response>(
  signal: Signal,
  urlOf: (signal: Signal) => string,
  serializer: ISerializer<Items, Response>,
  helper: IExporterMetricsHelper<Items>
): OTLPExporterBase<Items> => {
  const headers = { "Content-Type": "application/json" }
  const options = { url: urlOf(signal) }
  return new OTLPExporterBase(createOtlpHttpExportDelegate(
    convertLegacyHttpOptions(options, signal.toUpperCase(), `v1/${signal}`, headers),
    serializer, `otlp_http_${signal}_exporter`, helper, undefined
  ))
}

/** What the exporters of all three signals have in common; OpenTelemetry has no type for it. */
interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number }) => void): void
}

/**
 * Counts exports that succeed and fail, and logs when that changes: OpenTelemetry itself logs nothing, and a
 * line for every lost batch would be one every few seconds during an outage of the collector.
 *
 * @param context loggers that do not themselves use the exporter
 */
export const watched = <Items, E extends Exporter<Items>>(
  exporter: E & Exporter<Items>,
  signal: Signal,
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

/** What processors and readers of all signals have in common at their end. */
interface Flushed {
  forceFlush(): Promise<void>
  shutdown(): Promise<void>
}

/**
 * Makes the end of a processor or reader succeed, with a warning, when its last batch could not be sent.
 * `@effect/opentelemetry` 4.1.0 turns a rejected `forceFlush` or `shutdown` into a defect of a finalizer, and
 * a service stopped by a signal would then exit with code 1 while its collector is unavailable.
 *
 * @param context loggers that do not themselves use the exporter
 */
export const flushedQuietly = <Part extends Flushed>(
  part: Part & Flushed,
  signal: Signal,
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
