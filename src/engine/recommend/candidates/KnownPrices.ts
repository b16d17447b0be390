/* Excludes models with an unknown price if the request has a limit on cost. */
import { isPriceUnknown } from "../../../catalog/Offerings.ts"
import { modelIdOf } from "../../../domain/model/ModelVariant.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import { type Pool, type PoolRule, restricted } from "./Pool.ts"

/**
 * Warns of each model with an unknown price, and excludes such models if the request has a limit on cost. An
 * unknown price is assumed to be the plain model's price, which may be too low. If all models have unknown
 * prices, they stay.
 *
 * @param isLimited true if the task has a limit on its total cost, or the account has a hard budget
 */
export const withKnownPrices = (
  settings: PoolRule,
  pool: Pool,
  maxCostPerCall: number | null,
  isLimited: boolean
): { readonly pool: Pool; readonly notes: ReadonlyArray<RecommendWarning> } => {
  // Only deployments can have unknown prices.
  const unknown = pool.named.isOffered ? pool.rows.cards.filter(isPriceUnknown) : []
  if (unknown.length === 0) return { pool, notes: [] }
  const notes = unknown.map(({ modelId }) => `price_unknown:${modelIdOf(modelId)}` as const)
  if (maxCostPerCall === null && !isLimited) return { pool, notes }
  const priced = restricted(settings, pool, (card) => !isPriceUnknown(card))
  if (priced.members.length > 0) return { pool: priced, notes }
  return { pool, notes: maxCostPerCall === null ? notes : [...notes, "no_model_within_cost_budget"] }
}
