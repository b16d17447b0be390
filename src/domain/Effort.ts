/* Levels of reasoning effort, and arms: a model at one level, which is a candidate of its own. */
import { Schema } from "effect"

/** Longest name of a level, characters. Those of providers have at most seven. */
const effortLengthMax = 32

const named = /^[a-z0-9][a-z0-9._-]*$/

/** The name of a level as providers write it, for example `low`. */
export const Effort = Schema.String.check(
  Schema.isMaxLength(effortLengthMax),
  Schema.makeFilter((text: string) =>
    named.test(text) || "Expected lower-case letters, digits, points, dashes and underscores")
)

/** Whether a text is the name of a level. */
const isEffort = Schema.is(Effort)

/**
 * What stands between a model's id and a level in a request. No id of a known catalog or provider holds it
 * before a plain word: Fireworks writes it before a path, `model#accounts/…/deployments/…`.
 */
export const effortSeparator = "#"

/**
 * What stands there in the id by which the engine, the ledger and memory keep an arm. It differs from the
 * request's, so that a model that an account has named `gpt-5#low` by itself stays what it is.
 */
const keptSeparator = "#effort="

/** What the document says of `effort` beside the id of a model in evidence and reports. */
export const effortWords = "The level of reasoning effort of that model; absent where it has none."

/** A model at one level of effort. */
export interface Arm {
  /** Our id of the model. */
  readonly modelId: string
  readonly effort: string
}

/** The id by which an arm is kept, in every place where the id of a model is. */
export const armIdOf = ({ effort, modelId }: Arm): string => `${modelId}${keptSeparator}${effort}`

/** The arm that a kept id stands for; null for the id of a model. */
export const armOf = (id: string): Arm | null => {
  const at = id.lastIndexOf(keptSeparator)
  if (at <= 0) return null
  const effort = id.slice(at + keptSeparator.length)
  return isEffort(effort) ? { modelId: id.slice(0, at), effort } : null
}

/** A kept id as evidence and reports name it: the model, and beside it the level where there is one. */
export const namedOf = (id: string): { readonly modelId: string; readonly effort?: string } =>
  armOf(id) ?? { modelId: id }

/** The model of a kept id, and then its level, null without one. */
export const modelIdOf = (id: string): string => armOf(id)?.modelId ?? id
export const effortOf = (id: string): string | null => armOf(id)?.effort ?? null

/** The name of a level as a caller wrote it, in any case; null for a text that can be none. */
export const readEffort = (text: string): string | null => {
  const effort = text.toLowerCase()
  return isEffort(effort) ? effort : null
}

/** What a caller wrote of a model and a level, `gpt-5#low`; null for an id that names no level. */
export const readArm = (id: string): Arm | null => {
  const kept = armOf(id)
  const at = id.lastIndexOf(effortSeparator)
  if (kept !== null || at <= 0) return kept
  const effort = readEffort(id.slice(at + effortSeparator.length))
  return effort === null ? null : { modelId: id.slice(0, at), effort }
}

/** A kept id as one word that a request may send. */
export const armName = (id: string): string => {
  const arm = armOf(id)
  return arm === null ? id : `${arm.modelId}${effortSeparator}${arm.effort}`
}
