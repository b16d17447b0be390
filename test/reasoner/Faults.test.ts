import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger, Option, Redacted, References, Schedule, Tracer } from "effect"
import type { ServerResponse } from "node:http"
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import type { Contender, ReasonerDisabled, ReasonerFailed } from "../../src/reasoner/Reasoner.ts"
import { Reasoner } from "../../src/reasoner/Reasoner.ts"
import { type ReasonerSettings, reasonerSettings } from "../../src/reasoner/ReasonerSettings.ts"
import type { protocols } from "../../src/reasoner/remote/Protocols.ts"
import * as ReasonerModel from "../../src/reasoner/remote/ReasonerModel.ts"
import { accountOf, card, snapshot } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"
import { fakeReasoner, type FakeReasoner, type Script, type Trouble, wrapped } from "./fake.ts"

const secret = "canary-0123456789abcdef"
const settings: ReasonerSettings = { ...reasonerSettings, timeoutMs: 400 }

const contenders: ReadonlyArray<Contender> = [
  { modelId: "a", predictedSuccess: 0.5, priceClass: "low" },
  { modelId: "b", predictedSuccess: 0.75, priceClass: "high" }
]

const ask = (task = "sum a list") =>
  Reasoner.use((reasoner) => reasoner.rank(accountOf(), task, contenders))
const sort = Reasoner.use((reasoner) => reasoner.classify(accountOf(), "sum a list"))

/** What a failure says, and costs. */
const trouble = <A, R>(
  asking: Effect.Effect<A, ReasonerFailed | ReasonerDisabled, R>
) =>
  Effect.map(Effect.flip(asking), (failure) =>
    failure._tag === "ReasonerDisabled"
      ? assert.fail("there is no reasoner")
      : { _tag: failure._tag, reason: failure.reason.message, costUsd: failure.costUsd })

const status = (code: number, headers = {}): Trouble => (response) => {
  response.writeHead(code, headers)
  response.end(`{"error":{"message":"Incorrect API key provided: ${secret}"}}`)
}
const body = (text: string | Buffer, headers = {}): Trouble => (response) => {
  response.writeHead(200, { "content-type": "application/json", ...headers })
  response.end(text)
}
const drip: Trouble = (response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write(" "), 20)
  response.once("close", () => clearInterval(timer))
}
const flood: Trouble = (response) => {
  response.writeHead(200)
  const more = (): void => {
    while (!response.destroyed && response.write("x".repeat(65_536))) { /* as fast as it is taken */ }
    if (!response.destroyed) response.once("drain", more)
  }
  more()
}
const part = (response: ServerResponse): void => {
  response.writeHead(200, { "content-length": "1000" })
  response.write("{\"choices\":[")
  setImmediate(() => response.destroy())
}

const unheard = "No usable answer: TransportError"
const broken = "Answered with status 200: DecodeError"
const garbled = "Answered with status 200: not the protocol's answer"
const misshapen = "The answer cannot be used: not of the form that was asked for"
const useless = "The answer cannot be used: nothing usable in it"

/** By name: what goes wrong, what it is called, and whether it may have cost something. */
const outages: Readonly<Record<string, readonly [Trouble, reason: string, costs: boolean]>> = {
  "never answers": [() => undefined, "No answer within 400 ms", true],
  "sends headers and no more": [(response) => void response.writeHead(200).flushHeaders(), "No answer within 400 ms", true],
  "sends byte after byte": [drip, "No answer within 400 ms", true],
  "answers 429": [status(429, { "retry-after": "3600" }), "Answered with status 429", false],
  "answers 500": [status(500), "Answered with status 500", false],
  "answers 503": [status(503), "Answered with status 503", false],
  "answers 401": [status(401), "The credentials are refused: status 401", false],
  "answers 404": [status(404), "Answered with status 404", false],
  "answers 204": [status(204), "Answered with status 204", false],
  "resets the connection": [(response) => void response.socket?.resetAndDestroy(), unheard, false],
  "breaks off": [part, broken, true],
  "sends a huge answer": [body("x".repeat(10_000_000)), broken, true],
  "sends without end": [flood, broken, true],
  "sends garbage": [body("<html>welcome</html>"), garbled, true],
  "sends nothing": [body(""), garbled, true],
  "sends null": [body("null"), garbled, true],
  "sends compressed bytes": [body(gzipSync("{}"), { "content-encoding": "gzip" }), garbled, true],
  "sends a bomb": [body(gzipSync(Buffer.alloc(50_000_000, 0x20)), { "content-encoding": "gzip" }), garbled, true],
  "sends no HTTP": [(response) => void response.socket?.end("\u0001noise\r\n"), unheard, false],
  "sends deep JSON": [body("[".repeat(100_000) + "]".repeat(100_000)), garbled, true],
  "sends another protocol": [body("{\"choices\":[],\"content\":{}}"), garbled, true]
}

