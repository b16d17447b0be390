// What each adapter of a provider's SDK must come through, which sees the bytes, in each format of its answers.
import { assert, it } from "@effect/vitest"
import type { FeedbackRequest } from "../../../../packages/client/src/index.ts"
import { auto } from "../../../../packages/client/src/sdk/Question.ts"
import { type AnswerSextant, sextantOf } from "../../../../packages/client/src/sdk/RoutedAnswer.ts"
import { usage } from "./FakeProvider.ts"
import { declareAnswered, declareBrokenStream, declareFaults, fullReport, ran, stageFor, textOf, type Way } from "./Faults.ts"
import type { models } from "./RealService.ts"
import type { Stage } from "./Stage.ts"

/** An answer on its way, as the SDKs have it. */
export interface Pending<A> extends Promise<A> {
  readonly withResponse: () => Promise<{ readonly data: A; readonly response: Response }>
  readonly asResponse: () => Promise<Response>
}

export type Body = { readonly model: string } & Readonly<Record<string, unknown>>
export type Streaming = Body & { readonly stream: true }
export interface RequestOptions {
  readonly signal?: AbortSignal
}

/** A format of answers: requests for `sextant/auto` in which fields may be replaced, and what is read of them. */
export interface Format<Client, Answer extends object, Event> {
  readonly whole: (client: Client, over?: object, options?: RequestOptions) => Pending<Answer>
  readonly stream: (client: Client, over?: object, options?: RequestOptions) => Pending<AsyncIterable<Event>>
  readonly textOf: (answer: Answer) => string | null | undefined
  readonly partOf: (event: Event) => string | null | undefined
  /** What stands at the end of a stream's bytes. */
  readonly end: RegExp
  /** More of what is reported of a success. */
  readonly reported?: Partial<FeedbackRequest>
}

/** What makes a client that routes, and one that does not. */
export interface Clients<Client> {
  readonly client: (over?: object) => Client & { readonly sextant: AnswerSextant<typeof models[number]> }
  readonly plain: () => Client
}

async function* partsOf<Event>(events: AsyncIterable<Event>, partOf: (event: Event) => string | null | undefined) {
  for await (const event of events) yield partOf(event) ?? ""
}

/** A way to call a model through a client that routes. */
export const wayOf = <Client, Answer extends object, Event>(
  format: Format<Client, Answer, Event>,
  client: ReturnType<Clients<Client>["client"]>
): Way => ({
  sextant: client.sextant,
  whole: async (options) => {
    const answer = await format.whole(client, {}, options)
    return { answer, text: format.textOf(answer) ?? "", routed: sextantOf(answer) }
  },
  stream: async (options) => {
    const stream = await format.stream(client, {}, options)
    return { routed: () => sextantOf(stream), texts: partsOf(stream, format.partOf) }
  }
})

/**
 * Declares all faults, and what is left of a client's own ways. A further format of a client has the same requests and
 * refusals as its first one: only what its answers' bytes decide is tried again.
 */
