import { Effect, Redacted, type Scope } from "effect"
import { type IncomingMessage, request as send, type ServerResponse } from "node:http"
import { migratedDatabase, postgresServer } from "../support/Databases.ts"
import { isFullRun } from "../support/FullRun.ts"
import { startHttpServer } from "../support/HttpServer.ts"
import { type Service, startService, startMemory } from "../support/Service.ts"
import { makeProxy, type Proxy } from "./proxy.ts"

export { isFullRun }

/** The server that tests share; a suite that needs it is skipped where there is none. */
export const server = postgresServer ?? ""
export const hasServer = postgresServer !== null

/** Three models with known prices that never go stale, so that a warning is a fault's alone. */
export const catalogFile = new URL("catalog.json", import.meta.url).pathname

/** What every service of these tests is started with. */
export const fixedSettings = { SEXTANT_CATALOG_FILE: catalogFile, SEXTANT_RECALL_TIMEOUT_MS: "250" }
export const recallBudgetMs = 250

/** For what only a module inside the service can make go wrong. */
export const preloaded = { NODE_OPTIONS: `--import=${new URL("preload.ts", import.meta.url).href}` }

export const database = Effect.map(migratedDatabase, ({ url }) => Redacted.value(url))

/** The same database by way of a proxy. */
export const proxied = (url: string, { port }: Pick<Proxy, "port">): string => {
  const at = new URL(url)
  at.port = String(port)
  return at.href
}

/** Answers in place of the backend; it passes on what it does not answer. */
export type Script = (request: IncomingMessage, response: ServerResponse) => "answered" | "pass"

export interface Front {
  readonly port: number
  readonly state: { script: Script | null }
  /** Paths in the order of their requests. */
  readonly heard: Array<string>
}

/** An HTTP server before another one, which a test can make answer in its place. */
export const makeFront = (target: string): Effect.Effect<Front, never, Scope.Scope> =>
  Effect.gen(function*() {
    const state: Front["state"] = { script: null }
    const heard: Array<string> = []
    const { port } = yield* startHttpServer((request, response) => {
      heard.push(request.url ?? "")
      response.on("error", () => response.destroy())
      if (state.script?.(request, response) === "answered") return void request.resume()
      const { headers, method = "GET", url = "/" } = request
      const onward = send(`${target}${url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on("error", () => response.destroy())
      request.pipe(onward)
    })
    return { port, state, heard }
  })

export interface ExternalWorld {
  readonly service: Service
  readonly memory: Service
  /** Between the service and the front. */
  readonly proxy: Proxy
  /** Between the proxy and the memory. */
  readonly front: Front
}

/** A service whose memory is another process, behind a proxy and a front. */
export const withExternalMemory = (environment: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const memory = yield* startMemory({ DATABASE_URL: yield* database })
    const front = yield* makeFront(memory.baseUrl)
    const proxy = yield* makeProxy(front.port)
    const service = yield* startService({
      ...fixedSettings,
      DATABASE_URL: yield* database,
      SEXTANT_BOOTSTRAP_KEYS: "",
      SEXTANT_MEMORY_URL: `http://127.0.0.1:${proxy.port}`,
      ...environment
    })
    return { service, memory, proxy, front } satisfies ExternalWorld
  })
