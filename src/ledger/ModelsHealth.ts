/* The port for the health of models: whether a model can be called, as the account's callers report. */
import { Context, Effect } from "effect"
import type { ModelCard } from "../domain/model/Model.ts"
import { modelIdOf } from "../domain/model/ModelVariant.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { ModelHealth } from "../stats/ModelHealth.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** The health of a model or provider, and until when one caller tries it. */
export interface UnhealthyModel extends ModelHealth {
  /** Ms since 1970; 0 while no caller tries it. */
  readonly triedUntilMs: number
}

/** The health of an account's models. Models that are not listed are healthy. */
export interface AccountHealth {
  /** Each model with broken calls lately, and each provider that fails as a whole. */
  readonly known: ReadonlyArray<UnhealthyModel>
}

export const allHealthy: AccountHealth = { known: [] }

/** The outage of a model, or of its whole provider, which comes first; undefined if both are healthy. */
export const unhealthOf = (
  { known }: AccountHealth,
  { modelId, provider }: Pick<ModelCard, "modelId" | "provider">
): UnhealthyModel | undefined => {
  const own = modelIdOf(modelId)
  return known.find((each) => !each.isHealthy && each.modelId === null && each.provider === provider)
    ?? known.find((each) => !each.isHealthy && each.modelId === own && each.provider === provider)
}

interface ModelsHealthPort {
  /** Reads health from all copies' reports, at most a second old, or the last known if the ledger is out. */
  readonly read: (accountId: AccountId) => Effect.Effect<AccountHealth, LedgerUnavailable>
  /** Lets one recommendation try an unhealthy model; false while another recommendation tries it. */
  readonly tryOut: (
    accountId: AccountId,
    of: UnhealthyModel,
    recommendationId: RecommendationId
  ) => Effect.Effect<boolean, LedgerUnavailable>
}

/** The health of models by account. Without a driver every model is healthy. */
export const ModelsHealth = Context.Reference<ModelsHealthPort>("sextant/ledger/ModelsHealth", {
  defaultValue: () => ({ read: () => Effect.succeed(allHealthy), tryOut: () => Effect.succeed(false) })
})
