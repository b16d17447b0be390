/* The port for the health of models: whether the account's callers report that a model can be called. */
import { Context, Effect } from "effect"
import type { ModelCard } from "../domain/model/Model.ts"
import { modelIdOf } from "../domain/model/ModelVariant.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { ModelHealth } from "../stats/ModelHealth.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** The health of a model or provider, and the time until which one caller tries it. */
export interface UnhealthyModel extends ModelHealth {
  /** End of the present try, ms since 1970; 0 while no caller tries the model. */
  readonly triedUntilMs: number
}

/** The health of an account's models. Models that are not listed are healthy. */
export interface AccountHealth {
  /** Each model whose calls broke lately, and each provider that fails as a whole. */
  readonly known: ReadonlyArray<UnhealthyModel>
}

export const allHealthy: AccountHealth = { known: [] }

/**
 * Returns the outage of a model's whole provider or, if there is none, of the model; undefined if both are
 * healthy.
 */
export const unhealthOf = (
  { known }: AccountHealth,
  { modelId, provider }: Pick<ModelCard, "modelId" | "provider">
): UnhealthyModel | undefined => {
  const own = modelIdOf(modelId)
  return known.find((each) => !each.isHealthy && each.modelId === null && each.provider === provider)
    ?? known.find((each) => !each.isHealthy && each.modelId === own && each.provider === provider)
}

interface ModelsHealthPort {
  /**
   * Reads health from the reports to all processes, at most a second old. If the ledger is unavailable, the
   * last known health is returned.
   */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountHealth, LedgerUnavailable>
  /**
   * Lets one recommendation try an unhealthy model; returns false while another recommendation tries the
   * model.
   */
  readonly tryOut: (
    accountId: AccountId,
    of: UnhealthyModel,
    recommendationId: RecommendationId
  ) => Effect.Effect<boolean, LedgerUnavailable>
}

/** The health of models by account. If no driver is provided, every model counts as healthy. */
export const ModelsHealth = Context.Reference<ModelsHealthPort>("sextant/ledger/ModelsHealth", {
  defaultValue: () => ({ read: () => Effect.succeed(allHealthy), tryOut: () => Effect.succeed(false) })
})
