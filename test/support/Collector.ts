import { Effect, Schema, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { gunzipSync } from "node:zlib"
import { bodyOf, startHttpServer } from "./HttpServer.ts"

/* A collector over a real socket: it reads OTLP/HTTP with JSON as the specification spells it, or makes trouble. */

const AnyValue: Schema.Codec<unknown> = Schema.Record(Schema.String, Schema.Unknown)
const KeyValue = Schema.Struct({ key: Schema.String, value: AnyValue })
const Attributes = Schema.Array(KeyValue)
const Resource = Schema.Struct({ attributes: Attributes })
const Hex = (digits: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[0-9a-f]{${digits}}$`)))

const WireSpan = Schema.Struct({
  traceId: Hex(32),
  spanId: Hex(16),
  parentSpanId: Schema.optionalKey(Hex(16)),
  name: Schema.NonEmptyString,
  kind: Schema.Int,
  attributes: Attributes
})
const Traces = Schema.Struct({
  resourceSpans: Schema.Array(Schema.Struct({
    resource: Resource,
    scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(WireSpan) }))
  }))
})

const DataPoint = Schema.Struct({
  attributes: Attributes,
  asDouble: Schema.optionalKey(Schema.Finite),
  asInt: Schema.optionalKey(Schema.Unknown),
  count: Schema.optionalKey(Schema.Finite),
  sum: Schema.optionalKey(Schema.Finite)
})
const Points = Schema.Struct({ dataPoints: Schema.Array(DataPoint) })
const WireMetric = Schema.Struct({
  name: Schema.NonEmptyString,
  unit: Schema.String,
  description: Schema.String,
  sum: Schema.optionalKey(Schema.Struct({ ...Points.fields, isMonotonic: Schema.Boolean })),
  gauge: Schema.optionalKey(Points),
  histogram: Schema.optionalKey(Points)
})
const Metrics = Schema.Struct({
  resourceMetrics: Schema.Array(Schema.Struct({
    resource: Resource,
    scopeMetrics: Schema.Array(Schema.Struct({ metrics: Schema.Array(WireMetric) }))
  }))
})

const LogRecord = Schema.Struct({
  traceId: Schema.optionalKey(Schema.String),
  spanId: Schema.optionalKey(Schema.String),
  severityText: Schema.String,
  body: AnyValue
})
const Logs = Schema.Struct({
  resourceLogs: Schema.Array(Schema.Struct({
    resource: Resource,
    scopeLogs: Schema.Array(Schema.Struct({ logRecords: Schema.Array(LogRecord) }))
  }))
})

type Named = Readonly<Record<string, unknown>>

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly isServer: boolean
  readonly attributes: Named
}

export interface Series {
  readonly name: string
  readonly unit: string
  readonly kind: "counter" | "gauge" | "histogram"
  readonly attributes: Named
  /** The value; of a histogram the count. */
  readonly value: number
}

export type Trouble = (response: ServerResponse, path: string) => void

export interface Collector {
  readonly url: string
  /** Every body as it was sent, for searches for secrets. */
  readonly bodies: Array<string>
  readonly headers: Array<IncomingMessage["headers"]>
  readonly resources: Array<Named>
  readonly spans: Array<Span>
  /** The latest value of each series, since values are cumulative. */
  readonly series: Map<string, Series>
  readonly logs: Array<typeof LogRecord.Type>
  /** Errors of bodies that could not be read, which show a fault of the exporter. */
  readonly unreadable: Array<string>
  readonly state: { trouble: Trouble | null; requests: number }
}

const plain = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if ("arrayValue" in value) {
    const { values = [] } = value.arrayValue as { readonly values?: ReadonlyArray<unknown> }
    return values.map(plain)
  }
  return Object.values(value)[0]
}

const named = (attributes: typeof Attributes.Type): Named =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))

const takers: Readonly<Record<string, (collector: Collector, body: unknown) => void>> = {
  "/v1/traces": (collector, body) => {
    for (const { resource, scopeSpans } of Schema.decodeUnknownSync(Traces)(body).resourceSpans) {
      collector.resources.push(named(resource.attributes))
      for (const { attributes, kind, name, parentSpanId, spanId, traceId } of scopeSpans.flatMap((each) => each.spans)) {
        collector.spans.push({
          traceId, spanId, name, parentSpanId: parentSpanId ?? null, isServer: kind === 2, attributes: named(attributes)
        })
      }
    }
  },
  "/v1/metrics": (collector, body) => {
    for (const { resource, scopeMetrics } of Schema.decodeUnknownSync(Metrics)(body).resourceMetrics) {
      collector.resources.push(named(resource.attributes))
      for (const { gauge, histogram, name, sum, unit } of scopeMetrics.flatMap((each) => each.metrics)) {
        const kind = histogram !== undefined ? "histogram" : sum?.isMonotonic === true ? "counter" : "gauge"
        for (const point of (histogram ?? sum ?? gauge)?.dataPoints ?? []) {
          const attributes = named(point.attributes)
          const value = Number(point.count ?? point.asDouble ?? point.asInt)
          collector.series.set(JSON.stringify([name, attributes]), { name, unit, kind, attributes, value })
        }
      }
    }
  },
  "/v1/logs": (collector, body) => {
    for (const { resource, scopeLogs } of Schema.decodeUnknownSync(Logs)(body).resourceLogs) {
      collector.resources.push(named(resource.attributes))
      collector.logs.push(...scopeLogs.flatMap((each) => each.logRecords))
    }
  }
}

const read = async (request: IncomingMessage): Promise<string> => {
  const bytes = await bodyOf(request)
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8")
}

/** A collector on a free port, until the scope closes. */
export const collector: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function*() {
  const heard: Omit<Collector, "url"> = {
    bodies: [], headers: [], resources: [], spans: [], series: new Map(), logs: [], unreadable: [],
    state: { trouble: null, requests: 0 }
  }
  const { port } = yield* startHttpServer((request, response) => {
    const path = request.url ?? ""
    heard.state.requests++
    if (heard.state.trouble !== null) {
      request.resume()
      return heard.state.trouble(response, path)
    }
    read(request).then((body) => {
      heard.bodies.push(body)
      heard.headers.push(request.headers)
      const take = takers[path]
      if (take === undefined || request.headers["content-type"] !== "application/json") {
        heard.unreadable.push(`${path} ${request.headers["content-type"]}`)
      } else take({ url: "", ...heard }, JSON.parse(body))
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    }).catch((error) => {
      heard.unreadable.push(String(error))
      response.writeHead(400).end()
    })
  })
  return { url: `http://127.0.0.1:${port}`, ...heard }
})

/** Waits until `holds` is true; fails after 30 s, and shows everything that the collector has heard. */
export const until = (heard: Collector, holds: (heard: Collector) => boolean) =>
  Effect.gen(function*() {
    for (let tries = 0; tries < 600 && !holds(heard); tries++) yield* Effect.sleep("50 millis")
    if (!holds(heard)) {
      return yield* Effect.die(new Error(`The collector did not hear it: ${heard.unreadable.join("; ")}
        ${[...new Set(heard.spans.map(({ name }) => name))].join(", ")}
        ${[...heard.series.keys()].join(", ")}`))
    }
  })
