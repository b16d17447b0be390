/** Stage: the guarantee that a request is made under, its own or its account's. */
import { Effect } from "effect"
import { AccountSettings } from "../../accounts/AccountSettings.ts"
import type { GuaranteeTerms } from "../../domain/Guarantee.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { span } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** The account's guarantee; null without one. Fails past the recall budget. */
export const readGuaranteeTerms = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<GuaranteeTerms | null, LedgerUnavailable, Settings> {
  const { recallBudgetMs } = yield* Settings
  const accounts = yield* AccountSettings
  const own = yield* accounts.read(accountId).pipe(
    deadline(recallBudgetMs, () => LedgerUnavailable.timedOut(recallBudgetMs))
  )
  return own.guarantee
}, span("guaranteeTerms"))
