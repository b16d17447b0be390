/* The port through which reports ask the engine for models and predictions. */
import { Context, Effect } from "effect"
import type { DecisionCandidate } from "../domain/Decision.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import type { AccountId } from "../domain/Scope.ts"

/** A kind of task in a lane. */
export interface KindName {
  readonly lane: string
  readonly cluster: string
}

interface PredictorPort {
  readonly catalog: (accountId: AccountId) => Effect.Effect<Pick<CatalogSnapshot, "models" | "shared">>
  /**
   * Predicts success and cost of the models that may currently run this kind of task. The predictions rest on
   * the lane's memory and on priors. If the ids are null, the models are the account's default candidates;
   * without defaults, the catalog's short list. Retired models are left out.
   */
  readonly candidates: (
    accountId: AccountId,
    kind: KindName,
    modelIds: ReadonlyArray<string> | null
  ) => Effect.Effect<ReadonlyArray<DecisionCandidate>>
}

/** The predictor of the engine. Without a driver, the predictor knows no model. */
export const Predictor = Context.Reference<PredictorPort>("sextant/reports/Predictor", {
  defaultValue: () => ({
    catalog: () => Effect.succeed({ models: [] }), candidates: () => Effect.succeed([])
  })
})
