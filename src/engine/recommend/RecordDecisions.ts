/** Last stage: the decisions in the ledger, before their answers leave. */
import { Effect } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { Ledger, LedgerUnavailable } from "../../ledger/Ledger.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { Settings } from "../Settings.ts"

/** Writes the decisions of one request together. Fails past the ledger's budget. */
export const recordDecisions = Effect.fnUntraced(function*(
  decisions: readonly [Decision, ...Array<Decision>]
): Effect.fn.Return<void, LedgerUnavailable, Ledger | Settings> {
  const { ledgerBudgetMs } = yield* Settings
  yield* (yield* Ledger).record(decisions).pipe(
    deadline(ledgerBudgetMs, () => LedgerUnavailable.timedOut(ledgerBudgetMs))
  )
})
