// The bundled catalog, read once for all suites of a worker, as it is or without its models' last days.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Ref } from "effect"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { bundledRows } from "../../src/catalog/file/CatalogFile.ts"
import { type CatalogRows, reader } from "../../src/catalog/Snapshot.ts"
import type { CatalogSnapshot } from "../../src/domain/model/Model.ts"

let rows: Promise<CatalogRows> | undefined

/** The bundled catalog by the test's clock; no layer reads the files again. */
export const bundledCatalog = Layer.effect(
  Catalog,
  Effect.promise(() => rows ??= Effect.runPromise(Effect.provide(bundledRows, NodeServices.layer))).pipe(
    Effect.flatMap(Ref.make), Effect.map((held) => Catalog.of({ snapshot: reader(held) }))
  )
)

/** A catalog without the models' last days. */
export const undated = (snapshot: CatalogSnapshot): CatalogSnapshot => ({
  ...snapshot,
  models: snapshot.models.map((card) =>
    card.facts === undefined ? card : { ...card, facts: { ...card.facts, retiresOn: null } })
})

/** The bundled catalog without the models' last days, so that a test on the real clock does not depend on its date. */
export const undatedCatalog = Layer.effect(
  Catalog,
  Effect.flatMap(Catalog, ({ snapshot }) => Effect.map(snapshot, (read) => {
    const kept = Effect.succeed(undated(read))
    return Catalog.of({ snapshot: kept })
  }))
).pipe(Layer.provide(bundledCatalog))
