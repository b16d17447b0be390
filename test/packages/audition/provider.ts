/* A provider of models on this machine whose true success rates are known, and which keeps its own bill. */
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { hashOf } from "../../../src/stats/Hash.ts"
import { bodyOf, startHttpServer } from "../../support/HttpServer.ts"

export interface FakeModel {
  readonly success: number
  /** Tokens of each answer, and prices in USD per million tokens. */
  readonly tokens: number
  readonly price: { readonly input: number; readonly output: number }
}

/** What becomes of the request with that number, from 1; null for an answer. */
export type Fault = (
  request: number,
  model: string
) => "429" | "503" | "401" | "broken" | "filtered" | { readonly status: number; readonly retryAfter: string } | null

/** What the answer says of the tokens that were used, input and output. */
export type Told = (usage: readonly [number, number]) => readonly [unknown, unknown]

interface Body {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly content: string }>
  readonly max_completion_tokens?: number
  readonly max_tokens?: number
}

const read = async (request: IncomingMessage): Promise<Body> =>
  JSON.parse((await bodyOf(request)).toString("utf8")) as Body

const isJudge = (prompt: string): boolean => prompt.startsWith("Judge an answer to a task.")

/** Whether a model's answer to a prompt is right: a fixed draw of its success rate. */
export const isRight = (model: string, prompt: string, success: number): boolean =>
  hashOf(`${model}:${prompt}`) / 2 ** 32 < success

export const startProvider = Effect.fnUntraced(function*(
  models: Readonly<Record<string, FakeModel>>,
  fault: Fault = () => null,
  told: Told = (usage) => usage
) {
  const state = { requests: 0, answered: [] as Array<string>, billUsd: 0, keys: new Set<string>() }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await read(request)
    const number = ++state.requests
    state.keys.add(String(request.headers["authorization"] ?? request.headers["x-api-key"]))
    const prompt = body.messages.at(-1)?.content ?? ""
    const model = models[body.model]
    const broken = fault(number, body.model)
    const most = body.max_completion_tokens ?? body.max_tokens ?? 0
    const send = (status: number, value: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
    }
    if (model === undefined) return send(404, { error: "no such model" })
    if (typeof broken === "object" && broken !== null) {
      response.setHeader("retry-after", broken.retryAfter)
      return send(broken.status, { error: broken })
    }
    if (broken !== null && /^\d/.test(broken)) return send(Number(broken), { error: broken })
    const input = Math.ceil(prompt.length / 4)
    const output = Math.min(most, model.tokens)
    const costUsd = (tokens: number) => (input * model.price.input + tokens * model.price.output) / 1e6
    if (broken === "broken") {
      // The model worked to the end, and the caller never learns of it.
      state.billUsd += costUsd(most)
      return void request.socket.destroy()
    }
    state.billUsd += costUsd(output)
    state.answered.push(`${body.model}:${prompt}`)
    const text = isJudge(prompt)
      ? `It is so.\nSCORE: ${prompt.includes("a right answer") ? 9 : 2}`
      : isRight(body.model, prompt, model.success) ? "a right answer" : "a wrong one"
    const [toldInput, toldOutput] = told([input, output])
    const ended = broken === "filtered" ? "content_filter" : "stop"
    return request.url?.endsWith("/messages") === true
      ? send(200, {
        content: [{ type: "text", text }], stop_reason: broken === "filtered" ? "refusal" : "end_turn",
        usage: { input_tokens: toldInput, output_tokens: toldOutput }
      })
      : send(200, {
        choices: [{ message: { content: text }, finish_reason: ended }],
        usage: { prompt_tokens: toldInput, completion_tokens: toldOutput }
      })
  }
  const { port } = yield* startHttpServer((request, response) =>
    void answer(request, response).catch(() => response.destroy()))
  return { state, url: `http://127.0.0.1:${port}/v1` }
})
