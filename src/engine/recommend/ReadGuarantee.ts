/** Stage: reads the evidence of a guarantee in the lane, beside the recall. */
import { Effect } from "effect"
import { GuaranteeEvidences, type GuaranteeQuery } from "../../ledger/GuaranteeEvidence.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import type { GuaranteeEvidence } from "../../stats/GuaranteeTransitions.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** The evidence of a guarantee. Fails past the recall budget. */
export const readGuarantee = Effect.fnUntraced(function*(
  query: GuaranteeQuery
): Effect.fn.Return<GuaranteeEvidence, LedgerUnavailable, Settings> {
  const { guaranteeRule, recallBudgetMs } = yield* Settings
  const guarantees = yield* GuaranteeEvidences
  return yield* guarantees.read(query, guaranteeRule).pipe(LedgerUnavailable.within(recallBudgetMs))
}, stage("guarantee"))
