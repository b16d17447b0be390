/* The rules by which retention distrusts the database's clock, and its memory of that clock. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { serviceAccount } from "../domain/Scope.ts"
import { dayMs } from "../domain/Time.ts"
import { withAccount } from "../sql/AccountScope.ts"
import { retentionSettings } from "./RetentionSettings.ts"

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

const day = (date: Date) => date.toISOString().slice(0, 10)

/**
 * Why nothing is dropped at `now`, a sentence for the operator; null without a reason.
 *
 * @param newest the newest decision that is not in the future; null without any
 */
export const refusalOf = (now: Date, newest: Date | null, clock: ClockSeen | null): string | null => {
  const { newestDaysMax, stepDaysMax } = retentionSettings
  if (newest !== null && now.getTime() - newest.getTime() > newestDaysMax * dayMs) {
    return `the newest decision is of ${day(newest)} and the database's clock says ${day(now)}: `
      + `more than ${newestDaysMax} days later`
  }
  const { jumpedAt } = afterLook(clock, now)
  return jumpedAt === null ? null
    : `the database's clock made a step of more than ${stepDaysMax} days before ${day(jumpedAt)}; `
      + `nothing is dropped for ${stepDaysMax} days after it`
}

/** What is remembered; null before the first look. */
export const readState = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<ClockSeen>`select seen_at as "seenAt", jumped_at as "jumpedAt"
    from retention_state where account_id = ${serviceAccount}`
  return row ?? null
}).pipe(withAccount(serviceAccount))

/** Remembers a check at `now`. Where an operator confirms the clock, an earlier step is forgotten. */
export const noteLook = Effect.fnUntraced(function*(now: Date, isTrusted = false) {
  const sql = yield* SqlClient.SqlClient
  const after = afterLook(yield* readState, now)
  yield* sql`insert into retention_state (account_id, seen_at, jumped_at)
    values (${serviceAccount}, ${after.seenAt}, ${isTrusted ? null : after.jumpedAt})
    on conflict (account_id) do update set seen_at = excluded.seen_at, jumped_at = excluded.jumped_at
    where retention_state.account_id = ${serviceAccount}`
}, withAccount(serviceAccount))
