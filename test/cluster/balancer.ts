import { Effect, type Scope } from "effect"
import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http"
import { bodyOf, startHttpServer } from "../support/HttpServer.ts"

/**
 * A balancer as small as it can be: round robin over copies that say they are ready, asked every tenth of a
 * second. It sends a request again only where that is safe: when no connection came about, so that nothing was
 * sent; or, sent and unanswered, when telling it twice changes nothing: reads, and feedback by its claim.
 */
export interface Balancer {
  readonly url: string
  /** Replaces the copies; those that are gone get nothing new. */
  readonly use: (urls: ReadonlyArray<string>) => void
  /** Requests that were sent again, and requests that were answered 502 because they must not be. */
  readonly counts: { again: number; failed: number }
}

const probeEveryMs = 100

const statusOf = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(10_000) }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0
  )

const isReady = async (url: string) => await statusOf(`${url}/readyz`) === 200

class Unanswered extends Error {
  readonly wasSent: boolean
  constructor(wasSent: boolean, cause: unknown) {
    super("no answer", { cause })
    this.wasSent = wasSent
  }
}

interface Answered {
  readonly status: number
  readonly headers: NodeJS.Dict<string | Array<string>>
  readonly body: Buffer
}

/** One attempt at one copy, over connections that are kept, as balancers do. */
const send = (agent: Agent, url: string, incoming: IncomingMessage, body: Buffer) =>
  new Promise<Answered>((resolve, reject) => {
    let wasSent = false
    const outgoing = request(new URL(incoming.url ?? "/", url), {
      agent, method: incoming.method ?? "GET", headers: { ...incoming.headers, connection: "keep-alive" }
    }, (response) => {
      bodyOf(response).then(
        (answer) => resolve({ status: response.statusCode ?? 502, headers: response.headers, body: answer }),
        (error: unknown) => reject(new Unanswered(true, error))
      )
    })
    outgoing.on("socket", (socket) => {
      if (!socket.connecting) wasSent = true
      else socket.once("connect", () => { wasSent = true })
    })
    outgoing.on("error", (error) => reject(new Unanswered(wasSent, error)))
    outgoing.end(body)
  })

const isRepeatable = ({ method, url }: IncomingMessage) => method === "GET" || url === "/v1/feedback"

export const balancer: Effect.Effect<Balancer, never, Scope.Scope> = Effect.gen(function*() {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true })),
    (agent) => Effect.sync(() => agent.destroy())
  )
  let copies: ReadonlyArray<string> = []
  let ready: ReadonlySet<string> = new Set()
  let turn = 0
  const counts = { again: 0, failed: 0 }
  const probe = async () => {
    const looked = await Promise.all(copies.map(async (url) => [url, await isReady(url)] as const))
    ready = new Set(looked.flatMap(([url, isUp]) => isUp ? [url] : []))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(() => void probe(), probeEveryMs)),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(incoming)
    const candidates = copies.filter((url) => ready.has(url))
    const first = turn++
    for (let attempt = 0; attempt < Math.max(1, candidates.length); attempt++) {
      const url = candidates[(first + attempt) % candidates.length]
      if (url === undefined) break
      try {
        const { body: text, headers, status } = await send(agent, url, incoming, body)
        response.writeHead(status, { "content-type": String(headers["content-type"] ?? "") }).end(text)
        return
      } catch (error) {
        ready = new Set([...ready].filter((each) => each !== url))
        if (!(error instanceof Unanswered) || (error.wasSent && !isRepeatable(incoming))) break
        counts.again++
      }
    }
    counts.failed++
    response.writeHead(502).end("no copy answered")
  }
  const { port } = yield* startHttpServer((incoming, response) => void answer(incoming, response))
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    use: (urls) => {
      copies = urls
      void probe()
    }
  }
})

/** Waits until the balancer sends requests somewhere. */
export const balanced = ({ url }: Pick<Balancer, "url">) =>
  Effect.repeat(Effect.promise(() => fetch(`${url}/v1/health`).then(async (response) => {
    await response.arrayBuffer()
    return response.status
  })), { until: (status) => status === 200 }).pipe(Effect.timeout("30 seconds"))
