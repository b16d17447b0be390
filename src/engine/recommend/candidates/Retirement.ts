/* Finds models that their providers have retired or will retire soon. */
import { findModel } from "../../../catalog/Lookup.ts"
import { modelIdOf } from "../../../domain/model/ModelVariant.ts"
import type { CatalogSnapshot, ModelCard } from "../../../domain/model/Model.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import { dayMs, dayOf } from "../../../domain/Time.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { NamedModels } from "./NamedModels.ts"

const lastDayOf = ({ facts }: ModelCard): string | null => facts?.retiresOn?.value ?? null

/** @param today the present day in UTC, YYYY-MM-DD */
export const isRetired = (card: ModelCard, today: string): boolean => {
  const lastDay = lastDayOf(card)
  return lastDay !== null && lastDay < today
}

/** Warns of each retired candidate, incumbent or baseline that the request names. */
export const retiredWarnings = (
  { dated }: Pick<NamedModels, "dated">,
  today: string
): ReadonlyArray<RecommendWarning> => {
  const retired = dated.filter((card) => isRetired(card, today)).map(({ modelId }) => modelIdOf(modelId))
  return [...new Set(retired)].map((id) => `model_retired:${id}` as const)
}

/** Warns if the last day of the pick, the incumbent or the baseline is near. */
export const retiringWarnings = (
  { retirementNoticeDays }: Pick<EngineSettings, "retirementNoticeDays">,
  snapshot: CatalogSnapshot,
  { baselineModelId, incumbentModelId }: Pick<RecommendRequest, "baselineModelId" | "incumbentModelId">,
  pick: ModelCard,
  nowMs: number
): ReadonlyArray<RecommendWarning> => {
  const named = [incumbentModelId, baselineModelId]
    .map((id) => id === null ? undefined : findModel(snapshot, id))
  return [pick, ...named].flatMap((card) => {
    const lastDay = card === undefined ? null : lastDayOf(card)
    return card !== undefined && lastDay !== null && lastDay >= dayOf(nowMs)
        && lastDay <= dayOf(nowMs + retirementNoticeDays * dayMs)
      ? [`model_retiring:${modelIdOf(card.modelId)}:${lastDay}` as const]
      : []
  })
}
