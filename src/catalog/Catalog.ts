/** Port: the models that can be recommended, with their prices. */
import { Context, type Effect } from "effect"
import type { CatalogSnapshot } from "../domain/model/Model.ts"

/** Reading the catalog never fails. If prices cannot be refreshed, the last good snapshot stays. */
export class Catalog extends Context.Service<Catalog, {
  readonly snapshot: Effect.Effect<CatalogSnapshot>
}>()("sextant/catalog/Catalog") {}
