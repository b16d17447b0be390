/* Finds the model or variant that a feedback is about. */
import { findModel } from "../../../catalog/Lookup.ts"
import type { Decision } from "../../../domain/Decision.ts"
import { variantIdOf, variantOf, modelIdOf, readEffort } from "../../../domain/model/ModelVariant.ts"
import type { CatalogSnapshot } from "../../../domain/model/Model.ts"
import type { FeedbackRequest } from "../../../domain/feedback/Feedback.ts"
import type { FeedbackWarning } from "../../../domain/Warning.ts"

export interface Attributed {
  /** The catalog's id of the model that ran, or the caller's name if the catalog does not have the model. */
  readonly chosenModelId: string
  readonly nameWarnings: ReadonlyArray<FeedbackWarning>
}

type Deciding = Pick<Decision, "baselineModelId" | "candidates" | "isShadow" | "recommendedModelId">

/** Returns the candidates that are the model or its variants, else the baseline if the baseline is one. */
const namedIn = ({ baselineModelId, candidates }: Deciding, modelId: string): ReadonlyArray<string> => {
  const isOfModel = (id: string): boolean => modelIdOf(id) === modelId
  const own = [...new Set(candidates.map((candidate) => candidate.modelId).filter(isOfModel))]
  return own.length > 0 || baselineModelId === null || !isOfModel(baselineModelId) ? own : [baselineModelId]
}

/**
 * The effort counts only if the decision or the feedback names a variant. A candidate without an effort also
 * gets the outcomes of efforts that are no candidates.
 */
const atEffort = (
  snapshot: CatalogSnapshot,
  decision: Deciding,
  named: string,
  chosenEffort: string
): Attributed => {
  const modelId = modelIdOf(named)
  const own = namedIn(decision, modelId)
  if (variantOf(named) === null && own.every((id) => variantOf(id) === null)) {
    return { chosenModelId: named, nameWarnings: [] }
  }
  const effort = readEffort(chosenEffort)
  const variantId = effort === null ? null : variantIdOf({ modelId, effort })
  if (variantId !== null && own.includes(variantId)) return { chosenModelId: variantId, nameWarnings: [] }
  if (own.includes(modelId)) return { chosenModelId: modelId, nameWarnings: [] }
  return variantId !== null && findModel(snapshot, variantId) !== undefined
    ? { chosenModelId: variantId, nameWarnings: [] }
    : { chosenModelId: modelId, nameWarnings: ["unknown_effort"] }
}

/**
 * Returns the variant that ran, if the feedback names no effort: the recommended variant for the recommended
 * model. In shadow the caller ran its own default model, so the baseline's variant counts. If a model that
 * was not recommended has a single candidate variant, returns this variant. If the model has several
 * candidate variants, the outcome counts for the model itself, so that no variant learns from another.
 */
const withoutEffort = (decision: Deciding, named: string): string => {
  if (variantOf(named) !== null) return named
  const own = namedIn(decision, named)
  const expected = decision.isShadow ? decision.baselineModelId : decision.recommendedModelId
  if (expected !== null && modelIdOf(expected) === named) return expected
  const [only = named, ...others] = own
  return own.includes(named) || others.length > 0 ? named : only
}

export const attributed = (
  snapshot: CatalogSnapshot,
  decision: Deciding,
  named: string,
  { chosenEffort }: Pick<FeedbackRequest, "chosenEffort">
): Attributed =>
  chosenEffort === null
    ? { chosenModelId: withoutEffort(decision, named), nameWarnings: [] }
    : atEffort(snapshot, decision, named, chosenEffort)

/**
 * Returns the model in a feedback's idempotency key. Two efforts of a model have two keys, if the decision
 * counts them as variants. A feedback that names no model keeps its key, so that a repeated feedback does not
 * count for a model reported meanwhile.
 *
 * @param given the feedback with the catalog's id of its model
 */
export const keyedName = (
  given: Pick<FeedbackRequest, "chosenEffort" | "chosenModelId">,
  { chosenModelId: ran }: Attributed
): string | null => {
  const variant = given.chosenEffort === null ? null : variantOf(ran)
  if (variant === null) return given.chosenModelId
  return given.chosenModelId === null ? variantIdOf({ ...variant, modelId: "" }) : ran
}
