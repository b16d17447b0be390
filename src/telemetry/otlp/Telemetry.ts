/** Telemetry over OTLP; no telemetry if no endpoint is configured. */
import { Effect, Layer, References } from "effect"
import { MetricsEnabled } from "../Metrics.ts"
import { CaptureContent } from "../Spans.ts"
import { processMetrics } from "./Process.ts"
import { TelemetryConfig } from "./TelemetryConfig.ts"

/** Turns spans off, because without a collector all spans of a request would be discarded. */
export const layerOff: Layer.Layer<never> = Layer.succeed(References.TracerEnabled, false)

/**
 * Imports the SDK only when this layer is built, so that a service without an endpoint does not pay for it.
 * @param endpoint base URL of a collector
 */
export const layer = (endpoint: string) =>
  Layer.unwrap(Effect.gen(function*() {
    const config = yield* TelemetryConfig
    if (config.isDisabled) return layerOff
    if (config.protocol !== "http/json") {
      yield* Effect.logWarning("OTEL_EXPORTER_OTLP_PROTOCOL is ignored: telemetry goes out as http/json")
    }
    const sdk = yield* Effect.promise(() => import("./Sdk.ts"))
    return Layer.mergeAll(
      sdk.layer(endpoint, config),
      Layer.succeed(References.TracerEnabled, config.exports.traces),
      Layer.succeed(MetricsEnabled, config.exports.metrics),
      Layer.succeed(CaptureContent, config.capturesContent),
      config.exports.metrics ? Layer.effectDiscard(processMetrics) : Layer.empty
    )
  }))
