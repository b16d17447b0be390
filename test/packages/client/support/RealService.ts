// The real service in this process, behind a gate that records what a client sends and can break in many ways.
import { Effect, Exit, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { FeedbackRequest, FeedbackResponse, RecommendRequest } from "../../../../packages/client/src/Wire.ts"
import { engineService, key } from "../../../http/EngineService.ts"
import { measuredCard, snapshot } from "../../../support/builders.ts"
import { catalogOf } from "../../../support/fakes.ts"

/** How the gate answers: as the service does; never; with a closed connection; with a status; or with this text. */
export type GateState =
  | "up"
  | "silent"
  | "down"
  | number
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }

/** The answer to every question of an account whose budget is used up. */
export const exhaustedBudget: GateState = {
  status: 429,
  headers: { "content-type": "application/problem+json", "retry-after": "3600" },
  text: JSON.stringify({ type: "budget_exhausted", title: "Budget exhausted", status: 429, detail: "all is spent" })
}

/** A report that the service got, and its answer. */
export interface Report {
  readonly sent: FeedbackRequest
  readonly answer: FeedbackResponse
}

export interface RealService {
  readonly baseUrl: string
  readonly apiKey: string
  /** Bodies of recommendations that were asked for, in order. */
  readonly asked: Array<RecommendRequest>
  /** Reports that were answered, in order. */
  readonly reports: Array<Report>
  /** Requests that reached the gate, by path, whatever it answered, count. */
  readonly hits: Map<string, number>
  /** Breaks the gate, or mends it. */
  readonly set: (state: GateState) => void
  /** Waits until there are so many reports on a recommendation, and yields them; fails after 5 s. */
  readonly reported: (recommendationId: string | null, count: number) => Promise<ReadonlyArray<Report>>
  readonly close: () => Promise<void>
}

/** Models of three providers: the better, the dearer. */
export const models = ["cheap", "middle", "dear"] as const

/** Prices of the cache, so that nothing is assumed of a bill. */
const cacheWritePriceRatio = { usual: 1.25, hour: 2 }

const catalog = snapshot([
  { ...measuredCard("cheap", 0.6763, 0.1), provider: "one", cacheWritePriceRatio },
  { ...measuredCard("middle", 0.7801, 1), provider: "two", cacheWritePriceRatio },
  {
    ...measuredCard("dear", 0.9115, 10), provider: "three", cacheWritePriceRatio,
    effortLevels: [{ effort: "low", verbosity: 0.5 }, { effort: "high", verbosity: 2 }]
  },
  // What the hooks of a coding agent name as candidates.
  ...["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"].map((id, at) =>
    ({ ...measuredCard(id, [0.6763, 0.7801, 0.9115][at] ?? 1, 10 ** (at - 1)), provider: "anthropic", cacheWritePriceRatio }))
])

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += chunk
  return text
}

/** Passes a request on to the service, and keeps what it said. */
const passOn = async (
  to: string,
  { headers, method = "GET", url = "/" }: IncomingMessage,
  body: string,
  { asked, reports }: Pick<RealService, "asked" | "reports">,
  response: ServerResponse
): Promise<void> => {
  const answer = await fetch(`${to}${url}`, {
    method,
    headers: { authorization: headers.authorization ?? "", "content-type": headers["content-type"] ?? "" },
    ...(method === "GET" ? {} : { body })
  })
  const text = await answer.text()
  if (url === "/v1/recommend") asked.push(JSON.parse(body))
  if (url === "/v1/feedback" && answer.ok) reports.push({ sent: JSON.parse(body), answer: JSON.parse(text) })
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(text)
}

/** Starts the service with the {@link models} of its catalog, or of another one; `close` ends it. */
export const startRealService = async (offered: typeof catalog = catalog): Promise<RealService> => {
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(
    Layer.buildWithScope(engineService({ catalog: catalogOf(offered) }), scope)
  )
  const { address } = await Effect.runPromise(Effect.provide(HttpServer.HttpServer, context))
  const to = address._tag === "UnixPathAddress" ? "" : `http://127.0.0.1:${address.port}`

  let state: GateState = "up"
  const seen = { asked: [] as Array<RecommendRequest>, reports: [] as Array<Report> }
  const hits = new Map<string, number>()
  const gate = createServer(async (request, response) => {
    const path = request.url ?? "/"
    hits.set(path, (hits.get(path) ?? 0) + 1)
    const body = await bodyOf(request)
    // A used-up budget refuses questions; reports are taken.
    if (state === "up" || (state === exhaustedBudget && path === "/v1/feedback")) await passOn(to, request, body, seen, response)
    else if (state === "down") request.socket.destroy()
    else if (typeof state === "number") response.writeHead(state).end("{}")
    else if (state !== "silent") response.writeHead(state.status, state.headers ?? {}).end(state.text)
  })
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve))
  const bound = gate.address()

  return {
    ...seen,
    baseUrl: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`,
    apiKey: key,
    hits,
    set: (next) => {
      state = next
    },
    reported: async (recommendationId, count) => {
      const reports = () => seen.reports.filter(({ sent }) => sent.recommendation_id === recommendationId)
      for (let tries = 0; tries < 500 && reports().length < count; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      if (reports().length < count) throw new Error(`${reports().length} reports, not ${count}`)
      return reports()
    },
    close: async () => {
      gate.closeAllConnections()
      gate.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
