/** Sends telemetry by OpenTelemetry's SDK. `Telemetry.ts` loads this file only if an endpoint is set. */
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import * as OtelMetrics from "@effect/opentelemetry/OtelMetrics"
import {
  JsonLogsSerializer, JsonMetricsSerializer, JsonTraceSerializer, LogsExporterMetricsHelper,
  MetricsExporterMetricsHelper, TraceExporterMetricsHelper
} from "@opentelemetry/otlp-transformer"
import { BatchLogRecordProcessor } from "@opentelemetry/sdk-logs"
import { type MetricProducer, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics"
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-node"
import { Effect, Layer, Option, Tracer } from "effect"
import { randomUUID } from "node:crypto"
import { version } from "../../domain/Version.ts"
import { metrics } from "../SemanticConventions.ts"
import { exporterOf, flushedQuietly, type Signal } from "./Exports.ts"
import { sampledTracer } from "./SampledTracer.ts"
import { samplerOf } from "./Sampling.ts"
import type { TelemetryConfig } from "./TelemetryConfig.ts"

const shutdownTimeout = "1500 millis"

/** Maximum number of waiting spans, so that they do not fill the memory while a collector is unavailable. */
const spansMax = 2_048
const spanLimits = { attributeValueLengthLimit: 4_096, attributeCountLimit: 64, eventCountLimit: 16 }

const withUnits = (producer: MetricProducer): MetricProducer => ({
  collect: async (options) => {
    const { errors, resourceMetrics } = await producer.collect(options)
    const scopeMetrics = resourceMetrics.scopeMetrics.map((scoped) => ({
      ...scoped,
      metrics: scoped.metrics.map((each) => {
        const unit = metrics.get(each.descriptor.name)?.unit
        return unit === undefined ? each : { ...each, descriptor: { ...each.descriptor, unit } }
      })
    }))
    return { resourceMetrics: { ...resourceMetrics, scopeMetrics }, errors }
  }
})

/** @param endpoint base URL of a collector, for signals whose URL is not configured separately */
export const layer = (endpoint: string, config: TelemetryConfig) =>
  Layer.unwrap(Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const urlOf = (signal: Signal) =>
      Option.getOrElse(config.endpoints[signal], () => `${endpoint.replace(/\/+$/, "")}/v1/${signal}`)
    const isNamed = /(^|,)\s*service\.instance\.id\s*=/.test(config.resourceAttributes)
    const sdk = NodeSdk.layer(() => ({
      resource: {
        serviceName: config.serviceName,
        serviceVersion: version,
        // Without an instance id, two copies of the service would write the same series.
        attributes: isNamed ? {} : { "service.instance.id": randomUUID() }
      },
      ...(config.exports.traces && {
        spanProcessor: flushedQuietly(new BatchSpanProcessor(
          exporterOf("traces", urlOf("traces"), JsonTraceSerializer, TraceExporterMetricsHelper, context),
          { scheduledDelayMillis: config.spanDelayMs, maxQueueSize: spansMax }
        ), "traces", context),
        tracerConfig: { sampler: samplerOf(config), spanLimits }
      }),
      ...(config.exports.logs && {
        logRecordProcessor: flushedQuietly(new BatchLogRecordProcessor({
          exporter: exporterOf("logs", urlOf("logs"), JsonLogsSerializer, LogsExporterMetricsHelper, context),
          scheduledDelayMillis: config.logDelayMs
        }), "logs", context)
      }),
      loggerMergeWithExisting: true,
      shutdownTimeout
    }))
    const traced = config.exports.traces
      ? Layer.provideMerge(Layer.effect(Tracer.Tracer, Effect.map(Tracer.Tracer, sampledTracer)), sdk)
      : sdk
    if (!config.exports.metrics) return traced
    const collected = Layer.effectDiscard(Effect.gen(function*() {
      const producer = withUnits(yield* OtelMetrics.makeProducer("cumulative"))
      const reader = () => flushedQuietly(new PeriodicExportingMetricReader({
        exporter: exporterOf(
          "metrics", urlOf("metrics"), JsonMetricsSerializer, MetricsExporterMetricsHelper, context
        ),
        exportIntervalMillis: config.metricIntervalMs,
        exportTimeoutMillis: Math.min(config.metricTimeoutMs, config.metricIntervalMs)
      }), "metrics", context)
      yield* OtelMetrics.registerProducer(producer, reader, { shutdownTimeout })
    }))
    return collected.pipe(Layer.provideMerge(traced))
  }))
