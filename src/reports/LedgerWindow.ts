/* The decisions of an account that a report covers. */
import type { AccountId, Lane } from "../domain/Scope.ts"

/** Decisions created at or after `since`. Each further field narrows them. */
export interface LedgerWindow {
  readonly accountId: AccountId
  /** The only lane to read; null for all lanes of the account. */
  readonly lane: Lane | null
  readonly since: Date
  /** Only decisions created before this time. */
  readonly until?: Date
  /** Only decisions that recommended this model, by the id that the ledger keeps. */
  readonly modelId?: string
  /** Only decisions with this tag. */
  readonly tag?: string
  /** Only decisions of this user. */
  readonly userId?: string
}

/**
 * The window widened to all lanes, and to whole UTC months with one month more on each side. The ratio of
 * bills to estimates is learned from a call's month and the months next to it. Outliers are judged within a
 * call's month.
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
