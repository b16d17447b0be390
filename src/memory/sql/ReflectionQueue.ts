/* Runs due reflections in the background. */
import { Clock, Duration, Effect, type Latch } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AccountId } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import { resolveContradictions } from "../lessons/Contradictions.ts"
import { reflectOn } from "../lessons/Reflect.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import {
  forgetVotes, type LaneName, pruneRunLessons, replaceReflected, selectFacts, selectWeighed, updateStandings
} from "./ReflectionRows.ts"

const reflect = Effect.fnUntraced(function*(lane: LaneName, settings: MemorySettings, now: Date) {
  const { reflection } = settings
  const facts = yield* selectFacts(lane, settings, now)
  yield* replaceReflected(lane, reflectOn(facts, reflection))
  yield* pruneRunLessons(lane, reflection)
  yield* updateStandings(lane, resolveContradictions(yield* selectWeighed(lane), facts.account, reflection))
})

/**
 * Runs the lane's due reflections in the open transaction, and returns their number; 0 if there are none, or
 * while another transaction works on the lane.
 */
export const reflectOnLane = Effect.fnUntraced(function*(
  lane: LaneName,
  settings: MemorySettings
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const mine = sql`account_id = ${lane.accountId} and lane = ${lane.lane}`
  const now = new Date(yield* Clock.currentTimeMillis)
  const locked = yield* sql<{ readonly isFree: boolean }>`select pg_try_advisory_xact_lock(
    hashtextextended(${JSON.stringify(["reflection", lane.accountId, lane.lane])}, 0)) as "isFree"`
  if (locked[0]?.isFree !== true) return 0
  const claimed = yield* sql<{ readonly crossing: string }>`select crossing from reflection
    where ${mine} and reflected_at is null for update skip locked`
  if (claimed.length === 0) return 0
  yield* reflect(lane, settings, now)
  yield* sql`update reflection set reflected_at = now(), reflections = reflections + 1
    where ${mine} and crossing = any(${claimed.map(({ crossing }) => crossing)}::text[])`
  yield* sql`delete from reflection where ${mine}
    and reflected_at < now() - ${settings.reflection.keptDays}::float8 * interval '1 day'`
  yield* forgetVotes(lane, now)
  return claimed.length
})

/**
 * Runs due reflections of at most `lanesPerPass` lanes, and returns their number. A lane whose reflection
 * failed stays due.
 */
export const reflectDue = Effect.fnUntraced(function*(
  settings: MemorySettings
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const lanes = yield* sql<LaneName>`select account_id as "accountId", lane from reflection
    where reflected_at is null
    group by account_id, lane order by min(requested_at)
    limit ${settings.reflection.lanesPerPass}`.pipe(withStatementDeadline(settings.reflection.laneMs))
  const made = yield* Effect.forEach(lanes, (lane) =>
    reflectOnLane(lane, settings).pipe(
      withAccount(AccountId.make(lane.accountId)),
      withStatementDeadline(settings.reflection.laneMs),
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("A reflection failed and stays due", error), 0))
    ))
  return made.reduce((sum, count) => sum + count, 0)
})

/** Runs due reflections in an endless loop: after `wake` opens, or else after `pollMs`. */
export const reflectForever = (wake: Latch.Latch, settings: MemorySettings) =>
  wake.await.pipe(
    Effect.timeoutOption(settings.reflection.pollMs),
    // The loop pauses, so that several reflections of a lane run as one.
    Effect.andThen(Effect.sleep(settings.reflection.pauseMs)),
    Effect.andThen(wake.close),
    Effect.andThen(Effect.timed(reflectDue(settings))),
    Effect.andThen(([spent]) =>
      Effect.sleep(Duration.times(spent, 1 / settings.reflection.busyShareMax - 1))),
    Effect.catch((error) => Effect.logWarning("Reflections could not be looked for", error)),
    Effect.forever
  )
