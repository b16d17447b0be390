/* Variants: models at one level of reasoning effort, each a candidate. This file imports nothing. */

/** The form of a level's name: one word of at most 32 characters. */
export const effortPattern = /^[a-z0-9][a-z0-9._-]{0,31}$/u

const isEffort = (text: string): boolean => effortPattern.test(text)

/** The separator in requests. Fireworks writes `#` only before a path: `model#accounts/…/deployments/…` */
const writtenSeparator = "#"

/** The separator in stored ids; it is longer than `#`, because an account may call its model `gpt-5#low`. */
const keptSeparator = "#effort="

export interface ModelVariant {
  readonly modelId: string
  readonly effort: string
}

export const variantIdOf = ({ effort, modelId }: ModelVariant): string =>
  `${modelId}${keptSeparator}${effort}`

/** Returns the variant that a stored id names; null if the id names a model without a level. */
export const variantOf = (id: string): ModelVariant | null => {
  const at = id.lastIndexOf(keptSeparator)
  if (at <= 0) return null
  const effort = id.slice(at + keptSeparator.length)
  return isEffort(effort) ? { modelId: id.slice(0, at), effort } : null
}

export const namedOf = (id: string): { readonly modelId: string; readonly effort?: string } =>
  variantOf(id) ?? { modelId: id }

export const modelIdOf = (id: string): string => variantOf(id)?.modelId ?? id
const effortOf = (id: string): string | null => variantOf(id)?.effort ?? null

export interface NamedModel {
  readonly modelId: string
  readonly effort: string | null
}

export const nameOfKept = (id: string): NamedModel => ({ modelId: modelIdOf(id), effort: effortOf(id) })

/** Returns the fields of a report that name a recommended model and its effort, from a stored id. */
export const pickNameOf = (id: string) => {
  const effort = effortOf(id)
  return { recommendedModelId: modelIdOf(id), ...(effort === null ? {} : { recommendedEffort: effort }) }
}

/** Returns the fields of a report that name a baseline and its effort; the model is null if `id` is null. */
export const baselineNameOf = (id: string | null) => {
  const effort = id === null ? null : effortOf(id)
  return {
    baselineModelId: id === null ? null : modelIdOf(id),
    ...(effort === null ? {} : { baselineEffort: effort })
  }
}

/** Reads the name of a level in any case; null for a text that cannot be a level. */
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

export const withoutLevel = (id: string): string => readVariant(id)?.modelId ?? id

/** Returns the stored id of a model at the caller's level; the model's id if there is no valid level. */
export const atLevel = ({ effort, modelId }: NamedModel): string => {
  const level = effort === null ? null : readEffort(effort)
  return level === null ? modelId : variantIdOf({ modelId, effort: level })
}

/** Returns the text by which a request may name a model and its level. */
export const writtenOf = (
  { effort, modelId }: { readonly modelId: string; readonly effort?: string }
): string =>
  effort === undefined ? modelId : `${modelId}${writtenSeparator}${effort}`

/** Returns the text by which a request may name the model of a stored id. */
export const variantName = (id: string): string => writtenOf(namedOf(id))

/** Returns the text by which a request may name a variant, with `name` in place of its model's id. */
export const writtenAs = (name: string, id: string): string => writtenOf({ ...namedOf(id), modelId: name })
