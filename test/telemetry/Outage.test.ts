import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Logger } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import * as Telemetry from "../../src/telemetry/otlp/Telemetry.ts"
import { metric } from "../../src/telemetry/SemanticConventions.ts"
import { collector, type Trouble, until } from "../support/Collector.ts"
import { dataDirectory } from "../support/Databases.ts"
import { isFullRun } from "../support/FullRun.ts"
import { awaitLog, requestJson, type Service, startService, stopService } from "../support/Service.ts"

/** More often than anybody would, with little patience. */
const quick = {
  OTEL_BSP_SCHEDULE_DELAY: "50",
  OTEL_BLRP_SCHEDULE_DELAY: "50",
  OTEL_METRIC_EXPORT_INTERVAL: "100",
  OTEL_EXPORTER_OTLP_TIMEOUT: "500"
}

const body = { task: { task: "Fix this failing unit test", task_type: "code", difficulty: "easy" } }
const recommend = (service: Service) => requestJson(RecommendResponse, service, "/v1/recommend", body)

/** A service with an endpoint for its telemetry, and so many recommendations, some at once. */
const served = Effect.fnUntraced(function*(endpoint: string, recommendations: number) {
  const service = yield* startService({
    SEXTANT_DATA_DIR: yield* dataDirectory, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...quick
  })
  yield* Effect.forEach(Array.from({ length: recommendations }), () => recommend(service), { concurrency: 8, discard: true })
  return service
})

/** What is still held, in MB, once everything else has been collected. */
const heldMb = (): number => {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  if (typeof collect === "function") collect()
  return process.memoryUsage().heapUsed / 1_048_576
}

/** The first stands for all but in `npm run test:faults`. */
const troubles: Readonly<Record<string, Trouble>> = {
  "never answers": () => {},
  "hangs up": (response) => void response.destroy(),
  "answers garbage": (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>".repeat(9)),
  "answers 503": (response) => void response.writeHead(503, { "retry-after": "3600" }).end(),
  "says a word at a time": (response) => void response.writeHead(200).write("{")
}

describe("A service whose collector", () => {
  it.live.each(Object.entries(troubles).slice(0, isFullRun ? undefined : 1))("%s answers as usual, and stops in time", ([, trouble]) =>
    Effect.gen(function*() {
      const heard = yield* collector
      heard.state.trouble = trouble
      const service = yield* served(heard.url, 40)
      yield* until(heard, ({ state }) => state.requests >= 3)
      const advice = yield* recommend(service)
      for (const lost of ["memory_unavailable", "recall_timeout"]) assert.notInclude(advice.warnings, lost)
      // `stop` fails after 10 s.
      assert.strictEqual(yield* stopService(service), 0, service.stderr())
      assert.notInclude(service.stderr(), "Unhandled")
    }), 120_000)

  it.live("is unavailable logs it once, loses no count, and logs the recovery", () =>
    Effect.gen(function*() {
      const heard = yield* collector
      heard.state.trouble = (response) => void response.destroy()
      const service = yield* served(heard.url, 200)
      yield* until(heard, ({ state }) => state.requests >= 10)
      const complaints = () => service.stderr().match(/does not reach the collector and is dropped/g)?.length ?? 0
      assert.isAtLeast(complaints(), 1)
      assert.isAtMost(complaints(), 3)

      heard.state.trouble = null
      yield* recommend(service)
      yield* until(heard, ({ series, spans }) =>
        spans.some(({ name }) => name === "POST /v1/recommend")
        && [...series.values()].some(({ name, attributes, value }) =>
          name === metric.exports.name && attributes["sextant.telemetry.result"] === "lost" && value > 0))
      // Counts are cumulative: what was done while nobody listened is not lost. The first to arrive may be older.
      yield* until(heard, ({ series }) =>
        [...series.values()].reduce((sum, { name, value }) => sum + (name === metric.decisions.name ? value : 0), 0) === 201)
      // The service logs it after the collector has answered, so the line may come later than what it received.
      yield* awaitLog(service, "reaches the collector again")
      assert.strictEqual(yield* stopService(service), 0)
    }), 120_000)

  it.live("does not exist does not wait for it", () =>
    Effect.gen(function*() {
      const service = yield* served("http://127.0.0.1:9", 20)
      assert.strictEqual(yield* stopService(service), 0)
    }), 120_000)
})

describe("Spans that no collector accepts", () => {
  it.live.each(["never answers", "hangs up"].slice(0, isFullRun ? undefined : 1))("are dropped when there are too many: the collector %s", (name) =>
    Effect.gen(function*() {
      const heard = yield* collector
      heard.state.trouble = troubles[name] ?? null
      const requests = (count: number) =>
        Effect.gen(function*() {
          for (let i = 0; i < count; i++) {
            yield* Effect.logInfo("a line", "x".repeat(500)).pipe(
              Effect.withSpan(`request ${i}`, { kind: "server", attributes: { text: "x".repeat(500) + i } })
            )
            if (i % 200 === 0) yield* Effect.sleep("2 millis")
          }
        })
      yield* Effect.gen(function*() {
        // The queues are full long before the first measurement.
        yield* requests(5_000)
        const before = heldMb()
        yield* requests(30_000)
        // Kept, those would be more than 30 MB of their texts alone.
        assert.isBelow(heldMb() - before, 20)
        assert.isAbove(heard.state.requests, 0)
      }).pipe(
        Effect.provide([Telemetry.layer(heard.url), Logger.layer([])]),
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: quick })))
      )
    }), 120_000)
})
