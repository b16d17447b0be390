// A service that names what a test says, records every byte that it is sent, and fails in many ways.
import { createServer, type IncomingHttpHeaders } from "node:http"

/** How it answers: as the service does; never; with a closed connection; a status; or with a page. */
export type Mode = "up" | "silent" | "down" | "garbage" | "redirect" | "huge" | number

export interface Sent {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Record<string, any>
}

export interface FakeSextant {
  readonly url: string
  readonly key: string
  readonly sent: Array<Sent>
  /** The bodies of questions, and of reports. */
  readonly questions: () => ReadonlyArray<Record<string, any>>
  readonly reports: () => ReadonlyArray<Record<string, any>>
  /** What is recommended: a model, with `#` and an effort. */
  readonly name: (model: string) => void
  readonly set: (mode: Mode) => void
  readonly close: () => void
}

/** Starts on a port, any by default; each answer takes `delayMs`. */
export const startFakeSextant = async (port = 0, delayMs = 0): Promise<FakeSextant> => {
  const sent: Array<Sent> = []
  let named = "claude-haiku-5-5#low"
  let mode: Mode = "up"
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const chunk of request.setEncoding("utf8")) text += chunk
    const path = request.url ?? "/"
    sent.push({ path, headers: request.headers, text, body: text === "" ? {} : JSON.parse(text) })
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
    if (mode === "silent") return
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (mode === "down") return request.socket.destroy()
    if (mode === "garbage") return response.writeHead(200, { "content-type": "text/html" }).end("<html>log in</html>")
    if (mode === "redirect") return response.writeHead(307, { location: `http://127.0.0.1:9${path}` }).end()
    if (mode === "huge") return response.writeHead(200).end("x".repeat(5_000_000))
    if (typeof mode === "number") return json(mode, { type: "refused", status: mode, detail: "refused" })
    if (path === "/v1/models") return json(200, { models: [{ model_id: "claude-haiku-5-5" }] })
    if (path === "/v1/feedback") return json(200, { accepted: true, record_id: "1", warnings: [] })
    const [model_id = "", effort] = named.split("#")
    json(200, {
      recommendation_id: `rec-${sent.length}`,
      recommended_model: { model_id, ...(effort === undefined ? {} : { effort }), predicted_success: 0.7, est_cost_usd: 0.01 },
      fallback_model: null, warnings: []
    })
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const bound = server.address()
  const of = (path: string) => sent.filter((one) => one.path === path).map(({ body }) => body)
  return {
    url: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`,
    key: "sxt_acme_k1_0123456789abcdef0123456789abcdef",
    sent,
    questions: () => of("/v1/recommend"),
    reports: () => of("/v1/feedback"),
    name: (model) => {
      named = model
    },
    set: (next) => {
      mode = next
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
