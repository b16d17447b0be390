// Spans and logs that no good instrumentation makes: what they say is bounded, and nothing of them is lost silently.
import { assert, describe, it } from "@effect/vitest"
import type { FeedbackRequest } from "../../../../packages/client/src/index.ts"
import { type ProcessorOptions, type ReadableSpanLike, sextantProcessor } from "../../../../packages/client/src/otel/index.ts"

const result = "gen_ai.evaluation.result"
const huge = "x".repeat(1_000_000)

/** A processor on a client that notes its reports. */
const processed = (over: Partial<ProcessorOptions> = {}) => {
  const reports: Array<FeedbackRequest> = []
  const skipped: Array<string> = []
  const sextant = {
    models: ["a", "b"],
    report: (report: FeedbackRequest) => reports.push(report) > 0,
    flush: async () => true
  }
  const processor = sextantProcessor({ sextant, onSkipped: (reason) => void skipped.push(reason), ...over })
  return { processor, reports, skipped, sextant }
}

let spans = 0
const spanOf = (attributes: object, over: object = {}): ReadableSpanLike => {
  const spanId = String(spans++)
  return {
    spanContext: () => ({ traceId: "t", spanId }),
    attributes: { "sextant.recommendation_id": "r", "gen_ai.operation.name": "chat", "gen_ai.request.model": "a", ...attributes },
    status: { code: 0 }, events: [], duration: [1, 5e8], ...over
  }
}
const evaluationOf = (more: object = {}) => ({ "gen_ai.evaluation.name": "Tone", "gen_ai.evaluation.score.value": 1, ...more })
const logOf = (spanId: string | undefined, attributes: object) => ({
  eventName: result, attributes, spanContext: spanId === undefined ? undefined : { traceId: "t", spanId }
})
const settled = () => new Promise((resolve) => setTimeout(resolve))

describe("a span", () => {
  it("whose numbers are none is reported without them", () => {
    const { processor, reports } = processed()
    for (const odd of [NaN, Infinity, -Infinity, -1, 1e300, "12", 12n, null, {}, [12], true]) {
      processor.onEnd(spanOf(Object.fromEntries([
        "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.reasoning.output_tokens", "gen_ai.response.time_to_first_chunk"
      ].map((name) => [name, odd])), { duration: typeof odd === "number" ? [odd, odd] : [1, 0] }))
    }
    assert.lengthOf(reports, 11)
    for (const report of reports) {
      const numbers = Object.entries(report).filter(([name, value]) => /tokens|_ms$/.test(name) && value !== undefined && name !== "latency_ms")
      assert.deepStrictEqual(numbers, [])
      assert.isTrue((report.latency_ms ?? 0) >= 0)
    }
  })

  it("that lacks what every span has, or throws when read, is reported or said as unreadable", async () => {
    const hostile = new Proxy({}, { get: () => { throw new Error("hostile") } })
    const odd = [
      { duration: undefined }, { status: undefined }, { events: undefined }, { events: [null] }, { status: hostile }, { duration: 5 },
      { events: [{ name: "exception", attributes: hostile }], status: { code: 2 } }, { spanContext: () => { throw new Error("x") } },
      { attributes: hostile }, { attributes: undefined }
    ]
    for (const over of odd) {
      const { processor, reports, skipped } = processed()
      assert.doesNotThrow(() => processor.onEnd(spanOf({}, over)))
      await settled()
      assert.isTrue(reports.length === 1 || skipped.includes("unreadable"), Object.keys(over).join())
    }
  })

  it("whose ids have more characters than an id is no call, and nothing of it is remembered", async () => {
    const { processor, reports, skipped } = processed()
    processor.onEnd(spanOf({ "sextant.recommendation_id": huge }))
    processor.onEnd(spanOf({ "gen_ai.request.model": huge }))
    processor.onEnd(spanOf({ "gen_ai.response.id": huge }))
    assert.lengthOf(reports, 1)
    processor.onEmit(logOf(undefined, evaluationOf({ "gen_ai.response.id": huge })))
    processor.onEmit(logOf(undefined, evaluationOf({ "sextant.recommendation_id": huge })))
    await settled()
    assert.deepStrictEqual([reports.length, skipped], [1, ["unknown_call", "unknown_call"]])
  })

  it("whose error has a megabyte of any words is read, and its note is short", () => {
    const { processor, reports } = processed()
    const words = ["Timeout" + "Abort".repeat(200_000), " ".repeat(1_000_000), "API".repeat(300_000), "a ".repeat(500_000), "connection ".repeat(90_000)]
    for (const word of words) {
      processor.onEnd(spanOf({ "error.type": word }, { status: { code: 2, message: word } }))
      processor.onEnd(spanOf({}, { status: { code: 2, message: word }, events: [{ name: "exception", attributes: { "exception.type": word, "exception.message": word } }] }))
    }
    assert.isAbove(reports.length, 0)
    for (const { notes } of reports) assert.isAtMost(notes?.length ?? 0, 300)
  })

  it("is reported though the callbacks around it throw", () => {
    const thrower = () => { throw new Error("caller's") }
    const { processor, reports } = processed({ modelIdOf: thrower, onSkipped: thrower })
    processor.onEnd(spanOf({}, { events: [{ name: result, attributes: evaluationOf({ "gen_ai.evaluation.score.value": NaN }) }] }))
    assert.deepStrictEqual(reports.map(({ chosen_model_id: id }) => id), ["a"])
  })

  it("that two processors see has one key in both reports, so that it counts once", () => {
    const first = processed()
    const second = sextantProcessor({ sextant: first.sextant })
    const span = spanOf({}, { events: [{ name: result, attributes: evaluationOf() }] })
    for (const { onEnd } of [first.processor, second]) onEnd(span)
    assert.lengthOf(first.reports, 4)
    assert.lengthOf(new Set(first.reports.map(({ idempotency_key: key }) => key)), 2)
  })
})

