/* Handles `GET /v1/models`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AccountModelsStore, noModels } from "../accounts/AccountModels.ts"
import { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import { accountCatalog } from "../catalog/AccountCatalog.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { listModels } from "../catalog/Lookup.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { deadline } from "../resilience/Deadline.ts"

/** Longest wait for the account's own models, ms. */
const storeTimeoutMs = 2_000

export const layer = HttpApiBuilder.group(Api, "models", Effect.fnUntraced(function*(handlers) {
  const catalog = yield* Catalog
  const store = yield* AccountModelsStore
  return handlers.handleAll({
    models: ({ query }) =>
      Effect.gen(function*() {
        const { accountId } = yield* CurrentCaller
        // The shared catalog goes on being listed while the database is down.
        const { document } = yield* store.read(accountId).pipe(
          deadline(storeTimeoutMs, () => LedgerUnavailable.timedOut(storeTimeoutMs)),
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
  })
}))