const entry = (id: string, chance: unknown) => ({ model_id: id, predicted_success: chance, rationale: "" })

/** A protocol's answer whose content is these parts. */
const partsOf = (driver: keyof typeof protocols, ...content: ReadonlyArray<object>) =>
  JSON.stringify(driver === "openai" ? { choices: [{ message: { content } }] } : { content })

const classified = "{\"task_type\":\"code\",\"difficulty\":\"hard\"}"
const quoting = JSON.stringify({ ranking: [{ ...entry("a", 0.75), rationale: "{a} </think> ```" }] })

/** How models that know no structured output say that a task is hard code. */
const wrappings: Readonly<Record<string, string>> = {
  "in a fence": `\`\`\`json\n${classified}\n\`\`\``,
  "in a fence without a language": `\n\`\`\`\n${classified}\n\`\`\`\n`,
  "in a fence on one line": `\`\`\`${classified}\`\`\``,
  "after its thoughts": `<think>\nA {task} of {"task_type":"qa"}?\n</think>\n\n${classified}`,
  "after thoughts that the template began": `Maybe {"task_type":"qa"}.</think>${classified}`,
  "in a fence after its thoughts": `<thinking>code</thinking>\n\`\`\`json\n${classified}\n\`\`\``,
  "in a sentence": `Here it is: ${classified}\nAsk me more.`,
  "in a list": `[${classified}]`,
  "in capitals": "{\"task_type\":\"Code\",\"difficulty\":\"HARD\"}"
}

/** Answers that are of no use, though the service is well. */
const nonsense: Readonly<Record<string, readonly [answer: unknown, reason: string]>> = {
  "prose": ["I would use a.", misshapen],
  "half an answer": ["{\"ranking\":[{\"model_id\":\"a\",", misshapen],
  "another shape": [{ ranking: { a: 1 } }, misshapen],
  "a chance in words": [{ ranking: [entry("a", "high")] }, misshapen],
  "no entry": [{ ranking: [] }, useless],
  "thoughts without end": [`<think> {"ranking":[]} or ${quoting}`, misshapen],
  "two objects": [`${quoting} ${quoting}`, misshapen],
  "unknown models": [{ ranking: [entry("c", 1), entry("A", 1), entry("", 1)] }, useless],
  "impossible chances": [{ ranking: [entry("a", 7), entry("b", -1)] }, useless]
}

const withDriver = (
  driver: keyof typeof protocols,
  fake: Pick<FakeReasoner, "url">,
  over: Partial<ReasonerSettings> = {}
) =>
  ReasonerModel.layer(
    driver,
    { url: fake.url, model: "judge", apiKey: Option.some(Redacted.make(secret)) },
    { ...settings, ...over }
  ).pipe(Layer.provide(catalogOf(snapshot([
    { ...card("judge"), inputCostPerMtok: 1, outputCostPerMtok: 10 }
  ]))))

