/* Answers requests of `/`: browsers get the start page, and programs get a list of URLs. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { version } from "../domain/Version.ts"
import { clientPaths } from "./ClientsHttp.ts"
import { startPage, startPagePolicy } from "./docs/StartPage.ts"

export const indexPath = "/"

// A cache must store the page and the JSON separately, because the header `Accept` decides between them.
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

/** Weight of a content type in an `Accept` header, by the most specific range that fits; 0 if none fits. */
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

const prefersPage = (accept: string): boolean =>
  wants(accept, "text", "html") > wants(accept, "application", "json")

/** The form of a `Host` header that the page may contain. */
const hostForm = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The service's URL, with the host of the `Host` header, or `localhost:8080` for a malformed header. */
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
