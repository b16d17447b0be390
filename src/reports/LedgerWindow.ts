/* The decisions of an account that a report covers. */
import type { AccountId, Lane } from "../domain/Scope.ts"

/** The decisions of an account from `since` on that match every field that is set. */
export interface LedgerWindow {
  readonly accountId: AccountId
  /** The lane of the decisions; null for all lanes of the account. */
  readonly lane: Lane | null
  readonly since: Date
  readonly until?: Date
  readonly modelId?: string
  readonly tag?: string
  readonly userId?: string
}

/**
 * Widens the window to all decisions of the account, in whole UTC months with one more month on each side.
 * The ratio of bills to estimates is learned from a call's month and the months before and after.
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
