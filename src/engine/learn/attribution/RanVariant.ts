/* The model or variant that a feedback is about. */
import { findModel } from "../../../catalog/Lookup.ts"
import type { Decision } from "../../../domain/Decision.ts"
import { variantIdOf, variantOf, modelIdOf, readEffort } from "../../../domain/model/ModelVariant.ts"
import type { CatalogSnapshot } from "../../../domain/model/Model.ts"
import type { FeedbackWarning } from "../../../domain/Warning.ts"

/** What a feedback is about. */
export interface Attributed {
  /** Our id of the model or the variant that ran; the caller's own where it names none. */
  readonly chosenModelId: string
  /** That the effort which the feedback names is none of the model, which then has the outcome. */
  readonly nameWarnings: ReadonlyArray<FeedbackWarning>
}

type Deciding = Pick<Decision, "baselineModelId" | "candidates" | "isShadow" | "recommendedModelId">

/**
 * The model and the variants of it that a decision is about, by id, each once: its candidates, else its
 * baseline.
 */
const namedIn = ({ baselineModelId, candidates }: Deciding, modelId: string): ReadonlyArray<string> => {
  const isOfModel = (id: string): boolean => modelIdOf(id) === modelId
  const own = [...new Set(candidates.map((candidate) => candidate.modelId).filter(isOfModel))]
  return own.length > 0 || baselineModelId === null || !isOfModel(baselineModelId) ? own : [baselineModelId]
}

/**
 * What ran, by a feedback that names an effort. The effort counts where the decision has a variant of the
 * model, or the feedback names one: otherwise a level is what the caller likes to write there, as before
 * there were variants. A candidate without a level is the model at any level that is no candidate itself.
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
 * What ran, by a feedback that names no effort: the recommended variant where its model is the recommended
 * one; in shadow, where the caller ran its own default, the baseline's. Of another model the one variant that
 * was a candidate, and the model itself where there are several: none of them may learn what another did.
 */
const withoutEffort = (decision: Deciding, named: string): string => {
  if (variantOf(named) !== null) return named
  const own = namedIn(decision, named)
  const expected = decision.isShadow ? decision.baselineModelId : decision.recommendedModelId
  if (expected !== null && modelIdOf(expected) === named) return expected
  const [only = named, ...others] = own
  return own.includes(named) || others.length > 0 ? named : only
}

/** What a feedback is about, given its decision. */
export const attributed = (
  snapshot: CatalogSnapshot,
  decision: Deciding,
  named: string,
  chosenEffort: string | null
): Attributed =>
  chosenEffort === null
    ? { chosenModelId: withoutEffort(decision, named), nameWarnings: [] }
    : atEffort(snapshot, decision, named, chosenEffort)
