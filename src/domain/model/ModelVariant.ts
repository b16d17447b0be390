/* Variants: a model at one level of reasoning effort, as a candidate of its own. Imports nothing. */

/** The name of a level: one word of at most 32 characters. Providers use at most seven. */
export const effortPattern = /^[a-z0-9][a-z0-9._-]{0,31}$/u

const isEffort = (text: string): boolean => effortPattern.test(text)

/**
 * The separator of model and level in a request. No known catalog or provider writes `#` before a plain word.
 * Fireworks writes `#` before a path: `model#accounts/…/deployments/…`.
 */
const writtenSeparator = "#"

/**
 * The separator in stored ids of variants: in engine, ledger and memory. Requests have another separator, so
 * that a model that an account named `gpt-5#low` keeps its id.
 */
const keptSeparator = "#effort="

/** A model at one level of effort. */
export interface ModelVariant {
  /** Our id of the model. */
  readonly modelId: string
  readonly effort: string
}

/** Returns the stored id of a variant, which is used wherever a model's id is. */
export const variantIdOf = ({ effort, modelId }: ModelVariant): string =>
  `${modelId}${keptSeparator}${effort}`

/** Returns the variant of a stored id; null for the id of a model. */
export const variantOf = (id: string): ModelVariant | null => {
  const at = id.lastIndexOf(keptSeparator)
  if (at <= 0) return null
  const effort = id.slice(at + keptSeparator.length)
  return isEffort(effort) ? { modelId: id.slice(0, at), effort } : null
}

/** Returns a stored id as evidence and reports name it: the model, and its level if any. */
export const namedOf = (id: string): { readonly modelId: string; readonly effort?: string } =>
  variantOf(id) ?? { modelId: id }

/** Returns the model of a stored id. */
export const modelIdOf = (id: string): string => variantOf(id)?.modelId ?? id
const effortOf = (id: string): string | null => variantOf(id)?.effort ?? null

/** A model and its level; null without a level. */
export interface NamedModel {
  readonly modelId: string
  readonly effort: string | null
}

export const nameOfKept = (id: string): NamedModel => ({ modelId: modelIdOf(id), effort: effortOf(id) })

/** Returns a stored id as the report fields of the pick. */
export const pickNameOf = (id: string) => {
  const effort = effortOf(id)
  return { recommendedModelId: modelIdOf(id), ...(effort === null ? {} : { recommendedEffort: effort }) }
}

/** Returns a stored id as the report fields of the declared baseline; null without one. */
export const baselineNameOf = (id: string | null) => {
  const effort = id === null ? null : effortOf(id)
  return {
    baselineModelId: id === null ? null : modelIdOf(id),
    ...(effort === null ? {} : { baselineEffort: effort })
  }
}

/** Reads the name of a level in any case; null for a text that cannot be one. */
export const readEffort = (text: string): string | null => {
  const effort = text.toLowerCase()
  return isEffort(effort) ? effort : null
}

/** Reads a model and level, such as `gpt-5#low`; null for an id without a level. */
export const readVariant = (id: string): ModelVariant | null => {
  const kept = variantOf(id)
  const at = id.lastIndexOf(writtenSeparator)
  if (kept !== null || at <= 0) return kept
  const effort = readEffort(id.slice(at + writtenSeparator.length))
  return effort === null ? null : { modelId: id.slice(0, at), effort }
}

/** Returns a caller's id without its level. */
export const withoutLevel = (id: string): string => readVariant(id)?.modelId ?? id

/** Returns the stored id of a model at a caller's level; the model's id without a valid level. */
export const atLevel = ({ effort, modelId }: NamedModel): string => {
  const level = effort === null ? null : readEffort(effort)
  return level === null ? modelId : variantIdOf({ modelId, effort: level })
}

/** Returns a model and its level, if any, as a request may send them. */
export const writtenOf = (
  { effort, modelId }: { readonly modelId: string; readonly effort?: string }
): string =>
  effort === undefined ? modelId : `${modelId}${writtenSeparator}${effort}`

/** Returns a stored id as a request may send it. */
export const variantName = (id: string): string => writtenOf(namedOf(id))

/** Returns another name of a stored id's model, with the id's level, as a request may send it. */
export const writtenAs = (name: string, id: string): string => writtenOf({ ...namedOf(id), modelId: name })
