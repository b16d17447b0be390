/* Which decisions of an account a report is about. */
import type { AccountId, Lane } from "../domain/Scope.ts"

/** Decisions created at or after `since`; all lanes of the account when `lane` is null. */
export interface LedgerWindow {
  readonly accountId: AccountId
  readonly lane: Lane | null
  readonly since: Date
  /** Only those created before it. */
  readonly until?: Date
  /** Only those that recommended this model, by the id by which it is kept; with this tag; of this user. */
  readonly modelId?: string
  readonly tag?: string
  readonly userId?: string
}

/**
 * All that the account decided in the months of a window, UTC, and beside them. Bills of a call's month and
 * of those beside it say how bills compare with estimates; those of its month, which one is an outlier.
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
