/* The port for the health of models: whether the account's callers report that a model can be called. */
import { Context, Effect } from "effect"
import type { ModelCard } from "../domain/model/Model.ts"
import { modelIdOf } from "../domain/model/ModelVariant.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { ModelHealth } from "../stats/ModelHealth.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

export interface UnhealthyModel extends ModelHealth {
  /** End of the present try, ms since 1970; 0 while no caller tries the model. */
  readonly triedUntilMs: number
}

/** A model or provider that is not in `known` counts as healthy. */
export interface AccountHealth {
  readonly known: ReadonlyArray<UnhealthyModel>
}

export const allHealthy: AccountHealth = { known: [] }

/** Returns the outage of a model's provider, otherwise of the model; undefined if both are healthy. */
export const unhealthOf = (
  { known }: AccountHealth,
  { modelId, provider }: Pick<ModelCard, "modelId" | "provider">
): UnhealthyModel | undefined => {
  const own = modelIdOf(modelId)
  return known.find((each) => !each.isHealthy && each.modelId === null && each.provider === provider)
    ?? known.find((each) => !each.isHealthy && each.modelId === own && each.provider === provider)
}

interface ModelsHealthPort {
  /** Reads health at most a second old, or the last known health if the ledger is slow or unavailable. */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountHealth, LedgerUnavailable>
  /** Lets one recommendation try an unhealthy model; returns false while another one tries the model. */
  readonly tryOut: (
    accountId: AccountId,
    of: UnhealthyModel,
    recommendationId: RecommendationId
  ) => Effect.Effect<boolean, LedgerUnavailable>
}

/** If no driver is provided, every model counts as healthy. */
export const ModelsHealth = Context.Reference<ModelsHealthPort>("sextant/ledger/ModelsHealth", {
  defaultValue: () => ({ read: () => Effect.succeed(allHealthy), tryOut: () => Effect.succeed(false) })
})