describe("an evaluation", () => {
  it("of a span that never ends waits with a thousand others at most; each lost one is said", async () => {
    const { processor, reports, skipped } = processed()
    const count = 20_000
    for (let i = 0; i < count; i++) {
      processor.onEmit(logOf(`open-${i % 5_000}`, evaluationOf({ "gen_ai.evaluation.name": `e${i}`, "gen_ai.evaluation.explanation": huge })))
    }
    await settled()
    assert.strictEqual(skipped.length, count - 1_000)
    await Promise.all([processor.shutdown(), processor.shutdown()])
    await settled()
    assert.deepStrictEqual([skipped.length, reports], [count, []])
  })

  it("whose score or label is none is told, whatever it is", async () => {
    const { processor, reports, skipped } = processed()
    const odd = [NaN, Infinity, -0.1, 1.1, "1", null, {}, [1], true]
    for (const value of odd) {
      processor.onEnd(spanOf({ "gen_ai.operation.name": "x" }, {
        events: [{ name: result, attributes: evaluationOf({ "gen_ai.evaluation.score.value": value }) }]
      }))
    }
    for (const label of ["__proto__", "constructor", huge, 5, {}]) {
      processor.onEnd(spanOf({ "gen_ai.operation.name": "x" }, {
        events: [{ name: result, attributes: { "gen_ai.evaluation.score.label": label } }, { name: result }]
      }))
    }
    await settled()
    assert.deepStrictEqual(reports, [])
    assert.deepStrictEqual(skipped, Array(odd.length + 10).fill("unknown_score"))
  })

  it("in a log without attributes, or of another name, is nobody's", async () => {
    const { processor, reports, skipped } = processed()
    for (const record of [{}, { eventName: "other" }, { attributes: undefined }, { attributes: { "event.name": 5 } }, { eventName: result }]) {
      assert.doesNotThrow(() => processor.onEmit(record as never))
    }
    await settled()
    assert.deepStrictEqual([reports, skipped], [[], ["unknown_score"]])
  })
})

describe("a processor that ends", () => {
  it("while spans end and others flush waits for the queue each time, and goes on to report", async () => {
    let flushes = 0
    const { processor, reports } = processed()
    const slow = sextantProcessor({
      sextant: { models: ["a"], report: (report) => reports.push(report) > 0, flush: async () => (await settled(), ++flushes > 0) }
    })
    const ends = [slow.forceFlush(), slow.shutdown(), slow.forceFlush(), slow.shutdown()]
    slow.onEnd(spanOf({}))
    await Promise.all(ends)
    slow.onEnd(spanOf({}))
    processor.onEnd(spanOf({}))
    assert.deepStrictEqual([flushes, reports.length], [4, 3])
  })
})
