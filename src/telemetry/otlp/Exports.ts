/** Exports telemetry, counts the exports, and logs when they begin to fail or stop failing. */
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
 * Makes an exporter of one signal over OTLP/HTTP with JSON. OpenTelemetry itself logs nothing, and a line for
 * every lost batch would flood the log, so each change between success and failure is logged.
 * @param context has loggers that do not use this exporter
 */
export const exporterOf = <Items, Response>(
  signal: Signal,
  url: string,
  serializer: ISerializer<Items, Response>,
  helper: IExporterMetricsHelper<Items>,
  context: Context.Context<never>
): OTLPExporterBase<Items> => {
  const headers = { "Content-Type": "application/json" }
  const exporter = new OTLPExporterBase(createOtlpHttpExportDelegate(
    convertLegacyHttpOptions({ url }, signal.toUpperCase(), `v1/${signal}`, headers),
    serializer, `otlp_http_${signal}_exporter`, helper, undefined
  ))
  const run = Effect.runForkWith(context)
  const send = exporter.export.bind(exporter)
  let isArriving: boolean | null = null
  exporter.export = (items, done) =>
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

interface Flushed {
  forceFlush(): Promise<void>
  shutdown(): Promise<void>
}

/**
 * Ends with a warning if the last batch cannot be sent. `@effect/opentelemetry` 4.1.0 would turn a failed
 * last batch into a defect, and the stopping service would exit with code 1.
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
