/* The answers about the service itself: capabilities and health. */
import { Schema } from "effect"
import { wire } from "./Wire.ts"

/** The running version: `api_version` of capabilities and `version` of health. */
export const version = "0.1.0"

export const CapabilitiesResponse = wire({
  plan: Schema.Boolean,
  workflow: Schema.Boolean,
  apiVersion: Schema.String,
  honoredConstraints: Schema.Array(Schema.String)
}).annotate({ identifier: "CapabilitiesResponse" })

export const HealthResponse = wire({
  status: Schema.Literals(["ok", "degraded"]),
  memory: wire({
    reachable: Schema.NullOr(Schema.Boolean),
    latencyMs: Schema.NullOr(Schema.Finite),
    endpoint: Schema.NullOr(Schema.String),
    orgId: Schema.NullOr(Schema.String),
    /** Writes of the account that wait for an external memory; null without one, or when not known. */
    outboxWaiting: Schema.NullOr(Schema.Int),
    /** `unauthenticated` without a key, else `account`. */
    scope: Schema.String
  }),
  auth: Schema.Literal("passthrough"),
  catalog: wire({
    version: Schema.String,
    costSource: Schema.String,
    stale: Schema.Boolean,
    models: Schema.Int
  }),
  reasoner: wire({ provider: Schema.NullOr(Schema.String), configured: Schema.Boolean }),
  version: Schema.String
}).annotate({ identifier: "HealthResponse" })
export type HealthResponse = typeof HealthResponse.Type
