/* Variants: a model at one level of reasoning effort, which is a candidate of its own. Imports nothing. */

/** The name of a level: one word of at most 32 characters. Those of providers have at most seven. */
export const effortPattern = /^[a-z0-9][a-z0-9._-]{0,31}$/u

const isEffort = (text: string): boolean => effortPattern.test(text)

/**
 * What stands between a model's id and a level in a request. No id of a known catalog or provider holds it
 * before a plain word: Fireworks writes it before a path, `model#accounts/…/deployments/…`.
 */
const writtenSeparator = "#"

/**
 * What stands there in the id by which the engine, the ledger and memory keep a variant. It differs from the
 * request's, so that a model that an account has named `gpt-5#low` by itself stays what it is.
 */
const keptSeparator = "#effort="

/** A model at one level of effort. */
export interface ModelVariant {
  /** Our id of the model. */
  readonly modelId: string
  readonly effort: string
}

/** The id by which a variant is kept, in every place where the id of a model is. */
export const variantIdOf = ({ effort, modelId }: ModelVariant): string =>
  `${modelId}${keptSeparator}${effort}`

/** The variant that a kept id stands for; null for the id of a model. */
export const variantOf = (id: string): ModelVariant | null => {
  const at = id.lastIndexOf(keptSeparator)
  if (at <= 0) return null
  const effort = id.slice(at + keptSeparator.length)
  return isEffort(effort) ? { modelId: id.slice(0, at), effort } : null
}

/** A kept id as evidence and reports name it: the model, and beside it the level where there is one. */
export const namedOf = (id: string): { readonly modelId: string; readonly effort?: string } =>
  variantOf(id) ?? { modelId: id }

/** The model of a kept id, and then its level, null without one. */
export const modelIdOf = (id: string): string => variantOf(id)?.modelId ?? id
const effortOf = (id: string): string | null => variantOf(id)?.effort ?? null

/** The model of a kept id and its level, null without one. */
export interface NamedModel {
  readonly modelId: string
  readonly effort: string | null
}

export const nameOfKept = (id: string): NamedModel => ({ modelId: modelIdOf(id), effort: effortOf(id) })

/** A kept id under the names that reports have for the pick. */
export const pickNameOf = (id: string) => {
  const effort = effortOf(id)
  return { recommendedModelId: modelIdOf(id), ...(effort === null ? {} : { recommendedEffort: effort }) }
}

/** A kept id under those for the declared baseline; null without one. */
export const baselineNameOf = (id: string | null) => {
  const effort = id === null ? null : effortOf(id)
  return {
    baselineModelId: id === null ? null : modelIdOf(id),
    ...(effort === null ? {} : { baselineEffort: effort })
  }
}

/** The name of a level as a caller wrote it, in any case; null for a text that can be none. */
export const readEffort = (text: string): string | null => {
  const effort = text.toLowerCase()
  return isEffort(effort) ? effort : null
}

/** What a caller wrote of a model and a level, `gpt-5#low`; null for an id that names no level. */
export const readVariant = (id: string): ModelVariant | null => {
  const kept = variantOf(id)
  const at = id.lastIndexOf(writtenSeparator)
  if (kept !== null || at <= 0) return kept
  const effort = readEffort(id.slice(at + writtenSeparator.length))
  return effort === null ? null : { modelId: id.slice(0, at), effort }
}

/** What a caller wrote, without the level that it names. */
export const withoutLevel = (id: string): string => readVariant(id)?.modelId ?? id

/** Our id of a model at the level that a caller names beside it; of the model where that names none. */
export const atLevel = ({ effort, modelId }: NamedModel): string => {
  const level = effort === null ? null : readEffort(effort)
  return level === null ? modelId : variantIdOf({ modelId, effort: level })
}

/** A model, and its level where there is one, as one word that a request may send. */
export const writtenOf = (
  { effort, modelId }: { readonly modelId: string; readonly effort?: string }
): string =>
  effort === undefined ? modelId : `${modelId}${writtenSeparator}${effort}`

/** A kept id as a request may send it. */
export const variantName = (id: string): string => writtenOf(namedOf(id))

/** A name of the model of a kept id as a request may send it for that id. */
export const writtenAs = (name: string, id: string): string => writtenOf({ ...namedOf(id), modelId: name })
