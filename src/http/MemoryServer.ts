/* The HTTP server of `sextant memory`: memory and keys behind `MemoryApi`. */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { CurrentCaller } from "../api/Authorization.ts"
import { MemoryApi } from "../api/memory/MemoryApi.ts"
import type { Caller } from "../domain/Scope.ts"
import { version } from "../domain/Version.ts"
import * as DirectWrites from "../memory/DirectWrites.ts"
import { Memory, type MemoryUnavailable } from "../memory/Memory.ts"
import { measurementOf } from "../memory/Neighbour.ts"
import * as AuthorizationHttp from "./AuthorizationHttp.ts"
import * as Endpoints from "./Endpoints.ts"
import * as HttpTelemetry from "./HttpTelemetry.ts"
import type { Load } from "./limits/Admission.ts"
import * as Limits from "./limits/Limits.ts"
import { layerAdmissions } from "./limits/LoadSample.ts"
import { unavailable } from "./limits/Retry.ts"
import * as Verification from "./limits/Verification.ts"
import * as ProbesHttp from "./ProbesHttp.ts"
import type { ReadinessState } from "./Readiness.ts"
import { routesOf } from "./Routes.ts"

/** Calls memory for the verified caller; answers 503 if memory is unavailable. */
const asCaller = <A>(question: (caller: Caller) => Effect.Effect<A, MemoryUnavailable>) =>
  CurrentCaller.use(question).pipe(Effect.catchTag("MemoryUnavailable", unavailable("Memory")))

const memoryHandlers = Effect.gen(function*() {
  const memory = yield* Memory
  return {
    recall: ({ payload }) =>
      asCaller(({ accountId }) =>
        memory.recall({ ...payload, accountId, restarts: new Map(payload.restarts) })
      ).pipe(
        Effect.map(({ measurements, neighbours, tallies, ...recalled }) => ({
          ...recalled,
          neighbours: [...neighbours],
          measurements: [...measurements].map(measurementOf),
          tallies: [...tallies].map(([modelId, sums]) => ({ modelId, ...sums }))
        }))
      ),
    teach: ({ payload }) =>
      asCaller(({ accountId }) => DirectWrites.teach(memory, { ...payload, accountId })),
    reinforce: ({ payload }) =>
      asCaller(({ accountId }) => DirectWrites.reinforce(memory, { ...payload, accountId })),
    recordSteps: ({ payload }) =>
      Effect.map(
        asCaller(({ accountId }) => DirectWrites.recordSteps(memory, { ...payload, accountId })),
        (recorded) => ({ recorded })
      ),
    promote: ({ payload }) =>
      Effect.as(asCaller(({ accountId }) => DirectWrites.promote(memory, { ...payload, accountId })), {
        lessonId: payload.lessonId
      }),
    strategies: ({ payload }) =>
      Effect.map(
        asCaller(({ accountId }) => memory.strategies({ ...payload, accountId })),
        (strategies) => ({ strategies })
      ),
    diagnose: ({ payload }) => asCaller(({ accountId }) => memory.diagnose({ ...payload, accountId })),
    memoryHealth: ({ payload }) => asCaller(({ accountId }) => memory.health({ ...payload, accountId })),
    account: () =>
      asCaller((caller) =>
        Effect.map(memory.ping(caller.accountId), ({ endpoint }) => {
          const { accountId, remainingMs, role } = caller
          return { accountId, endpoint, role, remainingMs }
        })
      )
  } satisfies Endpoints.Handlers<typeof MemoryApi.groups.memory>
})

const livenessHandlers = Effect.succeed({ alive: () => Effect.succeed({ status: "ok" as const, version }) })

interface MemoryRouteOptions {
  readonly readiness?: Effect.Effect<ReadinessState>
  readonly load?: () => Load
  /** Limit of failed keys per address; if absent, there is no limit, because the callers are services. */
  readonly verification?: Verification.VerificationOptions
}

const known = routesOf(MemoryApi, ProbesHttp.paths)

const routes = ({ load, readiness, verification }: MemoryRouteOptions) =>
  Layer.mergeAll(
    Endpoints.layer(MemoryApi, { memory: memoryHandlers, liveness: livenessHandlers }).pipe(
      Layer.provide(AuthorizationHttp.layer(null))
    ),
    ProbesHttp.layer(readiness),
    Limits.layer(known)
  ).pipe(Layer.provide([layerAdmissions(load), Verification.layer(verification, readiness)]))

export const layerRoutes = (options: MemoryRouteOptions) =>
  HttpRouter.serve(routes(options), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(HttpTelemetry.tracing(known))
  )