describe.each(["openai", "anthropic"] as const)("A reasoner behind the %s driver", (driver) => {
  it.live("is sent its key and a schema, and its answer is yielded", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      yield* Effect.gen(function*() {
        const { answer, costUsd } = yield* ask()
        assert.deepStrictEqual(answer, [
          { modelId: "a", predictedSuccess: 0.75, rationale: "fits" },
          { modelId: "b", predictedSuccess: 0.875, rationale: "fits" }
        ])
        // 400 tokens at 1 USD and 100 at 10 USD per million.
        assert.closeTo(costUsd ?? 0, 0.0014, 1e-12)
        assert.deepStrictEqual((yield* sort).answer, { taskType: "translation", difficulty: "easy" })
      }).pipe(Effect.provide(withDriver(driver, fake)))
      const [ranked] = fake.heard
      const isOpenAi = driver === "openai"
      assert.strictEqual(ranked?.path, isOpenAi ? "/v1/chat/completions" : "/v1/messages")
      assert.strictEqual(ranked?.headers[isOpenAi ? "authorization" : "x-api-key"], isOpenAi ? `Bearer ${secret}` : secret)
      assert.isUndefined(ranked?.headers["traceparent"])
      const { model, ...sent } = JSON.parse(ranked?.body ?? "")
      assert.strictEqual(model, "judge")
      assert.strictEqual(sent.max_completion_tokens ?? sent.max_tokens, 1_660)
      const schema = isOpenAi ? sent.response_format.json_schema.schema : sent.tools[0].input_schema
      assert.deepStrictEqual(
        schema.properties.ranking.items.required, ["model_id", "predicted_success", "rationale"]
      )
      assert.isFalse(schema.additionalProperties)
    }))

  it.live("has the usable part of its answer kept: known models, each once, with a probability", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      fake.state.script = () => ({
        ranking: [entry("b", 7), entry("b", 0.25), entry("b", 0.5), entry("c", 1), { ...entry("a", 1), more: [] }]
      })
      const { answer } = yield* ask().pipe(Effect.provide(withDriver(driver, fake)))
      assert.deepStrictEqual(answer.map(({ modelId, predictedSuccess }) => [modelId, predictedSuccess]), [
        ["b", 0.25], ["a", 1]
      ])
    }))

  it.live.each(Object.entries(wrappings))("that answers %s is heard (case 25)", ([, answer]) =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      const hard = { taskType: "code", difficulty: "hard" }
      yield* Effect.gen(function*() {
        fake.state.script = () => answer
        assert.deepStrictEqual((yield* sort).answer, hard)
        fake.state.trouble = body(partsOf(driver, { type: "thinking", thinking: "{}" }, { type: "text", text: answer }))
        assert.deepStrictEqual((yield* sort).answer, hard)
      }).pipe(Effect.provide(withDriver(driver, fake)))
    }))

  it.live("may quote marks of thoughts and fences in its answer", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      fake.state.trouble = body(partsOf(driver, { type: "text", text: quoting }))
      const { answer } = yield* ask().pipe(Effect.provide(withDriver(driver, fake)))
      assert.deepStrictEqual(answer, [{ modelId: "a", predictedSuccess: 0.75, rationale: "{a} </think> ```" }])
    }))

  it.live.each(Object.entries(outages))("that %s fails with that reason, costs what it may have cost, and opens its circuit", (
    [, [make, reason, costs]]
  ) =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      fake.state.trouble = make
      const breaker = { ...settings.breaker, failuresMax: 2, openMs: 60_000 }
      yield* Effect.gen(function*() {
        for (let i = 0; i < 2; i++) {
          const failure = yield* trouble(ask())
          assert.deepInclude(failure, { _tag: "ReasonerFailed", reason })
          if (costs) assert.isAbove(Number(failure.costUsd), 0)
          else assert.strictEqual(failure.costUsd, 0)
        }
        assert.strictEqual(fake.heard.length, 2)
        assert.strictEqual((yield* trouble(ask())).costUsd, null)
        assert.strictEqual(fake.heard.length, 2)
      }).pipe(Effect.provide(withDriver(driver, fake, { breaker })))
    }))

  it.live.each(Object.entries(nonsense))("that answers %s fails with that reason, and is asked again", (
    [, [answer, reason]]
  ) =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      fake.state.script = () => answer
      const breaker = { ...settings.breaker, failuresMax: 1, openMs: 60_000 }
      yield* Effect.gen(function*() {
        const { reason: why, costUsd } = yield* trouble(ask())
        // A protocol whose model hands over values has no half of them, and no words.
        assert.include([reason, ...(typeof answer === "string" ? [misshapen] : [])], why)
        assert.closeTo(Number(costUsd), 0.0014, 1e-12)
        yield* trouble(ask())
      }).pipe(Effect.provide(withDriver(driver, fake, { breaker })))
      assert.strictEqual(fake.heard.length, 2)
    }))

  it.live("that calls a tool of its own fails", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      const tool_calls = [{ id: "a", type: "function", function: { name: "shell", arguments: "{}" } }]
      const message = { role: "assistant", content: null, tool_calls }
      fake.state.trouble = body(JSON.stringify({ choices: [{ index: 0, finish_reason: "tool_calls", message }] }))
      const { reason } = yield* trouble(ask()).pipe(Effect.provide(withDriver(driver, fake)))
      assert.include([misshapen, garbled], reason)
    }))

  it.live("that refuses a question keeps its circuit closed", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      const breaker = { ...settings.breaker, failuresMax: 1, openMs: 60_000 }
      yield* Effect.gen(function*() {
        for (const code of [400, 413, 422]) {
          fake.state.trouble = status(code)
          assert.deepInclude(yield* trouble(ask()), { reason: `The request is rejected: status ${code}`, costUsd: 0 })
        }
      }).pipe(Effect.provide(withDriver(driver, fake, { breaker })))
      assert.strictEqual(fake.heard.length, 3)
    }))

  it.live("has no redirect followed, so that its key goes to no other server", () =>
    Effect.gen(function*() {
      const [fake, elsewhere] = [yield* fakeReasoner, yield* fakeReasoner]
      yield* Effect.gen(function*() {
        for (const code of [301, 302, 307, 308]) {
          fake.state.trouble = status(code, { location: `${elsewhere.url}/chat/completions` })
          assert.deepInclude(yield* trouble(ask()), { reason: `Answered with status ${code}`, costUsd: 0 })
        }
      }).pipe(Effect.provide(withDriver(driver, fake)))
      assert.strictEqual(fake.heard.length, 4)
      assert.strictEqual(elsewhere.heard.length, 0)
    }))

  it.live("at an address without a server fails, and is asked again later", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      const breaker = { ...settings.breaker, failuresMax: 1, openMs: 50 }
      yield* Effect.gen(function*() {
        fake.state.trouble = status(503)
        yield* trouble(ask())
        fake.state.trouble = null
        // The breaker's own tests know its clock; here only that it closes again.
        const { answer } = yield* Effect.retry(ask(), { times: 100, schedule: Schedule.spaced("20 millis") })
        assert.strictEqual(answer.length, 2)
      }).pipe(Effect.provide(withDriver(driver, fake, { breaker })))
      const nobody = withDriver(driver, { url: new URL("http://127.0.0.1:1/v1") })
      assert.deepInclude(yield* trouble(ask().pipe(Effect.provide(nobody))), { reason: unheard, costUsd: 0 })
    }))

  it.live("has its key in no log, span or failure, even when it repeats the key", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      const said: Array<string> = []
      const spans: Array<Tracer.Span> = []
      const logger = Logger.make((entry) => void said.push(inspect(entry, { depth: 10, showHidden: true })))
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const echo: Script = () => ({ ranking: [{ model_id: secret, predicted_success: secret, rationale: secret }] })
      const headers = { "x-echo": secret, "set-cookie": secret, "www-authenticate": `Bearer ${secret}` }
      const troubles: ReadonlyArray<Trouble> = [
        ...Object.values(outages).map(([make]) => make),
        ...[301, 400, 401, 429, 500].map((code) => status(code, headers)),
        body(secret, headers),
        (response, { path }) => body(wrapped(path, secret, null))(response, { path } as never),
        (response, asked) => body(wrapped(asked.path, echo(asked), null))(response, asked)
      ]
      yield* Effect.forEach(troubles, (make) =>
        Effect.gen(function*() {
          fake.state.trouble = make
          const exit = yield* Effect.exit(ask())
          assert.isTrue(Exit.isFailure(exit))
          said.push(inspect(exit, { depth: 10, showHidden: true }))
          if (Exit.isFailure(exit)) said.push(Cause.pretty(exit.cause))
        })
      ).pipe(Effect.provide([
        withDriver(driver, fake, { timeoutMs: 100, breaker: { ...settings.breaker, failuresMax: 1_000 } }),
        Logger.layer([logger]),
        Layer.succeed(References.MinimumLogLevel, "All"),
        Layer.succeed(Tracer.Tracer, tracer)
      ]))
      assert.isAtLeast(spans.length, troubles.length)
      for (const span of spans) said.push(inspect(span, { depth: 8, showHidden: true }))
      for (const text of said) assert.notInclude(text, secret)
      // The search is sound: the question's name is in what was searched.
      assert.isTrue(said.some((text) => text.includes("sextant.reasoner.question")))
    }), 30_000)
})
