/* Handles `GET /v1/models`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { listModels } from "../catalog/Lookup.ts"

export const layer = HttpApiBuilder.group(Api, "models", Effect.fnUntraced(function*(handlers) {
  const catalog = yield* Catalog
  return handlers.handleAll({
    models: ({ query }) =>
      Effect.map(catalog.snapshot, (snapshot) => ({
        models: listModels(snapshot, query),
        catalogVersion: snapshot.version,
        refreshedAt: snapshot.refreshedAt.toISOString(),
        stale: snapshot.stale
      }))
  })
}))
