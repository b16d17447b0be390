/* The port through which reports ask the engine for models and predictions. */
import { Context, Effect } from "effect"
import type { DecisionCandidate } from "../domain/Decision.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import type { AccountId } from "../domain/Scope.ts"

export interface KindName {
  readonly lane: string
  readonly cluster: string
}

interface PredictorPort {
  readonly catalog: (accountId: AccountId) => Effect.Effect<Pick<CatalogSnapshot, "models" | "shared">>
  /**
   * If the ids are null, predicts for the account's default candidates, or without defaults for the catalog's
   * short list.
   */
  readonly candidates: (
    accountId: AccountId,
    kind: KindName,
    modelIds: ReadonlyArray<string> | null
  ) => Effect.Effect<ReadonlyArray<DecisionCandidate>>
}

/** Without a driver, the predictor knows no model. */
export const Predictor = Context.Reference<PredictorPort>("sextant/reports/Predictor", {
  defaultValue: () => ({
    catalog: () => Effect.succeed({ models: [] }), candidates: () => Effect.succeed([])
  })
})
