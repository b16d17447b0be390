import { Effect, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { bodyOf, startHttpServer } from "../support/HttpServer.ts"

/*
 * A reasoner over a real socket that speaks both protocols. It answers honestly unless a test gives it a
 * script; troubles are what a test makes of the response instead.
 */

export interface Candidate {
  readonly model_id: string
  readonly predicted_success: number
  readonly price_class: string
}

/** A question as it arrived. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  readonly system: string
  readonly data: string
  readonly task: string
  /** Null for a question about the task's type. */
  readonly candidates: ReadonlyArray<Candidate> | null
}

/** What it says: text as it is, anything else as JSON. */
export type Script = (asked: Asked) => unknown

/** Answers instead of the reasoner; it may keep the response open, or end the connection. */
export type Trouble = (response: ServerResponse, asked: Asked) => void

export interface FakeReasoner {
  /** With its `/v1`. */
  readonly url: URL
  readonly heard: Array<Asked>
  readonly state: { script: Script; trouble: Trouble | null; usage: readonly [number, number] | null }
}

/** Likes every candidate a little more than we do. */
export const honest: Script = ({ candidates }) =>
  candidates === null ? { task_type: "translation", difficulty: "easy" } : {
    ranking: candidates.map(({ model_id, predicted_success }) =>
      ({ model_id, predicted_success: (1 + predicted_success) / 2, rationale: "fits" }))
  }

interface Sent {
  readonly system?: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
}

const askedOf = (request: IncomingMessage, body: string): Asked => {
  const sent = JSON.parse(body) as Sent
  const said = (role: string) => sent.messages.find((message) => message.role === role)?.content ?? ""
  const data = said("user")
  const { candidates = null, task } = JSON.parse(data) as { task: string; candidates?: ReadonlyArray<Candidate> }
  const system = sent.system ?? said("system")
  return { path: request.url ?? "", headers: request.headers, body, system, data, task, candidates }
}

/** The object that a text is as JSON; null when it is none. */
const valueOf = (text: string): object | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** An answer as the protocol of that path wraps it. */
export const wrapped = (path: string, answer: unknown, usage: readonly [number, number] | null): string => {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer)
  if (path.endsWith("/chat/completions")) {
    return JSON.stringify({
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text, refusal: null } }],
      ...(usage === null ? {} : { usage: { prompt_tokens: usage[0], completion_tokens: usage[1] } })
    })
  }
  const input = valueOf(text)
  const name = input !== null && "task_type" in input ? "classification" : "ranking"
  // What is no object this protocol's model says beside the tool.
  const part = input === null ? { type: "text", text } : { type: "tool_use", id: "one", name, input }
  return JSON.stringify({
    type: "message",
    content: [part],
    ...(usage === null ? {} : { usage: { input_tokens: usage[0], output_tokens: usage[1] } })
  })
}

export const fakeReasoner: Effect.Effect<FakeReasoner, never, Scope.Scope> = Effect.gen(function*() {
  const heard: Array<Asked> = []
  const state: FakeReasoner["state"] = { script: honest, trouble: null, usage: [400, 100] }
  const { port } = yield* startHttpServer((request, response) => {
    void bodyOf(request).then((body) => {
      const asked = askedOf(request, body.toString("utf8"))
      heard.push(asked)
      if (state.trouble !== null) return state.trouble(response, asked)
      response.writeHead(200, { "content-type": "application/json" })
      response.end(wrapped(asked.path, state.script(asked), state.usage))
    })
  })
  return { url: new URL(`http://127.0.0.1:${port}/v1`), heard, state }
})
