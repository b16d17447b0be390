/* Finds the models that a request names, by any of their aliases, and the ids that name no model. */
import { findModel } from "../../../catalog/Lookup.ts"
import { offeringNamed } from "../../../catalog/Offerings.ts"
import { variantOf } from "../../../domain/model/ModelVariant.ts"
import type { CatalogSnapshot, ModelCard } from "../../../domain/model/Model.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"

export type NamingRequest = Pick<RecommendRequest, "constraints" | "incumbentModelId" | "baselineModelId">

export interface NamedModels {
  /** Ids of the named candidates, as in the catalog if it has the model; null if no candidate is named. */
  readonly candidates: ReadonlySet<string> | null
  /** Variants among the named candidates, which the catalog's list does not contain. */
  readonly variants: ReadonlyArray<ModelCard>
  readonly excluded: ReadonlySet<string>
  /** The named candidates, incumbent and baseline whose retirement date is known. */
  readonly dated: ReadonlyArray<ModelCard>
  /** The incumbent's id in the catalog, else the caller's id; null if the request names no incumbent. */
  readonly incumbentModelId: string | null
  readonly baselineModelId: string | null
  /** True if deployments are candidates too: the request limits data regions or names a deployment. */
  readonly isOffered: boolean
  /** Ids that name no model, each listed once. */
  readonly unknownIds: ReadonlyArray<string>
}

export const namedModels = (
  snapshot: CatalogSnapshot,
  { baselineModelId, constraints, incumbentModelId }: NamingRequest
): NamedModels => {
  const unknownIds = new Set<string>()
  const dated = new Set<ModelCard>()
  const variants = new Set<ModelCard>()
  let isOffered = constraints.dataRegions !== null
  const cardOf = (id: string): ModelCard | undefined => {
    const card = findModel(snapshot, id)
    if (card === undefined) unknownIds.add(id)
    return card
  }
  const wanted = (id: string): ModelCard | undefined => {
    const card = cardOf(id)
    if (card?.facts?.retiresOn != null) dated.add(card)
    return card
  }
  const candidate = (id: string): string => {
    const card = wanted(id)
    if (card !== undefined && variantOf(card.modelId) !== null) variants.add(card)
    isOffered ||= offeringNamed(snapshot, id) !== undefined
    return card?.modelId ?? id
  }
  const wantedOrNull = (id: string | null) => id === null ? null : wanted(id)?.modelId ?? id
  const candidates = constraints.candidateModels === null
    ? null
    : new Set(constraints.candidateModels.map(candidate))
  return {
    candidates,
    isOffered,
    variants: [...variants],
    excluded: new Set((constraints.excludedModels ?? []).map((id) => cardOf(id)?.modelId ?? id)),
    incumbentModelId: wantedOrNull(incumbentModelId),
    baselineModelId: wantedOrNull(baselineModelId),
    dated: [...dated],
    unknownIds: [...unknownIds]
  }
}

/** Returns the first requested name of each named candidate, incumbent or baseline, by the catalog's id. */
export const requestedNamesOf = (
  snapshot: CatalogSnapshot,
  { baselineModelId, constraints, incumbentModelId }: NamingRequest
): ReadonlyMap<string, string> => {
  const requestedNames = new Map<string, string>()
  for (const id of [...constraints.candidateModels ?? [], incumbentModelId, baselineModelId]) {
    const card = id === null ? undefined : findModel(snapshot, id)
    if (id === null || card === undefined || requestedNames.has(card.modelId)) continue
    requestedNames.set(card.modelId, id)
  }
  return requestedNames
}
