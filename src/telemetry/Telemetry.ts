import { Effect, Layer, References } from "effect"
import { version } from "../domain/System.ts"

/** Without a collector nobody sees a span, so none is made: a request would make a score of them. */
export const layerOff: Layer.Layer<never> = Layer.succeed(References.TracerEnabled, false)

/**
 * Traces, metrics and logs over OTLP/HTTP. The SDK is loaded only here, so that a service without an endpoint
 * pays nothing for it.
 *
 * @param endpoint base URL of a collector; `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended
 */
export const layer = (endpoint: string) =>
  Layer.unwrap(Effect.promise(async () => {
    const [NodeSdk, traces, metrics, logs, traceExporter, metricExporter, logExporter] = await Promise.all([
      import("@effect/opentelemetry/NodeSdk"),
      import("@opentelemetry/sdk-trace-base"),
      import("@opentelemetry/sdk-metrics"),
      import("@opentelemetry/sdk-logs"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/exporter-metrics-otlp-http"),
      import("@opentelemetry/exporter-logs-otlp-http")
    ])
    const at = (signal: string) => ({ url: `${endpoint.replace(/\/$/, "")}/v1/${signal}` })
    return NodeSdk.layer(() => ({
      resource: { serviceName: "sextant", serviceVersion: version },
      spanProcessor: new traces.BatchSpanProcessor(new traceExporter.OTLPTraceExporter(at("traces"))),
      metricReader: new metrics.PeriodicExportingMetricReader({
        exporter: new metricExporter.OTLPMetricExporter(at("metrics"))
      }),
      logRecordProcessor: new logs.BatchLogRecordProcessor({
        exporter: new logExporter.OTLPLogExporter(at("logs"))
      }),
      loggerMergeWithExisting: true
    }))
  }))
