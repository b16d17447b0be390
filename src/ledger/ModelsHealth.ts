/* The port for whether models can be called, as an account's own callers have reported it. */
import { Context, Effect } from "effect"
import type { ModelCard } from "../domain/model/Model.ts"
import { modelIdOf } from "../domain/model/ModelVariant.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { ModelHealth } from "../stats/ModelHealth.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** A model, or a provider as a whole, that others pass by, and until when another caller tries it. */
export interface UnhealthyModel extends ModelHealth {
  /** Ms since 1970; 0 while no caller tries it. */
  readonly triedUntilMs: number
}

/** What is known of an account's models; all that is not listed is well. */
export interface AccountHealth {
  /** Each model that broke lately, and each provider that fails as a whole. */
  readonly known: ReadonlyArray<UnhealthyModel>
}

export const allHealthy: AccountHealth = { known: [] }

/** What stands against a model: its provider's outage, or else its own; undefined for a healthy one. */
export const unhealthOf = (
  { known }: AccountHealth,
  { modelId, provider }: Pick<ModelCard, "modelId" | "provider">
): UnhealthyModel | undefined => {
  const own = modelIdOf(modelId)
  return known.find((each) => !each.isHealthy && each.modelId === null && each.provider === provider)
    ?? known.find((each) => !each.isHealthy && each.modelId === own && each.provider === provider)
}

interface ModelsHealthPort {
  /** As of a second ago at most, by reports to any copy; the last known while the ledger is out. */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountHealth, LedgerUnavailable>
  /** Lends the try of an unhealthy model to a recommendation; false while another has it. */
  readonly tryOut: (
    accountId: AccountId,
    of: UnhealthyModel,
    recommendationId: RecommendationId
  ) => Effect.Effect<boolean, LedgerUnavailable>
}

/** Health by account, counted as reports are applied. Without a driver every model is healthy. */
export const ModelsHealth = Context.Reference<ModelsHealthPort>("sextant/ledger/ModelsHealth", {
  defaultValue: () => ({ read: () => Effect.succeed(allHealthy), tryOut: () => Effect.succeed(false) })
})
