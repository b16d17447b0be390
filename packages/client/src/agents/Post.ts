/* Sends requests by `node:http`, because loading `fetch` takes 150 ms of a hook's short life. Redirects
   are not followed, so that no other address gets the key or the task. */
import type { IncomingMessage, RequestOptions } from "node:http"
import { createRequire } from "node:module"
import { isFields, type Fields, parsed } from "./Json.ts"

/** Why there is no usable answer: `timeout`, `unreachable`, or another code such as `http_401`. */
export class NoAnswer extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

export interface Address {
  readonly url: string
  readonly key: string
}

const bytesMax = 4_000_000

const load = createRequire(import.meta.url)

/** Loads `node:http` or `node:https` by `require`, because importing them takes 40 ms in Node 24. */
export const httpOf = (url: string): Pick<typeof import("node:http"), "request"> =>
  load(url.startsWith("https:") ? "node:https" : "node:http")

const bodyOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new NoAnswer("invalid_answer")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Sends a POST request with a body, or a GET request if the body is null. Fails with {@link NoAnswer}. */
export const send = async (
  { key, url }: Address,
  path: string,
  body: Fields | null,
  deadlineMs: number
): Promise<Fields> => {
  if (deadlineMs <= 0) throw new NoAnswer("timeout")
  const text = body === null ? "" : JSON.stringify(body)
  const options: RequestOptions = {
    method: body === null ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${key}`, "content-type": "application/json",
      "content-length": Buffer.byteLength(text)
    }
  }
  const { request } = httpOf(url)
  const answered = new Promise<Fields>((resolve, reject) => {
    const asked = request(url + path, options, (response) => {
      const { statusCode = 0 } = response
      bodyOf(response).then((said) => {
        const answer = parsed(said)
        if (statusCode < 200 || statusCode > 299) reject(new NoAnswer(`http_${statusCode}`))
        else if (!isFields(answer)) reject(new NoAnswer("invalid_answer"))
        else resolve(answer)
      }, reject).finally(() => clearTimeout(timer))
    })
    const timer = setTimeout(() => {
      // opencode runs in Bun, which emits no error for a destroyed request.
      reject(new NoAnswer("timeout"))
      asked.destroy()
    }, deadlineMs)
    asked.on("error", (error) => {
      clearTimeout(timer)
      reject(error)
    })
    asked.end(text)
  })
  try {
    return await answered
  } catch (error) {
    throw error instanceof NoAnswer ? error : new NoAnswer("unreachable")
  }
}
