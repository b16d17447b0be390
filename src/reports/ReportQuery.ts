/* The queries of reports, and the window of decisions that each query covers. */
import type { CallOutcome } from "../domain/reports/Dashboard.ts"
import type { GroupBy } from "../domain/reports/Report.ts"
import { readVariant, variantIdOf } from "../domain/model/ModelVariant.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { dayMs } from "../domain/Time.ts"
import { rangeOf } from "../domain/Units.ts"
import type { LedgerWindow } from "./LedgerWindow.ts"

export interface ReportQuery {
  readonly accountId: AccountId
  /** The namespace to report on; null for every lane of the account. */
  readonly namespace: string | null
  /** Length of the window, which ends now, in days, in (0, 365]. */
  readonly days: number
  /** Calendar dates that replace `days`, such as `2026-11-01/2026-11-14`; see `ReportDates`. */
  readonly dates?: string
  readonly model?: string
  readonly tag?: string
  readonly userId?: string
}

/** If `groupBy` is null, the answer has no groups. */
export interface SavingsQuery extends ReportQuery {
  readonly groupBy?: GroupBy | null
}

export interface CallsQuery extends ReportQuery {
  readonly outcome?: CallOutcome
  readonly before?: string
}

export interface RetirementQuery extends Omit<ReportQuery, "model"> {
  readonly modelId: string
}

export const windowAt = (nowMs: number, query: ReportQuery): LedgerWindow => {
  const { accountId, dates, days, model, namespace, tag, userId } = query
  const variant = model === undefined ? null : readVariant(model)
  return {
    accountId,
    lane: namespace === null ? null : laneOf(namespace),
    ...(dates === undefined ? { since: new Date(nowMs - days * dayMs) } : rangeOf(dates)),
    ...(model === undefined ? {} : { modelId: variant === null ? model : variantIdOf(variant) }),
    ...(tag === undefined ? {} : { tag }),
    ...(userId === undefined ? {} : { userId })
  }
}

export const daysOf = ({ dates, days }: ReportQuery): number => {
  if (dates === undefined) return days
  const { since, until } = rangeOf(dates)
  return (until.getTime() - since.getTime()) / dayMs
}

export const ungrouped = ({ groupBy: _, ...query }: SavingsQuery): ReportQuery => query
