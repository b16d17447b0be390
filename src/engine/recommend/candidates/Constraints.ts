/**
 * The catalog constraints of a request: one predicate each. Cost and latency budgets are in `choice/Budgets`.
 */
import { findModel } from "../../../catalog/Lookup.ts"
import type { CatalogSnapshot, ModelCard } from "../../../domain/Model.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"

/**
 * The models that the constraints allow, one predicate per catalog constraint, in the specification's order.
 * The cost and latency budgets act once cost and latency are known, since only then can they be relaxed.
 */
export const allowed = (
  snapshot: CatalogSnapshot,
  { constraints }: Pick<RecommendRequest, "constraints">
): ReadonlyArray<ModelCard> => {
  const canonical = (ids: ReadonlyArray<string>) =>
    new Set(ids.map((id) => findModel(snapshot, id)?.modelId ?? id))
  const listed = constraints.candidateModels === null ? null : canonical(constraints.candidateModels)
  const providers = constraints.allowedProviders === null
    ? null
    : new Set(constraints.allowedProviders.map((name) => name.toLowerCase()))
  const excluded = canonical(constraints.excludedModels ?? [])
  const contextWindow = constraints.requireContextWindow ?? 0
  return snapshot.models.filter((card) =>
    (listed === null || listed.has(card.modelId))
    && (providers === null || providers.has(card.provider.toLowerCase()))
    && !excluded.has(card.modelId)
    && (!constraints.requirePromptCaching || card.supportsPromptCaching)
    && card.contextWindow >= contextWindow
  )
}
