import { Effect, Option, Redacted, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { embedLexical, lexicalDimensions } from "../../src/embedder/lexical/EmbedderLexical.ts"
import type { EmbedderOptions } from "../../src/embedder/remote/EmbeddingsClient.ts"
import { bodyOf, startHttpServer } from "../support/HttpServer.ts"

/*
 * An embeddings endpoint over a real socket. Its vectors are the built-in embedder's beside a coordinate that
 * they all share, so that unrelated texts have a cosine of 0.6, as with real models.
 */

export const dimensions = lexicalDimensions + 4
export const secret = "canary-embedder-0123456789"

/** A question as it arrived. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly input: ReadonlyArray<string>
  readonly dimensions: number | undefined
  readonly model: string
}

/** Answers instead of the endpoint; it may keep the response open, or end the connection. */
export type Trouble = (response: ServerResponse, asked: Asked) => void

export interface FakeEmbeddings {
  /** With its `/v1`. */
  readonly url: URL
  readonly options: EmbedderOptions
  readonly heard: Array<Asked>
  readonly state: { trouble: Trouble | null }
}

const vectorOf = (text: string): ReadonlyArray<number> => {
  const own = embedLexical(text)
  return [...own.map((each) => each * Math.sqrt(0.4)), Math.sqrt(0.6), 0, 0, 0]
}

/** The honest answer. */
export const answerTo = ({ input }: Pick<Asked, "input">) => ({
  object: "list",
  data: input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) })),
  usage: { prompt_tokens: 1, total_tokens: 1 }
})

export const say = (response: ServerResponse, body: unknown, status = 200, headers = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

export const fakeEmbeddings: Effect.Effect<FakeEmbeddings, never, Scope.Scope> = Effect.gen(function*() {
  const heard: Array<Asked> = []
  const state: FakeEmbeddings["state"] = { trouble: null }
  const { port } = yield* startHttpServer((request, response) => {
    void bodyOf(request).then((body) => {
      const asked: Asked = { path: request.url ?? "", headers: request.headers, ...JSON.parse(body.toString("utf8")) }
      heard.push(asked)
      if (state.trouble !== null) return state.trouble(response, asked)
      say(response, answerTo(asked))
    })
  })
  const url = new URL(`http://127.0.0.1:${port}/v1`)
  return {
    url,
    heard,
    state,
    options: { url, model: "fake", dimensions, apiKey: Option.some(Redacted.make(secret)) }
  }
})
