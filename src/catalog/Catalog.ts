/** Port of the models that can be recommended, with their prices. */
import { Context, type Effect } from "effect"
import type { CatalogSnapshot } from "../domain/model/Model.ts"

/** The models and their prices. It never fails, because it keeps the last good snapshot. */
export class Catalog extends Context.Service<Catalog, {
  readonly snapshot: Effect.Effect<CatalogSnapshot>
}>()("sextant/catalog/Catalog") {}
