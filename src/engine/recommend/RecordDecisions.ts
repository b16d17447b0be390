/** Last stage: writes decisions to the ledger, before their answers leave. */
import { Effect } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { type BudgetCheck, type BudgetExhausted, Ledger, LedgerUnavailable } from "../../ledger/Ledger.ts"
import { Settings } from "../Settings.ts"

/**
 * Writes the decisions of one request together; yields why the check refuses them, or null. Fails past the
 * ledger's budget.
 */
export const recordDecisions = Effect.fnUntraced(function*(
  decisions: readonly [Decision, ...Array<Decision>],
  check: BudgetCheck | null
): Effect.fn.Return<BudgetExhausted | null, LedgerUnavailable, Ledger | Settings> {
  const { ledgerBudgetMs } = yield* Settings
  const ledger = yield* Ledger
  const written = check === null ? ledger.record(decisions) : ledger.recordWithin(decisions, check)
  return yield* written.pipe(
    LedgerUnavailable.within(ledgerBudgetMs),
    Effect.as(null),
    Effect.catchTag("BudgetExhausted", (refusal) => Effect.succeed(refusal))
  )
})
