import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CapabilitiesResponse, HealthResponse } from "../domain/System.ts"
import { documented } from "./Docs.ts"

const capabilities = HttpApiEndpoint.get("capabilities", "/capabilities", {
  success: CapabilitiesResponse
}).annotateMerge(documented({
  summary: "What this server can do",
  right: null,
  description: "Feature handshake, to be read once at startup. Needs no key."
}))

const health = HttpApiEndpoint.get("health", "/health", {
  success: HealthResponse
}).annotateMerge(documented({
  summary: "Is the service well",
  right: null,
  description: [
    "Always 200; the body says how it is. Needs no key: without one, or with one that was verified to be",
    "bad, it reports liveness only (`memory.scope` is `unauthenticated`). With a valid key in the",
    "`Authorization` header it also reaches for the account's memory, and `status` is `degraded` when that",
    "fails."
  ].join("\n")
}))

export class SystemApi extends HttpApiGroup.make("system")
  .add(capabilities, health)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Handshake and health; no key needed" }))
{}
