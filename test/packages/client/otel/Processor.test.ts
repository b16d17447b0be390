// OpenTelemetry's SDK with the processor, on the real service, around calls of a provider that speaks chat completions.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { attributesOf, sextantProcessor, withChoice } from "../../../../packages/client/src/otel/index.ts"
import { slowMs, usage } from "../support/FakeProvider.ts"
import { onEachVersion } from "../support/Peers.ts"
import { models as ids } from "../support/RealService.ts"
import { staged } from "../support/Stage.ts"
import { appOf, loadTelemetry, type Span, type Telemetry } from "./Telemetry.ts"

const task = "Write a function that sums a list"

const stage = staged()

const evaluation = (name: string, more: object) => ({ "gen_ai.evaluation.name": name, ...more })
const scored = (name: string, value: number) => evaluation(name, { "gen_ai.evaluation.score.value": value })

onEachVersion("otel", (peers) => {
  let telemetry: Telemetry
  beforeAll(async () => {
    telemetry = await loadTelemetry(peers)
  })
  const app = (over: Parameters<typeof appOf>[3] = {}) => appOf(telemetry, stage.service, stage.provider, over)
  /** An app that has made a choice. */
  const chosen = async (over: Parameters<typeof appOf>[3] = {}) => {
    const made = app(over)
    return { ...made, ...await made.choose(task) }
  }
  const sentOf = () => stage.service.reports.map(({ sent }) => sent)

  describe("a chat's span", () => {
    it("that begins in the context of a choice reports the call, once, and forceFlush waits for it", async () => {
      const { chat, choice, context, tracerProvider } = await chosen()
      assert.isNull(await chat(context, choice))
      await tracerProvider.forceFlush()
      const [report, ...others] = stage.service.reports
      assert.isEmpty(others)
      assert.deepInclude(report?.sent, {
        recommendation_id: choice.recommendationId ?? "", chosen_model_id: choice.modelId, outcome: "success",
        evidence_source: "none", input_tokens: usage.input, cached_input_tokens: usage.cached, output_tokens: usage.output,
        reasoning_tokens: usage.reasoning, service_tier: "default"
      })
      assert.isAtLeast(report?.sent.latency_ms ?? -1, 0)
      assert.isTrue(report?.answer.accepted)
      assert.deepStrictEqual(report?.answer.warnings, [])
    })

    it("that carries the attributes of a choice reports it too, and one without them nothing", async () => {
      const { chat, choice, trace, tracer, tracerProvider } = await chosen()
      const { ROOT_CONTEXT } = telemetry.api
      await chat(ROOT_CONTEXT, choice)
      await tracerProvider.forceFlush()
      assert.isEmpty(stage.service.reports)
      await chat(trace.setSpan(ROOT_CONTEXT, tracer.startSpan("work", {}, ROOT_CONTEXT)), choice, { attributes: attributesOf(choice) })
      await tracerProvider.forceFlush()
      assert.deepStrictEqual(sentOf().map(({ chosen_model_id }) => chosen_model_id), [choice.modelId])
    })

    it("that carries the attributes of one choice keeps them in the context of another", async () => {
      const { choice, choose, tracer, tracerProvider } = await chosen()
      const { context } = await choose("Another task")
      const own = { "gen_ai.operation.name": "chat", "gen_ai.request.model": choice.modelId, ...attributesOf(choice) }
      tracer.startSpan("chat", { attributes: own }, context).end()
      await tracerProvider.forceFlush()
      assert.deepStrictEqual(sentOf().map(({ recommendation_id: id }) => id), [choice.recommendationId])
    })

    it("of a stream reports the time to its first chunk", async () => {
      const { chat, choice, context, tracerProvider } = await chosen()
      stage.provider.set(choice.modelId, "slow")
      assert.isNull(await chat(context, choice, { isStream: true }))
      await tracerProvider.forceFlush()
      const [sent] = sentOf()
      assert.isAtLeast(sent?.time_to_first_token_ms ?? 0, slowMs - 10)
      assert.isAbove(sent?.latency_ms ?? 0, sent?.time_to_first_token_ms ?? Infinity)
    })

    it("that names a model of another layer's fallback reports that model", async () => {
      const { chat, choice, context, tracerProvider } = await chosen({
        modelIdOf: (name) => name === "spare-model" ? "spare" : undefined
      })
      stage.provider.set(choice.modelId, 500)
      const other = ids.find((id) => id !== choice.modelId) ?? "dear"
      await chat(context, choice)
      await chat(context, choice, { model: other })
      await chat(context, choice, { model: "spare-model" })
      await tracerProvider.forceFlush()
      assert.sameMembers(sentOf().map(({ chosen_model_id, error_cause, outcome }) => `${chosen_model_id} ${outcome} ${error_cause ?? ""}`), [
        `${choice.modelId} failure infra`, `${other} success `, "spare success "
      ])
    })

    it("around another chat's span of the same choice is not reported again", async () => {
      const { chat, choice, context, skipped, trace, tracer, tracerProvider } = await chosen()
      const outer = tracer.startSpan("chat", { attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "any" } }, context)
      const between = tracer.startSpan("runnable", {}, trace.setSpan(context, outer))
      await chat(trace.setSpan(context, between), choice)
      between.end()
      outer.end()
      await tracerProvider.forceFlush()
      assert.lengthOf(stage.service.reports, 1)
      assert.match(skipped[0] ?? "", /^reported_below /)
    })

    it("has no part in agents and tools: their spans report nothing of their own", async () => {
      const { choice, context, tracer, tracerProvider } = await chosen()
      for (const operation of ["invoke_agent", "execute_tool", "embeddings"]) {
        tracer.startSpan(operation, {}, context)
          .setAttributes({ "gen_ai.operation.name": operation, "gen_ai.request.model": choice.modelId }).end()
      }
      tracer.startSpan("GET", {}, context).end()
      await tracerProvider.forceFlush()
      assert.isEmpty(stage.service.reports)
    })

    it("of an older instrumentation is read by its names", async () => {
      const { choice, context, tracer, tracerProvider } = await chosen()
      tracer.startSpan("openai.chat", {}, context).setAttributes({
        "gen_ai.system": "anthropic", "gen_ai.response.model": choice.modelId, "gen_ai.usage.prompt_tokens": 200,
        "gen_ai.usage.cache_read_input_tokens": 1000, "gen_ai.usage.completion_tokens": 30, "gen_ai.usage.reasoning_tokens": 7
      }).end()
      await tracerProvider.forceFlush()
      assert.deepInclude(sentOf()[0], {
        chosen_model_id: choice.modelId, input_tokens: 1200, cached_input_tokens: 1000, output_tokens: 30, reasoning_tokens: 7
      })
    })

    it("counts its tokens by the rule of all readers, also by the names of AI SDK", async () => {
      const { choice, context, tracer, tracerProvider } = await chosen()
      const spans = [
        { "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 300, "gen_ai.usage.cache_read.input_tokens": 5758,
          "gen_ai.usage.cache_creation.input_tokens": 6174 },
        { "gen_ai.system": "gemini", "gen_ai.usage.input_tokens": 900, "gen_ai.usage.output_tokens": 2000,
          "gen_ai.usage.reasoning_tokens": 1500 },
        { "ai.usage.inputTokens": 5000, "ai.usage.outputTokens": 400, "ai.usage.cachedInputTokens": 4000,
          "ai.response.msToFirstChunk": 250 }
      ]
      for (const attributes of spans) {
        tracer.startSpan("chat", {}, context).setAttributes({ "gen_ai.request.model": choice.modelId, ...attributes }).end()
      }
      await tracerProvider.forceFlush()
      const counted = sentOf().map(({ cached_input_tokens: cached, input_tokens: input, output_tokens: output, time_to_first_token_ms }) =>
        [input, cached, output, time_to_first_token_ms])
      assert.sameDeepMembers(counted, [
        [11_935, 5_758, 300, undefined], [900, undefined, 3_500, undefined], [5_000, 4_000, 400, 250]
      ])
    })
  })

  describe("a call that fails", () => {
    const reportOf = async (behaviour: 429 | 500 | 503 | "broken" | 403 | 404 | 400) => {
      const { chat, choice, context, skipped, tracerProvider } = await chosen()
      stage.provider.set(choice.modelId, behaviour)
      assert.isNotNull(await chat(context, choice))
      await tracerProvider.forceFlush()
      return { sent: sentOf(), skipped }
    }

    for (const behaviour of [429, 500, 503, "broken", 403, 404] as const) {
      it(`with ${behaviour} is reported as infra`, async () => {
        const { sent } = await reportOf(behaviour)
        assert.lengthOf(sent, 1)
        assert.deepInclude(sent[0], { outcome: "failure", error_cause: "infra", evidence_source: "none" })
      })
    }

    it("with 400 is the caller's, and is not reported", async () => {
      const { sent, skipped } = await reportOf(400)
      assert.isEmpty(sent)
      assert.match(skipped[0] ?? "", /^callers_error 400/)
    })

    it("because it was aborted is reported as partial", async () => {
      const { chat, choice, context, tracerProvider } = await chosen()
      stage.provider.set(choice.modelId, "silent")
      const controller = new AbortController()
      const answer = chat(context, choice, { signal: controller.signal })
      controller.abort()
      await answer
      await tracerProvider.forceFlush()
      assert.deepStrictEqual(sentOf().map(({ outcome }) => outcome), ["partial"])
    })

    for (const [type, message, end] of [
      ["RateLimitError", "", "infra"], ["overloaded_error", "", "infra"], ["timeout", "", "infra"],
      ["APIConnectionTimeoutError", "", "infra"], ["_OTHER", "Error code: 529 - overloaded", "infra"],
      ["BadRequestError", "500 tokens are too many", null], ["ValueError", "a bad gateway of ours", null]
    ] as const) {
      it(`with the type ${type} ${message === "" ? "" : `and the words "${message}" `}is ${end === null ? "the caller's" : "an outage"}`, async () => {
        const { choice, context, tracer, tracerProvider } = await chosen()
        tracer.startSpan("chat", {}, context)
          .setAttributes({ "gen_ai.operation.name": "chat", "gen_ai.request.model": choice.modelId, "error.type": type })
          .setStatus({ code: 2, message }).end()
        await tracerProvider.forceFlush()
        assert.deepStrictEqual(sentOf().map(({ error_cause }) => error_cause), end === null ? [] : [end])
      })
    }

    it("in its finish reason alone is a failure without a cause", async () => {
      const { choice, context, tracer, tracerProvider } = await chosen()
      tracer.startSpan("chat", {}, context).setAttributes({
        "gen_ai.operation.name": "chat", "gen_ai.request.model": choice.modelId, "gen_ai.response.finish_reasons": ["error"]
      }).end()
      await tracerProvider.forceFlush()
      assert.deepInclude(sentOf()[0], { outcome: "failure", evidence_source: "none" })
      assert.notProperty(sentOf()[0], "error_cause")
    })
  })

  describe("an evaluation", () => {
    const result = "gen_ai.evaluation.result"
    const verdicts = () => sentOf().filter(({ evidence_source }) => evidence_source !== "none")

    it("on the span is a verdict by its rule", async () => {
      const { chat, choice, context, skipped, tracerProvider } = await chosen({
        evaluations: {
          tests: { source: "gate", labels: { green: 1, red: 0 } },
          Relevance: { source: "judge", worst: 1, best: 5, threshold: 3 },
          Toxicity: { source: "judge", worst: 1, best: 0 },
          Ignored: null
        },
        otherEvaluations: { source: "human" }
      })
      await chat(context, choice, {
        before: (span: Span) => {
          span.addEvent(result, evaluation("tests", { "gen_ai.evaluation.score.label": "Green", "gen_ai.evaluation.explanation": "all" }))
          span.addEvent(result, scored("Relevance", 3))
          span.addEvent(result, scored("Toxicity", 0.25))
          span.addEvent(result, scored("Ignored", 1))
          span.addEvent(result, scored("Stars", 0.5))
          span.addEvent(result, scored("Relevance", 7))
          span.addEvent(result, evaluation("tests", { "gen_ai.evaluation.score.label": "purple" }))
          span.addEvent(result, evaluation("tests", { "error.type": "timeout" }))
        }
      })
      await tracerProvider.forceFlush()
      assert.sameDeepMembers(verdicts().map(({ chosen_model_id, evidence_source, notes, outcome, quality_score }) =>
        [chosen_model_id, evidence_source, outcome, quality_score, notes ?? ""]), [
        [choice.modelId, "gate", "success", 1, "all"], [choice.modelId, "judge", "success", 0.8, ""],
        [choice.modelId, "judge", "partial", 0.75, ""], [choice.modelId, "human", "partial", 0.5, ""]
      ])
      // A judge's word on what a gate has decided is kept, and counts less.
      assert.deepStrictEqual([...new Set(stage.service.reports.flatMap(({ answer }) => answer.warnings))], ["outcome_outranked"])
      assert.sameMembers(skipped, ["unknown_score Relevance", "unknown_score tests", "evaluation_failed tests"])
    })

    it("in a log after the span is a verdict on it, by its context or by the id of the response", async () => {
      const { chat, choice, context, logger, tracer, trace, tracerProvider } = await chosen()
      let span: Span | undefined
      await chat(context, choice, { before: (one) => void (span = one.setAttribute("gen_ai.response.id", "resp_7")) })
      if (span === undefined) throw new Error("no span")
      logger.emit({ eventName: result, attributes: { "event.name": result, ...scored("Relevance", 0.9) }, context: trace.setSpan(telemetry.api.ROOT_CONTEXT, span) })
      const judge = tracer.startSpan("judge", {}, telemetry.api.ROOT_CONTEXT)
      logger.emit({
        eventName: result, attributes: { "event.name": result, ...scored("Tone", 0.2), "gen_ai.response.id": "resp_7" },
        context: trace.setSpan(telemetry.api.ROOT_CONTEXT, judge)
      })
      judge.end()
      await tracerProvider.forceFlush()
      assert.sameDeepMembers(verdicts().map(({ outcome, quality_score, recommendation_id }) => [recommendation_id, outcome, quality_score]), [
        [choice.recommendationId, "success", 0.9], [choice.recommendationId, "failure", 0.2]
      ])
    })

    it("in a log while its span runs waits for the span's end", async () => {
      const { chat, choice, context, logger, trace, tracerProvider } = await chosen()
      await chat(context, choice, {
        before: (span) => logger.emit({
          eventName: result, attributes: { "event.name": result, ...scored("Relevance", 1) }, context: trace.setSpan(context, span)
        })
      })
      await tracerProvider.forceFlush()
      assert.deepStrictEqual(verdicts().map(({ chosen_model_id }) => chosen_model_id), [choice.modelId])
    })

    it("in both counts once", async () => {
      const { chat, choice, context, logger, trace, tracerProvider } = await chosen()
      await chat(context, choice, {
        before: (span) => {
          span.addEvent(result, scored("Relevance", 1))
          logger.emit({ eventName: result, attributes: { "event.name": result, ...scored("Relevance", 1) }, context: trace.setSpan(context, span) })
        }
      })
      await tracerProvider.forceFlush()
      assert.lengthOf(new Set(verdicts().map(({ idempotency_key }) => idempotency_key)), 1)
    })

    it("in a log of another process needs the id of the recommendation alone", async () => {
      const { chat, choice, context, tracerProvider } = await chosen()
      await chat(context, choice)
      await tracerProvider.forceFlush()
      const { logger, processor } = app()
      logger.emit({ eventName: result, attributes: { "event.name": result, ...scored("Relevance", 1), "sextant.recommendation_id": choice.recommendationId } })
      await processor.forceFlush()
      assert.deepStrictEqual(verdicts().map(({ recommendation_id }) => recommendation_id), [choice.recommendationId])
      assert.isTrue(stage.service.reports.every(({ answer }) => answer.accepted && answer.warnings.length === 0))
    })

    it("is taken whatever its name and its words are", async () => {
      const { chat, choice, context, sextant, tracerProvider } = await chosen()
      // The key is cut: within a pair of surrogates for one of these names.
      const names = ["Answer relevance", "", `${"x".repeat(149)}😀`, `${"x".repeat(150)}😀`, "__proto__", "x".repeat(5_000)]
      await chat(context, choice, {
        before: (span) => {
          for (const name of names) span.addEvent(result, { ...scored(name, 1), "gen_ai.evaluation.explanation": "😀".repeat(5_000) })
        }
      })
      await tracerProvider.forceFlush()
      assert.lengthOf(verdicts(), names.length)
      assert.strictEqual(sextant.dropped(), 0)
    })

    it("of nothing that is known is named when the processor ends", async () => {
      const { context, logger, skipped, trace, tracer, tracerProvider } = await chosen()
      const span = tracer.startSpan("work", {}, telemetry.api.ROOT_CONTEXT)
      logger.emit({ eventName: result, attributes: { "event.name": result, ...scored("Relevance", 1) }, context: trace.setSpan(context, span) })
      logger.emit({ eventName: result, attributes: { "event.name": result, ...scored("Tone", 1) } })
      logger.emit({ eventName: "other", attributes: scored("Other", 1) })
      await tracerProvider.shutdown()
      await new Promise((resolve) => setTimeout(resolve, 0))
      assert.sameMembers(skipped, ["unknown_call Tone", "unknown_call Relevance"])
      assert.isEmpty(stage.service.reports)
    })
  })

  describe("a service that is down", () => {
    it("marks no span and costs the program nothing", async () => {
      stage.service.set("down")
      const { chat, choice, context, tracerProvider } = await chosen()
      assert.deepInclude(choice, { source: "default", recommendationId: null })
      assert.deepStrictEqual(attributesOf(choice), {})
      assert.isNull(await chat(context, choice))
      await tracerProvider.forceFlush()
      await tracerProvider.shutdown()
      assert.isEmpty(stage.service.reports)
    })

    it("after the choice loses the report visibly, and the program goes on", async () => {
      const { chat, choice, context, sextant, tracerProvider } = await chosen()
      stage.service.set(503)
      assert.isNull(await chat(context, choice))
      await tracerProvider.forceFlush()
      assert.strictEqual(sextant.dropped(), 1)
    })
  })

  describe("a processor", () => {
    it("does no harm when it is given what it cannot read", () => {
      const { processor } = app()
      const hostile = new Proxy({}, {
        get: () => {
          throw new Error("hostile")
        }
      })
      assert.doesNotThrow(() => processor.onEnd(hostile as never))
      assert.doesNotThrow(() => processor.onStart(hostile as never, hostile as never))
      assert.doesNotThrow(() => processor.onEmit(hostile as never))
      assert.strictEqual(withChoice(telemetry.api.ROOT_CONTEXT, { recommendationId: "r", modelId: "m" })
        .getValue(Symbol.for("sextant.choice")) instanceof Object, true)
    })

    it("is not made with a rule that is wrong: the error names the evaluation", () => {
      const { sextant } = app()
      const make = (rule: object) => () => sextantProcessor({ sextant, evaluations: { Tone: rule as never } })
      for (const rule of [
        {}, { source: "oracle" }, { source: "judge", worst: 1 }, { source: "judge", threshold: 0 }, { source: "judge", threshold: 2 },
        { source: "judge", worst: 1, best: 0, threshold: 1 }, { source: "judge", best: NaN }, { source: "judge", labels: { x: 2 } }
      ]) assert.throws(make(rule), TypeError, /Tone/)
      assert.doesNotThrow(make({ source: "judge", worst: 1, best: 0, threshold: 0.3 }))
    })
  })
})
