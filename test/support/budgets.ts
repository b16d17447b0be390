import { Effect, Layer } from "effect"
import { AccountBudgets, makeAccountBudgets } from "../../src/accounts/AccountBudgets.ts"
import { AccountSettings, followsService } from "../../src/accounts/AccountSettings.ts"
import type { Budget } from "../../src/domain/account/Budget.ts"
import { defaults } from "../../src/engine/Settings.ts"
import type { LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { type LedgerSpend, noSpend } from "../../src/stats/BudgetState.ts"
import { periodAt } from "../../src/stats/BudgetPacing.ts"

/** The spending in a ledger without a decision. */
export const unspent = (period: Budget["period"], nowMs = Date.now()): LedgerSpend => ({
  period: periodAt(period, nowMs), spend: noSpend, lastDay: noSpend, hourly: [0], knownHours: 0, shift: null
})

/** Gives every account one budget, and the spending that `look` yields. */
export const budgetOf = (
  budget: Budget | null,
  look: Effect.Effect<LedgerSpend, LedgerUnavailable> = Effect.sync(() => unspent(budget?.period ?? "day"))
): Layer.Layer<never> =>
  Layer.merge(
    Layer.succeed(AccountSettings, {
      read: () => Effect.succeed({ ...followsService, budget }), write: () => Effect.void
    }),
    Layer.effect(AccountBudgets, makeAccountBudgets(defaults.pacing, () => look))
  )
