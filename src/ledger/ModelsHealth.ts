/* The port for the health of models: whether they can be called, by the reports of the account's callers. */
import { Context, Effect } from "effect"
import type { ModelCard } from "../domain/model/Model.ts"
import { modelIdOf } from "../domain/model/ModelVariant.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { ModelHealth } from "../stats/ModelHealth.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** A model or provider that is left out of choices, and until when one caller tries it. */
export interface UnhealthyModel extends ModelHealth {
  /** Ms since 1970; 0 while no caller tries it. */
  readonly triedUntilMs: number
}

/** The health of an account's models; models that are not listed are healthy. */
export interface AccountHealth {
  /** Each model that broke lately, and each provider that fails as a whole. */
  readonly known: ReadonlyArray<UnhealthyModel>
}

export const allHealthy: AccountHealth = { known: [] }

/** The outage of a model: its provider's if there is one, otherwise its own; undefined if it is healthy. */
export const unhealthOf = (
  { known }: AccountHealth,
  { modelId, provider }: Pick<ModelCard, "modelId" | "provider">
): UnhealthyModel | undefined => {
  const own = modelIdOf(modelId)
  return known.find((each) => !each.isHealthy && each.modelId === null && each.provider === provider)
    ?? known.find((each) => !each.isHealthy && each.modelId === own && each.provider === provider)
}

interface ModelsHealthPort {
  /** At most a second old, from reports to all copies; the last known while the ledger is out. */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountHealth, LedgerUnavailable>
  /** Reserves the try of an unhealthy model for a recommendation; false while another has it. */
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
