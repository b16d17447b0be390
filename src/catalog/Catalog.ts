import { Context, type Effect } from "effect"
import type { CatalogSnapshot } from "../domain/Model.ts"

/** The models and their prices. Never fails: the last good snapshot is kept and says whether it is stale. */
export class Catalog extends Context.Service<Catalog, {
  readonly snapshot: Effect.Effect<CatalogSnapshot>
}>()("sextant/catalog/Catalog") {}
