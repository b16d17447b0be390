/* The port through which reports ask the engine for models and their predictions. */
import { Context, Effect } from "effect"
import type { DecisionCandidate } from "../domain/Decision.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import type { AccountId } from "../domain/Scope.ts"

/** A kind of task of a lane. */
export interface KindName {
  readonly lane: string
  readonly cluster: string
}

interface PredictorPort {
  /** Reads the account's catalog of models. */
  readonly catalog: (accountId: AccountId) => Effect.Effect<Pick<CatalogSnapshot, "models" | "shared">>
  /**
   * Predicts success and cost of models that may run this kind of task now. Predictions rest on the lane's
   * memory and on priors. With null ids the models are the account's default candidates, or else the
   * catalog's short list. Retired models are left out.
   */
  readonly candidates: (
    accountId: AccountId,
    kind: KindName,
    modelIds: ReadonlyArray<string> | null
  ) => Effect.Effect<ReadonlyArray<DecisionCandidate>>
}

/** The engine's predictor. Without a driver it knows no model. */
export const Predictor = Context.Reference<PredictorPort>("sextant/reports/Predictor", {
  defaultValue: () => ({
    catalog: () => Effect.succeed({ models: [] }), candidates: () => Effect.succeed([])
  })
})
