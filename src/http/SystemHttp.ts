/* Handles `GET /v1/capabilities` and `GET /v1/health`. */
import { Effect, Redacted } from "effect"
import { CurrentCallerKey } from "../accounts/CallerKey.ts"
import type { Api } from "../api/Api.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { honoredConstraints } from "../domain/Constraints.ts"
import type { HealthResponse } from "../domain/System.ts"
import { version } from "../domain/Version.ts"
import { monotonicMs } from "../domain/Time.ts"
import { Memory } from "../memory/Memory.ts"
import { Reasoner } from "../reasoner/Reasoner.ts"
import { bearer, type Handlers } from "./Endpoints.ts"
import { KeyVerification } from "./limits/Verification.ts"

const pingTimeout = "2 seconds"

type MemoryState = HealthResponse["memory"]

const unauthenticated: MemoryState = {
  reachable: null,
  latencyMs: null,
  endpoint: null,
  orgId: null,
  outboxWaiting: null,
  scope: "unauthenticated"
}

const unreachable: MemoryState = { ...unauthenticated, reachable: false, scope: "account" }

/** Checks the memory store only if the request has a valid key. */
const memoryState = Effect.fnUntraced(function*(credential: Redacted.Redacted<string>) {
  if (Redacted.value(credential) === "") return unauthenticated
  const { verify } = yield* KeyVerification
  const memory = yield* Memory
  const began = yield* monotonicMs
  return yield* Effect.gen(function*() {
    const caller = yield* verify(credential)
    const known: MemoryState = { ...unreachable, orgId: caller.accountId }
    return yield* memory.ping(caller.accountId).pipe(
      Effect.provideService(CurrentCallerKey, caller),
      Effect.timeout(pingTimeout),
      Effect.flatMap(({ endpoint, waiting = null }) =>
        Effect.map(monotonicMs, (now): MemoryState => ({
          ...known,
          reachable: true,
          latencyMs: Math.round(now - began),
          endpoint,
          outboxWaiting: waiting
        }))),
      Effect.catch((failure) => {
        const waiting = failure._tag === "MemoryUnavailable" ? failure.waiting : undefined
        return Effect.as(Effect.logWarning("Memory is unreachable", failure), {
          ...known,
          outboxWaiting: waiting ?? null
        })
      })
    )
  }).pipe(
    Effect.timeout("4 seconds"),
    Effect.catchTag(["KeyRejected", "AddressLimited"], () => Effect.succeed(unauthenticated)),
    Effect.catch((cause) =>
      Effect.as(Effect.logWarning("Key verification is unavailable", cause), unreachable))
  )
})

export const handlers = Effect.gen(function*() {
  const catalog = yield* Catalog
  const reasoner = yield* Reasoner
  const ports = yield* Effect.context<KeyVerification | Memory>()
  return {
    capabilities: () =>
      Effect.succeed({
        plan: false,
        attempts: true,
        workflow: true,
        apiVersion: version,
        honoredConstraints: [...honoredConstraints]
      }),
    health: () =>
      Effect.gen(function*() {
        const memory = yield* Effect.provide(memoryState(yield* bearer), ports)
        const snapshot = yield* catalog.snapshot
        return {
          status: memory.reachable === false ? "degraded" : "ok",
          memory,
          auth: "passthrough",
          catalog: {
            version: snapshot.version,
            costSource: snapshot.costSource,
            stale: snapshot.stale,
            models: snapshot.models.length
          },
          reasoner: { provider: reasoner.provider, configured: reasoner.provider !== null },
          version
        } satisfies HealthResponse
        // Health checks are not traced, because they come often.
      }).pipe(Effect.withTracerEnabled(false))
  } satisfies Handlers<typeof Api.groups.system>
})
