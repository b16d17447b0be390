/* `GET /v1/capabilities` and `GET /v1/health`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CapabilitiesResponse, HealthResponse } from "../domain/System.ts"
import { documented } from "./Docs.ts"

const capabilities = HttpApiEndpoint.get("capabilities", "/capabilities", {
  success: CapabilitiesResponse
}).annotateMerge(documented({
  summary: "What this server can do",
  right: null,
  description: "Features of this server, which a client may read once at startup. No key is needed."
}))

const health = HttpApiEndpoint.get("health", "/health", {
  success: HealthResponse
}).annotateMerge(documented({
  summary: "Health of the service",
  right: null,
  description: [
    "Always 200; the body describes the health. Without a valid key it reports only liveness",
    "(`memory.scope` is `unauthenticated`). With a key in the `Authorization` header it also checks the",
    "account's memory, and `status` is `degraded` if that fails."
  ].join("\n")
}))

export class SystemApi extends HttpApiGroup.make("system")
  .add(capabilities, health)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Features and health, readable without "
    + "a key" }))
{}
