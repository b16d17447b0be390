/** Environment variables of OpenTelemetry that the service reads. */
import { Config, Option, Schema } from "effect"

const Milliseconds = Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 600_000 }))
const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const samplers = [
  "always_on", "always_off", "traceidratio",
  "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"
] as const

const milliseconds = (name: string, fallback: number) =>
  Config.schema(Milliseconds, name).pipe(Config.withDefault(fallback))

const exporter = (name: string) =>
  Config.Literals(["otlp", "none"], name).pipe(
    Config.withDefault("otlp"),
    Config.map((which) => which === "otlp")
  )

const endpoint = (name: string) =>
  Config.option(Config.String(name)).pipe(Config.map(Option.filter((url) => url !== "")))

/**
 * The variables have OpenTelemetry's names. The exporters themselves read `OTEL_EXPORTER_OTLP_HEADERS`,
 * `_TIMEOUT`, `_COMPRESSION` and `_CERTIFICATE`.
 */
export const TelemetryConfig = Config.all({
  isDisabled: Config.Boolean("OTEL_SDK_DISABLED").pipe(Config.withDefault(false)),
  protocol: Config.String("OTEL_EXPORTER_OTLP_PROTOCOL").pipe(Config.withDefault("http/json")),
  serviceName: Config.String("OTEL_SERVICE_NAME").pipe(Config.withDefault("sextant")),
  resourceAttributes: Config.String("OTEL_RESOURCE_ATTRIBUTES").pipe(Config.withDefault("")),
  endpoints: Config.all({
    traces: endpoint("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
    metrics: endpoint("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"),
    logs: endpoint("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
  }),
  exports: Config.all({
    traces: exporter("OTEL_TRACES_EXPORTER"),
    metrics: exporter("OTEL_METRICS_EXPORTER"),
    logs: exporter("OTEL_LOGS_EXPORTER")
  }),
  sampler: Config.Literals(samplers, "OTEL_TRACES_SAMPLER").pipe(Config.withDefault("parentbased_always_on")),
  samplerShare: Config.schema(Share, "OTEL_TRACES_SAMPLER_ARG").pipe(Config.withDefault(1)),
  metricIntervalMs: milliseconds("OTEL_METRIC_EXPORT_INTERVAL", 60_000),
  metricTimeoutMs: milliseconds("OTEL_METRIC_EXPORT_TIMEOUT", 30_000),
  spanDelayMs: milliseconds("OTEL_BSP_SCHEDULE_DELAY", 5_000),
  logDelayMs: milliseconds("OTEL_BLRP_SCHEDULE_DELAY", 1_000),
  /** True if spans may contain texts of callers. */
  capturesContent: Config.Boolean("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").pipe(
    Config.withDefault(false)
  )
})
export type TelemetryConfig = Config.Success<typeof TelemetryConfig>
