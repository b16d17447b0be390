/** Port: the models that can be recommended, with their prices. */
import { Context, type Effect } from "effect"
import type { CatalogSnapshot } from "../domain/model/Model.ts"

/** The models with their prices. Reading the catalog never fails, because the last good snapshot is kept. */
export class Catalog extends Context.Service<Catalog, {
  readonly snapshot: Effect.Effect<CatalogSnapshot>
}>()("sextant/catalog/Catalog") {}
