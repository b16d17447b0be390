import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { metric } from "../../src/domain/Signals.ts"
import { collector, type Trouble, until } from "../support/Collector.ts"
import { temporaryDirectory } from "../support/Databases.ts"
import { call, type Service, start, stop } from "../support/Service.ts"

const quick = {
  OTEL_BSP_SCHEDULE_DELAY: "50",
  OTEL_BLRP_SCHEDULE_DELAY: "50",
  OTEL_METRIC_EXPORT_INTERVAL: "100",
  OTEL_EXPORTER_OTLP_TIMEOUT: "500"
}

const body = { task: { task: "Fix this failing unit test", task_type: "code", difficulty: "easy" } }
const recommend = (service: Service) => call(RecommendResponse, service, "/v1/recommend", body)

const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

const troubles: Readonly<Record<string, Trouble>> = {
  "never answers": () => {},
  "hangs up": (response) => void response.destroy(),
  "answers garbage": (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>".repeat(9)),
  "answers 503": (response) => void response.writeHead(503, { "retry-after": "3600" }).end(),
  "says a word at a time": (response) => void response.writeHead(200).write("{")
}

describe("a service whose collector", () => {
  it.live.each(Object.entries(troubles))("%s answers as ever, and stops in time", ([, trouble]) =>
    Effect.gen(function*() {
      const [directory, heard] = [yield* temporaryDirectory, yield* collector]
      heard.state.trouble = trouble
      const service = yield* start({ SEXTANT_DATA_DIR: directory, OTEL_EXPORTER_OTLP_ENDPOINT: heard.url, ...quick })
      yield* Effect.forEach(Array.from({ length: 40 }), () => recommend(service), { concurrency: 4, discard: true })
      yield* until(heard, ({ state }) => state.requests >= 3)
      const advice = yield* recommend(service)
      for (const lost of ["memory_unavailable", "recall_timeout"]) assert.notInclude(advice.warnings, lost)
      // `stop` fails after 10 s.
      assert.strictEqual(yield* stop(service), 0)
      assert.notInclude(service.stderr(), "Unhandled")
    }), 120_000)

  it.live("is out keeps a bounded number of spans, says so once, and is told when it is back", () =>
    Effect.gen(function*() {
      const [directory, heard] = [yield* temporaryDirectory, yield* collector]
      heard.state.trouble = (response) => void response.destroy()
      const service = yield* start({ SEXTANT_DATA_DIR: directory, OTEL_EXPORTER_OTLP_ENDPOINT: heard.url, ...quick })
      const many = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () => recommend(service), { concurrency: 8, discard: true })
      // Each leaves a score of spans: the queue is full long before the first measurement.
      yield* many(400)
      const beforeMb = residentMb(service.pid)
      yield* many(1_200)
      // Kept, 24,000 spans and their attributes would be some 100 MB.
      assert.isBelow(residentMb(service.pid) - beforeMb, 60)
      const complaints = () => service.stderr().match(/does not reach the collector and is dropped/g)?.length ?? 0
      assert.isAtLeast(complaints(), 1)
      assert.isAtMost(complaints(), 3)

      heard.state.trouble = null
      yield* recommend(service)
      yield* until(heard, ({ series, spans }) =>
        spans.some(({ name }) => name === "POST /v1/recommend")
        && [...series.values()].some(({ name, attributes, value }) =>
          name === metric.exports.name && attributes["sextant.telemetry.result"] === "lost" && value > 0))
      const decided = [...heard.series.values()].filter(({ name }) => name === metric.decisions.name)
      // Counts are cumulative: what was done while nobody listened is not lost.
      assert.strictEqual(decided.reduce((sum, { value }) => sum + value, 0) >= 1_600, true)
      assert.include(service.stderr(), "reaches the collector again")
      assert.strictEqual(yield* stop(service), 0)
    }), 240_000)

  it.live("is nowhere to be found is not waited for", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const service = yield* start({
        SEXTANT_DATA_DIR: directory, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", ...quick
      })
      yield* Effect.forEach(Array.from({ length: 20 }), () => recommend(service), { concurrency: 4, discard: true })
      assert.strictEqual(yield* stop(service), 0)
    }), 120_000)
})
