/** Stages: the reads of an account beside the recall, within the recall's time limit. */
import { Effect } from "effect"
import { AccountBudgets, type OpenBudget } from "../../accounts/AccountBudgets.ts"
import { type AccountSetting, AccountSettings } from "../../accounts/AccountSettings.ts"
import type { Budget } from "../../domain/account/Budget.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { GuaranteeEvidences, type GuaranteeQuery } from "../../ledger/GuaranteeEvidence.ts"
import { LaneCalibrations } from "../../ledger/LaneCalibration.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { type AccountHealth, ModelsHealth } from "../../ledger/ModelsHealth.ts"
import type { GuaranteeEvidence } from "../../stats/GuaranteeStates.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import { span, stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** Fails past the recall budget; the reading then goes on in the background and serves later requests. */
const inTime = <A>(reading: Effect.Effect<A, LedgerUnavailable>) =>
  Settings.use(({ recallBudgetMs }) => reading.pipe(LedgerUnavailable.within(recallBudgetMs)))

/** The account's settings, for all stages of a request. */
export const readAccountSettings = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<AccountSetting, LedgerUnavailable, Settings> {
  return yield* inTime((yield* AccountSettings).read(accountId))
}, span("accountSettings"))

/** The state of the account's budget; null without one. */
export const readBudget = Effect.fnUntraced(function*(
  accountId: AccountId,
  budget: Budget | null
): Effect.fn.Return<OpenBudget | null, LedgerUnavailable, Settings> {
  return budget === null ? null : yield* inTime((yield* AccountBudgets).read(accountId, budget))
}, span("budget"))

/** The evidence of a guarantee in the lane. */
export const readGuarantee = Effect.fnUntraced(function*(
  query: GuaranteeQuery
): Effect.fn.Return<GuaranteeEvidence, LedgerUnavailable, Settings> {
  const { guaranteeRule } = yield* Settings
  return yield* inTime((yield* GuaranteeEvidences).read(query, guaranteeRule))
}, stage("guarantee"))

/** Which of the account's models cannot be called now. */
export const readHealth = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<AccountHealth, LedgerUnavailable, Settings> {
  return yield* inTime((yield* ModelsHealth).read(accountId))
}, stage("health"))

/** The lane's numbers; those of a new lane if it has none. */
export const readLaneNumbers = Effect.fnUntraced(function*(
  accountId: AccountId,
  lane: Lane
): Effect.fn.Return<LaneNumbers, LedgerUnavailable, LaneCalibrations | Settings> {
  const { laneStart } = yield* Settings
  return (yield* inTime((yield* LaneCalibrations).read(accountId, lane))) ?? laneStart
}, stage("laneNumbers"))
