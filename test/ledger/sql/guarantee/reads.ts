/* Reads of a guarantee's evidence, for the suites of its driver. */
import { Effect, Layer } from "effect"
import { noRestarts } from "../../../../src/domain/model/ModelIdentity.ts"
import { type AccountId, laneOf } from "../../../../src/domain/Scope.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { type EvidenceRule, GuaranteeEvidences, type GuaranteeQuery } from "../../../../src/ledger/GuaranteeEvidence.ts"
import * as GuaranteeEvidenceSql from "../../../../src/ledger/sql/guarantee/GuaranteeEvidenceSql.ts"

/** Reads at once what is written; a label of a judge waits for nothing. */
export const rule: EvidenceRule = { ...defaults.guaranteeRule, writeWaitMs: -1_000, labelWaitMs: 0 }

export const queryOf = (accountId: AccountId, over: Partial<GuaranteeQuery> = {}): GuaranteeQuery => ({
  accountId, lane: laneOf(null), baselineModelId: "dear", maxQualityLoss: 0.05, confidence: 0.95,
  restarts: noRestarts, ...over
})

/** The evidence for a process that has read nothing yet. */
export const read = (query: GuaranteeQuery, own = rule) =>
  Effect.flatMap(GuaranteeEvidences, (guarantees) => guarantees.read(query, own)).pipe(
    Effect.provide(Layer.fresh(GuaranteeEvidenceSql.layer))
  )
