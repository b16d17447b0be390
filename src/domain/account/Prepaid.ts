/* Quota that an account has paid already: which of its models have some, and what is used of it. */
import { Schema } from "effect"
import { modelIdOf } from "../model/ModelVariant.ts"
import { dayMs } from "../Time.ts"
import type { AccountModel, AccountModels } from "./AccountModels.ts"

/** What is used of the quota of one model since it was set. */
const PrepaidUse = Schema.Struct({
  /** When it was set, ISO 8601: calls that were recommended before do not count. */
  since: Schema.String,
  /** Tokens, >= 0; above the quota where calls under way used more than was left. */
  used: Schema.Finite
})

/** The use of each quota, by the model's id. */
export const PrepaidUses = Schema.Record(Schema.String, PrepaidUse)
export type PrepaidUses = typeof PrepaidUses.Type

export const noPrepaidUses: PrepaidUses = {}

/** Tokens that a call of a prepaid model is expected to use, by the kept id of a model or a variant. */
export const PrepaidEstimates = Schema.Record(Schema.String, Schema.Finite)
export type PrepaidEstimates = typeof PrepaidEstimates.Type

type PrepaidTerms = Pick<AccountModel, "modelId" | "prepaidTokens" | "prepaidUntil">

const useOf = (uses: PrepaidUses, modelId: string) =>
  Object.hasOwn(uses, modelId) ? uses[modelId] : undefined

/** Tokens that are left of a model's quota, >= 0, whatever its last day is; null without a quota. */
export const tokensLeft = ({ modelId, prepaidTokens }: PrepaidTerms, uses: PrepaidUses): number | null =>
  prepaidTokens === null ? null : Math.max(0, prepaidTokens - (useOf(uses, modelId)?.used ?? 0))

/** Ids of the models whose next call is paid already: tokens are left, and the last day in UTC goes on. */
export const prepaidModels = (
  { models }: AccountModels,
  uses: PrepaidUses,
  nowMs: number
): ReadonlySet<string> =>
  new Set(models.flatMap((model) =>
    (tokensLeft(model, uses) ?? 0) > 0
      && (model.prepaidUntil === null || nowMs < Date.parse(model.prepaidUntil) + dayMs)
      ? [model.modelId]
      : []))

/**
 * The uses under a document that takes the place of another: a quota that stays the same goes on, and another
 * one begins now.
 */
export const usesAfter = (
  before: { readonly document: AccountModels; readonly prepaid: PrepaidUses },
  document: AccountModels,
  now: string
): PrepaidUses => {
  const olds = new Map(before.document.models.map((model) => [model.modelId, model]))
  return Object.fromEntries(document.models.flatMap((model) => {
    if (model.prepaidTokens === null) return []
    const old = olds.get(model.modelId)
    const use = useOf(before.prepaid, model.modelId)
    const isSame = old?.prepaidTokens === model.prepaidTokens && old.prepaidUntil === model.prepaidUntil
    return [[model.modelId, isSame && use !== undefined ? use : { since: now, used: 0 }]]
  }))
}

/** Tokens that a call of a model was expected to use where they were paid already; null where not. */
export const prepaidEstimate = (estimates: PrepaidEstimates | undefined, id: string): number | null => {
  if (estimates === undefined) return null
  const known = [id, modelIdOf(id)].find((each) => Object.hasOwn(estimates, each))
  return known === undefined ? null : estimates[known] ?? null
}
