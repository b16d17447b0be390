/* Handles `GET /v1/models` and `GET /v1/health/models`. */
import { Effect } from "effect"
import { AccountModelsStore, noModels } from "../accounts/AccountModels.ts"
import type { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import { accountCatalog } from "../catalog/AccountCatalog.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { listModels } from "../catalog/Lookup.ts"
import type { ModelsHealthResponse } from "../domain/model/ModelsHealth.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { ModelsHealth, type UnhealthyModel } from "../ledger/ModelsHealth.ts"
import type { Handlers } from "./Endpoints.ts"
import { unavailable } from "./limits/Retry.ts"

/** Maximum time that a request waits for the account's own models, ms. */
const storeTimeoutMs = 2_000

const shownHealth = (
  { calls, failedAtMs, failures, isHealthy, modelId, probeAtMs, provider, rateLimits }: UnhealthyModel
): ModelsHealthResponse["models"][number] => ({
  provider, modelId, isHealthy, calls, failures, rateLimits,
  failedAt: new Date(failedAtMs).toISOString(),
  tryAt: isHealthy ? null : new Date(probeAtMs).toISOString()
})

export const handlers = Effect.gen(function*() {
  const catalog = yield* Catalog
  const store = yield* AccountModelsStore
  const health = yield* ModelsHealth
  return {
    modelsHealth: () =>
      CurrentCaller.use(({ accountId }) => health.read(accountId)).pipe(
        Effect.map(({ known }): ModelsHealthResponse => ({ models: known.map(shownHealth) })),
        Effect.catch(unavailable("The ledger"))
      ),
    models: ({ query }) =>
      Effect.gen(function*() {
        const { accountId } = yield* CurrentCaller
        // While the database is unavailable, the shared catalog is still listed.
        const { document } = yield* store.read(accountId).pipe(
          LedgerUnavailable.within(storeTimeoutMs),
          Effect.catch((cause) =>
            Effect.as(Effect.logWarning("Models are listed without the account's own", cause), noModels))
        )
        const snapshot = accountCatalog(yield* catalog.snapshot, document)
        return {
          models: listModels(snapshot, query),
          catalogVersion: snapshot.version,
          refreshedAt: snapshot.refreshedAt.toISOString(),
          stale: snapshot.stale
        }
      })
  } satisfies Handlers<typeof Api.groups.models>
})
