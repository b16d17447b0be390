import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { layerBundled } from "../../src/catalog/file/CatalogFile.ts"
import type { CatalogSnapshot } from "../../src/domain/model/Model.ts"

/** A catalog whose models have no last day. */
export const undated = (snapshot: CatalogSnapshot): CatalogSnapshot => ({
  ...snapshot,
  models: snapshot.models.map((card) =>
    card.facts === undefined ? card : { ...card, facts: { ...card.facts, retiresOn: null } })
})

/**
 * The bundled catalog whose models have no last day: what a test on the real clock asks must not depend on the day on
 * which it runs.
 */
export const undatedCatalog = Layer.effect(
  Catalog,
  Effect.flatMap(Catalog, ({ snapshot }) => Effect.map(snapshot, (read) => {
    const kept = Effect.succeed(undated(read))
    return Catalog.of({ snapshot: kept })
  }))
).pipe(Layer.provide(layerBundled), Layer.provide(NodeServices.layer), Layer.orDie)
