/* The decisions of an account that a report covers. */
import type { AccountId, Lane } from "../domain/Scope.ts"

/**
 * The decisions of an account that were created at or after `since`. Each further field restricts the
 * decisions more.
 */
export interface LedgerWindow {
  readonly accountId: AccountId
  /** The lane of the decisions; null for all lanes of the account. */
  readonly lane: Lane | null
  readonly since: Date
  /** If set, only decisions created before this time. */
  readonly until?: Date
  /** If set, only decisions that recommended this model, by the id in the ledger. */
  readonly modelId?: string
  /** If set, only decisions with this tag. */
  readonly tag?: string
  /** If set, only decisions of this user. */
  readonly userId?: string
}

/**
 * Widens the window to all lanes, and to whole UTC months with one more month on each side. The ratio of
 * bills to estimates is learned from a call's month, the month before and the month after. Whether a cost is
 * an outlier is judged within the call's month.
 */
export const monthsOf = ({ accountId, since, until }: LedgerWindow): LedgerWindow => {
  const startOf = (at: Date, months: number) =>
    new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months))
  return {
    accountId,
    lane: null,
    since: startOf(since, -1),
    ...(until === undefined ? {} : { until: startOf(new Date(until.getTime() - 1), 2) })
  }
}
