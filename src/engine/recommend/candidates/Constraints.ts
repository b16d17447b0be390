/**
 * The catalog constraints of a request: one predicate each. `choice/CallLimits.ts` limits cost and latency.
 */
import { byInputPrice } from "../../../catalog/Snapshot.ts"
import { modelIdOf } from "../../../domain/model/Arm.ts"
import type { Constraints } from "../../../domain/Constraints.ts"
import type { CatalogSnapshot, ModelCard } from "../../../domain/model/Model.ts"
import type { NamedModels } from "./NamedModels.ts"

/** One constraint on the models of the catalog. */
interface CatalogConstraint {
  /** Its field, in wire spelling. */
  readonly name: string
  readonly allows: (card: ModelCard) => boolean
}

/** The constraints that a request has, in the specification's order. */
const constraintsOf = (
  { allowedProviders, requireContextWindow, requirePromptCaching }: Constraints,
  { candidates, excluded }: Pick<NamedModels, "candidates" | "excluded">
): ReadonlyArray<CatalogConstraint> => {
  const providers = allowedProviders === null
    ? null
    : new Set(allowedProviders.map((name) => name.toLowerCase()))
  const contextWindow = requireContextWindow ?? 0
  return [
    { name: "candidate_models", allows: (card) => candidates === null || candidates.has(card.modelId) },
    {
      name: "allowed_providers",
      allows: (card) => providers === null || providers.has(card.provider.toLowerCase())
    },
    {
      name: "excluded_models",
      allows: ({ modelId }) => !excluded.has(modelId) && !excluded.has(modelIdOf(modelId))
    },
    { name: "require_prompt_caching", allows: (card) => !requirePromptCaching || card.supportsPromptCaching },
    { name: "require_context_window", allows: (card) => card.contextWindow >= contextWindow }
  ]
}

/**
 * The models, and the arms, that a request may choose from before its constraints, in the catalog's order.
 */
const candidatesIn = (
  { models, open = models }: CatalogSnapshot,
  { arms, candidates }: NamedModels
): ReadonlyArray<ModelCard> => {
  if (candidates === null) return open
  return arms.length === 0 ? models : [...models, ...arms].sort(byInputPrice)
}

/**
 * The models that the constraints allow. The limits on cost and latency act once cost and latency are known,
 * since only then can they be relaxed.
 */
export const allowed = (
  snapshot: CatalogSnapshot,
  constraints: Constraints,
  named: NamedModels
): ReadonlyArray<ModelCard> => {
  const all = constraintsOf(constraints, named)
  return candidatesIn(snapshot, named).filter((card) => all.every(({ allows }) => allows(card)))
}

/** How many models a constraint removed of those that the constraints before it had left. */
interface Removal {
  readonly constraint: string
  readonly count: number
}

/** What each constraint removed, one after another; those that removed nothing are left out. */
export const removals = (
  snapshot: CatalogSnapshot,
  constraints: Constraints,
  named: NamedModels
): ReadonlyArray<Removal> => {
  let left = candidatesIn(snapshot, named)
  return constraintsOf(constraints, named).flatMap(({ allows, name }) => {
    const kept = left.filter(allows)
    const count = left.length - kept.length
    left = kept
    return count === 0 ? [] : [{ constraint: name, count }]
  })
}
