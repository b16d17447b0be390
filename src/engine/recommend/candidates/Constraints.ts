/** A request's constraints on catalog facts. Limits on cost and latency: `policies/WithinLimits.ts`. */
import { onePerModel, servedBy } from "../../../catalog/Offerings.ts"
import { byInputPrice } from "../../../catalog/Snapshot.ts"
import { modelIdOf } from "../../../domain/model/ModelVariant.ts"
import type { Constraints } from "../../../domain/Constraints.ts"
import type { CatalogSnapshot, ModelCard } from "../../../domain/model/Model.ts"
import type { InferredRequirements } from "../../../domain/model/Facts.ts"
import type { NamedModels } from "./NamedModels.ts"
import { declaredNeeds, inferredNeeds } from "./Needs.ts"

interface CatalogConstraint {
  readonly name: string
  readonly allows: (card: ModelCard) => boolean
  /** True if it is unknown whether a model satisfies the constraint. */
  readonly isUnknown?: (card: ModelCard) => boolean
}

export interface ConstraintRequest {
  readonly constraints: Constraints
  readonly inferredRequirements: InferredRequirements | null
}

/** The constraints are in the specification's order. */
const constraintsOf = (
  { constraints, inferredRequirements }: ConstraintRequest,
  { candidates, excluded }: Pick<NamedModels, "candidates" | "excluded">
): ReadonlyArray<CatalogConstraint> => {
  const { allowedProviders, requireContextWindow, requirePromptCaching } = constraints
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
    { name: "require_context_window", allows: (card) => card.contextWindow >= contextWindow },
    ...declaredNeeds(constraints).map(({ known, name }) => ({
      name,
      allows: (card: ModelCard) => known(card) === true,
      isUnknown: (card: ModelCard) => known(card) === null
    })),
    ...inferredNeeds(inferredRequirements).map(({ known, name }) => ({
      name, allows: (card: ModelCard) => known(card) !== false
    }))
  ]
}

const cardsIn = (
  { models, open = models }: CatalogSnapshot,
  { variants, candidates }: NamedModels
): ReadonlyArray<ModelCard> => {
  if (candidates === null) return open
  return variants.length === 0 ? models : [...models, ...variants].sort(byInputPrice)
}

/** Deployments are included if the request limits data regions or names a deployment. */
const candidatesIn = (
  snapshot: CatalogSnapshot,
  { candidateModels }: Constraints,
  named: NamedModels
): ReadonlyArray<ModelCard> => {
  const cards = cardsIn(snapshot, named)
  return named.isOffered ? servedBy(snapshot, cards, candidateModels) : cards
}

export const allowed = (
  snapshot: CatalogSnapshot,
  asked: ConstraintRequest,
  named: NamedModels
): ReadonlyArray<ModelCard> => {
  const all = constraintsOf(asked, named)
  const left = candidatesIn(snapshot, asked.constraints, named)
    .filter((card) => all.every(({ allows }) => allows(card)))
  return named.isOffered ? onePerModel(left) : left
}

interface Removal {
  readonly constraint: string
  readonly count: number
  /** Removed models for which it is not known whether they satisfy the constraint, count. */
  readonly unknown: number
}

/** Counts the models that each constraint removes, applied one after another. */
export const removals = (
  snapshot: CatalogSnapshot,
  asked: ConstraintRequest,
  named: NamedModels
): ReadonlyArray<Removal> => {
  let left = candidatesIn(snapshot, asked.constraints, named)
  return constraintsOf(asked, named).flatMap(({ allows, isUnknown = () => false, name }) => {
    const kept = left.filter(allows)
    const count = left.length - kept.length
    const unknown = left.filter(isUnknown).length
    left = kept
    return count === 0 ? [] : [{ constraint: name, count, unknown }]
  })
}
