/* When retention must not trust the database's clock, and what it remembers of that clock. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { serviceAccount } from "../../domain/Scope.ts"
import { dayMs } from "../../domain/Time.ts"
import { withAccount } from "../AccountScope.ts"
import { retentionSettings } from "./RetentionSettings.ts"

/** Why nothing is dropped. */
export interface RetentionRefusal {
  /**
   * `stale`: no recent decision. `jumped`: the clock made a step. `months`: too many months would go at once.
   */
  readonly reason: "stale" | "jumped" | "months"
  /** A sentence for the operator. */
  readonly says: string
}

/** What the database's clock showed at the last check. */
interface ClockSeen {
  readonly seenAt: Date
  /** When it made a step that is not trusted yet; null without one. */
  readonly jumpedAt: Date | null
}

/** What is remembered after a check at `now`; `before` is null at the first one. */
export const afterLook = (before: ClockSeen | null, now: Date): ClockSeen => {
  if (before === null) return { seenAt: now, jumpedAt: null }
  const stepMs = now.getTime() - before.seenAt.getTime()
  if (stepMs > retentionSettings.stepDaysMax * dayMs) return { seenAt: now, jumpedAt: now }
  const sinceMs = before.jumpedAt === null ? null : now.getTime() - before.jumpedAt.getTime()
  // A step is over when the clock went back, or when the step is older than `stepDaysMax`.
  const isOver = sinceMs === null || sinceMs < 0 || sinceMs > retentionSettings.stepDaysMax * dayMs
  return { seenAt: now, jumpedAt: isOver ? null : before.jumpedAt }
}

interface Purgeable {
  readonly now: Date
  /** The newest decision that is not in the future; null without any. */
  readonly newest: Date | null
  readonly clock: ClockSeen | null
  /** The calendar months that would be purged, `2025_08`, of partitions and of rows alike. */
  readonly months: ReadonlyArray<string>
  /** How many detached months are due to be dropped. */
  readonly dropped: number
}

const day = (date: Date) => date.toISOString().slice(0, 10)

/** Why the purge is refused; null when it is allowed, and when there is nothing to purge. */
export const refusalOf = ({ clock, dropped, months, newest, now }: Purgeable): RetentionRefusal | null => {
  if (months.length === 0 && dropped === 0) return null
  const { monthsMax, newestDaysMax, stepDaysMax } = retentionSettings
  if (newest !== null && now.getTime() - newest.getTime() > newestDaysMax * dayMs) {
    return {
      reason: "stale",
      says: `the newest decision is of ${day(newest)} and the database's clock says ${day(now)}: `
        + `more than ${newestDaysMax} days later`
    }
  }
  const { jumpedAt } = afterLook(clock, now)
  if (jumpedAt !== null) {
    return {
      reason: "jumped",
      says: `the database's clock made a step of more than ${stepDaysMax} days before ${day(jumpedAt)}; `
        + `nothing is dropped for ${stepDaysMax} days after it`
    }
  }
  return months.length <= monthsMax ? null : {
    reason: "months",
    says: `${months.length} months would go at once, ${months[0]} to ${months.at(-1)}, `
      + `and at most ${monthsMax} may`
  }
}

interface StateRow extends ClockSeen {
  readonly refusedAt: Date | null
  readonly refusal: string | null
}

/** What is remembered; null before the first look. */
export const readState = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<StateRow>`select seen_at as "seenAt", jumped_at as "jumpedAt",
      refused_at as "refusedAt", refusal
    from retention_state where account_id = ${serviceAccount}`
  return row ?? null
}).pipe(withAccount(serviceAccount))

/**
 * Remembers a check at `now`. `isTrusted`: an operator confirms the clock, so an earlier step is forgotten.
 * `refusal`: why this check refused, or undefined for one that planned no purge.
 */
export const noteLook = Effect.fnUntraced(function*(
  now: Date,
  { isTrusted = false, refusal }: {
    readonly isTrusted?: boolean
    readonly refusal?: RetentionRefusal | null
  } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const before = yield* readState
  const after = afterLook(before, now)
  const jumpedAt = isTrusted ? null : after.jumpedAt
  const refused = refusal === undefined
    ? { at: before?.refusedAt ?? null, says: before?.refusal ?? null }
    : refusal === null ? { at: null, says: null } : { at: now, says: refusal.says }
  yield* sql`insert into retention_state (account_id, seen_at, jumped_at, refused_at, refusal)
    values (${serviceAccount}, ${after.seenAt}, ${jumpedAt}, ${refused.at}, ${refused.says})
    on conflict (account_id) do update set seen_at = excluded.seen_at, jumped_at = excluded.jumped_at,
      refused_at = excluded.refused_at, refusal = excluded.refusal
    where retention_state.account_id = ${serviceAccount}`
}, withAccount(serviceAccount))
