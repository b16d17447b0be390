/** Stage: reads which of the account's models cannot be called now, beside the recall. */
import { Effect } from "effect"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { type AccountHealth, ModelsHealth } from "../../ledger/ModelsHealth.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** The health of the account's models. Fails past the recall budget. */
export const readHealth = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<AccountHealth, LedgerUnavailable, Settings> {
  const { recallBudgetMs } = yield* Settings
  const health = yield* ModelsHealth
  return yield* health.read(accountId).pipe(LedgerUnavailable.within(recallBudgetMs))
}, stage("health"))
