/* The port through which reports ask the engine what it knows of models beyond the ledger. */
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
  /** The models as the account sees them. */
  readonly catalog: (accountId: AccountId) => Effect.Effect<Pick<CatalogSnapshot, "models" | "shared">>
  /**
   * Predictions and costs of the models that may run a task of this kind now, by the lane's memory and by
   * priors: of these ids alone, else of the account's default candidates or the catalog's short list. Retired
   * models are left out; none where nothing may run.
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
