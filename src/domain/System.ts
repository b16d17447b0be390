/** The answers about the service itself: capabilities and health. */
import { Schema } from "effect"
import { described, wire } from "./wire/Wire.ts"

export const CapabilitiesResponse = wire({
  plan: described(Schema.Boolean, "True if Sextant can plan the steps of a goal; false today."),
  attempts: described(
    Schema.optionalKey(Schema.Boolean), "Whether a recommendation takes `attempts` and answers with a `plan`."
  ),
  workflow: described(Schema.Boolean, "Whether `POST /v1/recommend/workflow` is available."),
  apiVersion: described(Schema.String, "The server's version."),
  honoredConstraints: described(
    Schema.Array(Schema.String), "Fields of `constraints` that the engine applies."
  )
}, { identifier: "CapabilitiesResponse", description: "Capabilities of this server." })

const MemoryState = wire({
  reachable: described(
    Schema.NullOr(Schema.Boolean), "Whether the account's memory answers; null without a valid key."
  ),
  latencyMs: described(
    Schema.NullOr(Schema.Finite), "Time until the memory answered, in milliseconds; null without an answer."
  ),
  endpoint: described(Schema.NullOr(Schema.String), "Address of the memory; null without its answer."),
  orgId: described(Schema.NullOr(Schema.String), "The account; null without a verified key."),
  outboxWaiting: described(
    Schema.NullOr(Schema.Int),
    "Reports of the account that wait for an external memory, count. Null without an external memory, or if "
      + "unknown."
  ),
  scope: described(Schema.String, "`unauthenticated` without a valid key; otherwise `account`.")
}, { identifier: "MemoryState", description: "Whether the account's memory can be reached." })

const CatalogState = wire({
  version: described(Schema.String, "Version of the catalog."),
  costSource: described(Schema.String, "Source of the prices."),
  stale: described(Schema.Boolean, "Whether prices are too old to be trusted."),
  models: described(Schema.Int, "Models in the catalog, count.")
}, { identifier: "CatalogState", description: "The catalog in use." })

const ReasonerState = wire({
  provider: described(Schema.NullOr(Schema.String), "The reasoner's provider; null without one."),
  configured: described(Schema.Boolean, "Whether there is a reasoner.")
}, { identifier: "ReasonerState", description: "The reasoner in use." })

export const HealthResponse = wire({
  status: described(
    Schema.Literals(["ok", "degraded"]),
    "`degraded` if the key cannot be checked, or if the account's memory is unreachable."
  ),
  memory: described(MemoryState, "The account's memory."),
  auth: described(
    Schema.Literal("passthrough"), "The check of keys. `passthrough`: Sextant's keys are the memory's keys."
  ),
  catalog: described(CatalogState, "The catalog of models."),
  reasoner: described(ReasonerState, "The reasoner."),
  version: described(Schema.String, "The server's version.")
}, { identifier: "HealthResponse", description: "Health of the service." })
export type HealthResponse = typeof HealthResponse.Type
