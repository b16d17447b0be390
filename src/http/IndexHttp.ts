/* Answers `/`: browsers get the start page, programs get a list of URLs. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { version } from "../domain/Version.ts"
import { clientPaths } from "./ClientsHttp.ts"
import { startPage, startPagePolicy } from "./docs/StartPage.ts"

export const indexPath = "/"

// The answer depends on `Accept`: a cache must not mix the two.
const headers = { vary: "accept" }

const inventory = HttpServerResponse.jsonUnsafe({
  name: "Sextant",
  version,
  docs: "/docs",
  openapi: "/openapi.json",
  dashboard: "/dashboard",
  clients: clientPaths,
  health: "/v1/health"
}, { headers })

/** The weight of a type in an `Accept` header, in [0, 1]: that of the most specific range that covers it. */
const wants = (accept: string, type: string, subtype: string): number => {
  let [quality, precision] = [0, -1]
  for (const range of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim())
    const at = [`*/*`, `${type}/*`, `${type}/${subtype}`].indexOf(name)
    if (at <= precision) continue
    precision = at
    const given = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
    quality = given === undefined ? 1 : Number(given) || 0
  }
  return quality
}

/** Whether the page is preferred to JSON, as browsers do; JSON is the answer where both weigh the same. */
const prefersPage = (accept: string): boolean =>
  wants(accept, "text", "html") > wants(accept, "application", "json")

/** A host with its port, and nothing else that could get into the page. */
const hostForm = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The URL that the client called, as far as the request says it; the page shows it to that client alone. */
const urlOf = ({ headers }: HttpServerRequest.HttpServerRequest): string => {
  const host = headers["host"] ?? ""
  const scheme = headers["x-forwarded-proto"] === "https" ? "https" : "http"
  return `${scheme}://${hostForm.test(host) ? host : "localhost:8080"}`
}

export const layer = HttpRouter.add("GET", indexPath, HttpServerRequest.HttpServerRequest.use((request) =>
  Effect.succeed(prefersPage(request.headers["accept"] ?? "")
    ? HttpServerResponse.html(startPage(urlOf(request))).pipe(HttpServerResponse.setHeaders({
      ...headers, "content-security-policy": startPagePolicy, "referrer-policy": "no-referrer"
    }))
    : inventory)))
