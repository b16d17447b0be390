/* Excludes models with an unknown price if cost is limited. */
import { isPriceUnknown } from "../../../catalog/Offerings.ts"
import { modelIdOf } from "../../../domain/model/ModelVariant.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import { type Pool, type PoolRule, restricted } from "./Pool.ts"

/**
 * Warns of each model with an unknown price, and excludes such models if a cost limit applies. If the prices
 * of all models are unknown, no model is excluded.
 *
 * @param isLimited true if the task has a limit on its total cost, or the account has a hard budget
 */
export const withKnownPrices = (
  settings: PoolRule,
  pool: Pool,
  maxCostPerCall: number | null,
  isLimited: boolean
): { readonly pool: Pool; readonly notes: ReadonlyArray<RecommendWarning> } => {
  // Only routes such as `gpt-5:online` can have unknown prices.
  const unknown = pool.named.isOffered ? pool.rows.cards.filter(isPriceUnknown) : []
  if (unknown.length === 0) return { pool, notes: [] }
  const notes = unknown.map(({ modelId }) => `price_unknown:${modelIdOf(modelId)}` as const)
  if (maxCostPerCall === null && !isLimited) return { pool, notes }
  const priced = restricted(settings, pool, (card) => !isPriceUnknown(card))
  if (priced.members.length > 0) return { pool: priced, notes }
  return { pool, notes: maxCostPerCall === null ? notes : [...notes, "no_model_within_cost_budget"] }
}