export const declareSdk = <Client extends { readonly withOptions: (options: object) => Client }, Answer extends object, Event>(
  stage: Stage,
  { client, plain }: Clients<Client>,
  format: Format<Client, Answer, Event>,
  isFirst: boolean
): void => {
  const { reported = {} } = format
  const newWay = (over: object = {}) => wayOf(format, client(over))
  const declare = isFirst ? declareFaults : declareAnswered
  declare(stage, newWay, { reported, tries: 3 })
  declareBrokenStream(stage, newWay)
  const { befallen, reports } = stageFor(stage, newWay)

  it("takes a stream that breaks after its last part for the success that it was", async () => {
    const { way } = await befallen("late")
    await textOf(await way.stream()).catch(() => "")
    const [report] = await reports(1)
    assert.deepInclude(report, fullReport(reported))
  })

  it("reports a stream that is aborted before it is read, or after its end, as what happened", async () => {
    for (const isRead of [false, true]) {
      const way = newWay()
      const controller = new AbortController()
      const streamed = await way.stream({ signal: controller.signal })
      if (isRead) await textOf(streamed)
      controller.abort()
      if (!isRead) await textOf(streamed).catch(() => "")
      const [report, ...more] = await stage.service.reported((await streamed.routed())?.recommendationId ?? "", 1)
      assert.strictEqual(report?.sent.outcome, isRead ? "success" : "partial")
      assert.isEmpty(more)
    }
  })

  it("reports a stream that its reader leaves as abandoned", async () => {
    const { way } = await befallen("slow")
    for await (const text of (await way.stream()).texts) if (text !== "") break
    const [report] = await reports(1)
    assert.strictEqual(report?.outcome, "partial")
  })

  it("passes requests for any other model as the SDK sends them, and asks nothing", async () => {
    for (const one of [client(), plain()]) {
      const answer = await format.whole(one, { model: "middle" })
      assert.isNull(sextantOf(answer))
      assert.strictEqual(format.textOf(answer), "hello from middle")
      for await (const _ of await format.stream(one, { model: "middle" })) { /* read to the end */ }
    }
    const bodies = stage.provider.asked.map(({ body }) => body)
    assert.deepStrictEqual(bodies.slice(0, 2), bodies.slice(2))
    assert.strictEqual(bodies[0]?.["model"], "middle")
    assert.isEmpty(stage.service.asked)
  })

  it("keeps withResponse and asResponse, and measures a body that is read raw", async () => {
    const wrapped = client()
    const { data, response } = await format.whole(wrapped).withResponse()
    assert.strictEqual(response.status, 200)
    assert.strictEqual(new URL(response.url).pathname, stage.provider.asked[0]?.path.replace(/\?.*/, ""))
    assert.deepStrictEqual(sextantOf(data), sextantOf(response))
    await stage.service.reported(sextantOf(data)?.recommendationId ?? "", 1)
    const raw = await format.stream(wrapped).asResponse()
    assert.match(await raw.text(), format.end)
    const [report] = await stage.service.reported(sextantOf(raw)?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, { outcome: "success", input_tokens: usage.input, output_tokens: usage.output })
  })

  it("routes what withOptions makes of it", async () => {
    const answer = await format.whole(client().withOptions({ timeout: 5_000 }))
    assert.strictEqual(sextantOf(answer)?.source, "service")
    assert.notInclude(ran(stage), "sextant/auto")
  })

  it("sends the provider's id of a model, reports Sextant's, and takes a verdict on an answer", async () => {
    const wrapped = client({ models: { cheap: "cheap-2026", dear: "dear-2026" } })
    const answer = await format.whole(wrapped)
    const { modelId = "", recommendationId = "" } = sextantOf(answer) ?? {}
    assert.deepStrictEqual(ran(stage), [`${modelId}-2026`])
    assert.isTrue(wrapped.sextant.score(answer, 0.9, "judge"))
    const sent = (await stage.service.reported(recommendationId, 2)).map((report) => report.sent)
    assert.deepStrictEqual(sent.map((one) => one.chosen_model_id), [modelId, modelId])
    assert.strictEqual(sent.find(({ evidence_source: source }) => source === "judge")?.quality_score, 0.9)
  })

  it("takes options of one choice in the model's name, and refuses a name that cannot be read", async () => {
    const wrapped = client()
    const model = auto({ models: ["middle"], conversationId: "c1", request: { user_id: "u1" } })
    assert.strictEqual(sextantOf(await format.whole(wrapped, { model }))?.modelId, "middle")
    assert.deepInclude(stage.service.asked[0], { user_id: "u1" })
    await format.whole(wrapped, { model: auto({ conversationId: "c1" }) })
    assert.strictEqual(stage.service.asked[1]?.incumbent_model_id, "middle")
    assert.instanceOf(await format.whole(wrapped, { model: "sextant/auto?{" }).catch((cause) => cause), TypeError)
  })
}

/** Declares that the model is refused in these requests, with this error. */
export const declareRefusals = <Client>(
  stage: Stage,
  { client }: Clients<Client>,
  error: RegExp,
  requests: Readonly<Record<string, (client: Client) => Promise<unknown>>>
): void => {
  for (const [name, request] of Object.entries(requests)) {
    it(`refuses the model in ${name}, and sends nothing`, async () => {
      const thrown = await request(client()).catch((cause: unknown) => cause)
      assert.instanceOf(thrown, TypeError)
      assert.match(String(thrown), error)
      assert.isEmpty(stage.provider.asked)
    })
  }
}
