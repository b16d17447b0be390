/** Stages that read data of an account, such as its settings, within a recall's time limit. */
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

type InTime<A, R = never> = Effect.Effect<A, LedgerUnavailable, R | Settings>

const inTime = <A>(reading: Effect.Effect<A, LedgerUnavailable>): InTime<A> =>
  Settings.use(({ recallBudgetMs }) => reading.pipe(LedgerUnavailable.within(recallBudgetMs)))

const readingSettings = span("accountSettings")

export const readAccountSettings = (accountId: AccountId): InTime<AccountSetting> =>
  readingSettings(AccountSettings.use(({ read }) => inTime(read(accountId))))

const readingBudget = span("budget")

export const readBudget = (accountId: AccountId, budget: Budget | null): InTime<OpenBudget | null> =>
  budget === null
    ? Effect.succeed(null)
    : readingBudget(AccountBudgets.use(({ read }) => inTime(read(accountId, budget))))

const readingGuarantee = stage("guarantee")

export const readGuarantee = (query: GuaranteeQuery): InTime<GuaranteeEvidence> =>
  readingGuarantee(GuaranteeEvidences.use(({ read }) =>
    Settings.use(({ guaranteeRule }) => inTime(read(query, guaranteeRule)))))

const readingHealth = stage("health")

export const readHealth = (accountId: AccountId): InTime<AccountHealth> =>
  readingHealth(ModelsHealth.use(({ read }) => inTime(read(accountId))))

const readingNumbers = stage("laneNumbers")

/** Returns the starting numbers if the lane has learned nothing. */
export const readLaneNumbers = (accountId: AccountId, lane: Lane): InTime<LaneNumbers, LaneCalibrations> =>
  readingNumbers(LaneCalibrations.use(({ read }) => Settings.use(({ laneStart }) =>
    Effect.map(inTime(read(accountId, lane)), (own) => own ?? laneStart))))
