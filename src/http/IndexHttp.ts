/* Answers `/`: browsers are redirected to `/docs`, programs get a list of URLs. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { version } from "../domain/Version.ts"

export const indexPath = "/"

// The answer depends on `Accept`: a cache must not mix the two.
const headers = { vary: "accept" }

const toDocs = HttpServerResponse.empty({ status: 302, headers: { ...headers, location: "/docs" } })

const inventory = HttpServerResponse.jsonUnsafe({
  name: "Sextant",
  version,
  docs: "/docs",
  openapi: "/openapi.json",
  dashboard: "/dashboard",
  health: "/v1/health"
}, { headers })

export const layer = HttpRouter.add("GET", indexPath, HttpServerRequest.HttpServerRequest.use((request) =>
  Effect.succeed(/\btext\/html\b/i.test(request.headers["accept"] ?? "") ? toDocs : inventory)))
