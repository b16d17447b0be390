/** Last stage: writes decisions to the ledger, before their answers leave. */
import { Effect } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { type BudgetExhausted, Ledger, LedgerUnavailable } from "../../ledger/Ledger.ts"
import { Settings } from "../Settings.ts"
import { budgetCheck, endHolds, type Holds } from "../BudgetHolds.ts"

/**
 * Writes all decisions of one request in one call of the ledger. Returns the budget's refusal, or null if the
 * decisions are written. Fails if the ledger is unavailable or exceeds the time limit. If the write fails,
 * the decisions' costs stay reserved until a later decision is written.
 */
export const recordDecisions = Effect.fnUntraced(function*(
  decisions: readonly [Decision, ...Array<Decision>],
  holds: Holds
): Effect.fn.Return<BudgetExhausted | null, LedgerUnavailable, Ledger | Settings> {
  const settings = yield* Settings
  const ledger = yield* Ledger
  const check = budgetCheck(settings, holds)
  const written = check === null ? ledger.record(decisions) : ledger.recordWithin(decisions, check)
  return yield* written.pipe(
    LedgerUnavailable.within(settings.ledgerBudgetMs),
    Effect.as(null),
    Effect.catchTag("BudgetExhausted", (refusal) => Effect.succeed(refusal)),
    Effect.tapError(() => endHolds(holds, "waiting"))
  )
})
