/* Purges old rows and texts by the database's clock, unless this clock may be wrong. */
import { Effect, Schedule, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { gauged, meters } from "../telemetry/Metrics.ts"
import { databaseNow } from "../sql/DatabaseNow.ts"
import { partitionedTables } from "../sql/LedgerTables.ts"
import { ensureMonthlyPartitions } from "../sql/MonthlyPartitions.ts"
import { purgeRows } from "./RetainedRows.ts"
import { retentionDaysMin } from "./RetainedTables.ts"
import { planOf, type RetentionPlan } from "./RetentionPlan.ts"
import { retentionSettings } from "./RetentionSettings.ts"
import { inLockedTransaction } from "./RetentionLock.ts"

const { firstSweepMinutes, sweepHours } = retentionSettings

export interface RetentionRequest {
  /** Decisions are stored for at least this many days. */
  readonly days: number
  /** Texts are stored for at least this many days. */
  readonly textDays: number
  readonly isDry: boolean
  /** If true, the purge is not refused, because the operator has checked the clock. */
  readonly isForced?: boolean
}

interface Purged {
  readonly table: string
  /** Id of the account; null if a whole month's table is dropped. */
  readonly accountId: string | null
  readonly rows: number
  readonly fate: "dropped" | "deleted" | "emptied of text"
}

export interface PurgeReport {
  readonly purged: ReadonlyArray<Purged>
  /** The reason why the purge is refused; null if it is not refused. */
  readonly refusal: string | null
}

export class RetentionTooShort extends Schema.TaggedError<RetentionTooShort>()("RetentionTooShort", {
  days: Schema.Number
}) {
  override get message() {
    return `Decisions and texts are kept at least ${retentionDaysMin} days, not ${this.days}`
  }
}

const rowsOf = (name: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    // Reads the planner's estimate of the rows, -1 before the first ANALYZE, because a count would read all.
    const [size] = yield* sql<{ readonly rows: number }>`
      select reltuples::float8 as rows from pg_class where oid = to_regclass(${name})`
    return Math.max(0, size?.rows ?? 0)
  })

const carryOut = Effect.fnUntraced(function*({ expired, rows }: RetentionPlan, isDry: boolean) {
  const sql = yield* SqlClient.SqlClient
  const purged: Array<Purged> = []
  for (const table of expired) {
    yield* inLockedTransaction(Effect.gen(function*() {
      purged.push({ table, accountId: null, rows: yield* rowsOf(table), fate: "dropped" })
      if (!isDry) yield* sql`drop table ${sql(table)}`
    }))
  }
  for (const old of rows) {
    const { accountId, emptied, table } = old
    const fate = emptied === undefined ? "deleted" : "emptied of text"
    purged.push({ table, accountId, rows: isDry ? old.rows : yield* purgeRows(old), fate })
  }
  return purged
})

/**
 * Purges decisions and other rows of months that ended at least `days` ago, and texts of months that ended at
 * least `textDays` ago. The purge is refused if no decision or outcome is recent, because the clock may be
 * wrong, and fails for fewer days than {@link retentionDaysMin}. The purge must run as the owner of the
 * tables. Yields null if another process holds the lock of retention.
 */
export const purge = Effect.fn("retention.purge")(function*(
  { days, isDry, isForced = false, textDays }: RetentionRequest
): Effect.fn.Return<PurgeReport | null, SqlError.SqlError | RetentionTooShort, SqlClient.SqlClient> {
  // The configuration also checks the retention days, but `purge` must be safe for every caller.
  const shortest = Math.min(days, textDays)
  if (!(shortest >= retentionDaysMin)) return yield* new RetentionTooShort({ days: shortest })
  const now = yield* databaseNow
  return yield* Effect.gen(function*() {
    const plan = yield* planOf(days, textDays, now)
    const refusal = isForced ? null : plan.refusal
    return { purged: yield* carryOut(plan, isDry || refusal !== null), refusal }
  }).pipe(Effect.catchTag("Busy", () => Effect.succeed(null)))
})

/** Creates the ledger's partitions for the next months. Yields false if another process holds the lock. */
export const prepareMonths = inLockedTransaction(
  Effect.forEach(partitionedTables, ensureMonthlyPartitions, { discard: true })
).pipe(
  Effect.as(true),
  Effect.catchTag("Busy", () => Effect.succeed(false))
)

/** Creates the coming partitions, and purges. Yields true if the purge was refused. */
const sweep = (kept: Pick<RetentionRequest, "days" | "textDays">) =>
  Effect.gen(function*() {
    yield* prepareMonths
    const report = yield* purge({ ...kept, isDry: false })
    if (report === null) return false
    const { purged, refusal } = report
    if (refusal !== null) {
      yield* Effect.logError(`Retention is refused: ${refusal}`).pipe(Effect.annotateLogs({
        do: "check the database's clock; see `sextant retention --dry-run` and docs/running/operating.md"
      }))
    } else if (purged.length > 0) yield* Effect.logInfo("Purged what is past its time", { purged })
    return refusal !== null
  })

const orLogged = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | false, never, R> =>
  Effect.catchCause(effect, (cause) =>
    Effect.as(Effect.logWarning("The ledger's months could not be looked after", cause), false))

/**
 * Runs `prepare` now and `sweep` every few hours. The first sweep comes after an hour, so that an operator
 * has time to notice a wrong clock. A failure is logged, and the next sweep tries again.
 */
export const keepSweeping = <E, E2, R>(
  prepare: Effect.Effect<unknown, E, R>,
  sweep: Effect.Effect<boolean, E2, R>
) =>
  Effect.gen(function*() {
    let isRefused = false
    yield* gauged(meters.retentionRefused({}), () => isRefused ? 1 : 0)
    const each = Effect.map(orLogged(sweep), (refused) => {
      isRefused = refused
    })
    yield* orLogged(prepare).pipe(
      Effect.andThen(Effect.sleep(`${firstSweepMinutes} minutes`)),
      Effect.andThen(Effect.repeat(each, Schedule.jittered(Schedule.spaced(`${sweepHours} hours`)))),
      Effect.forkScoped
    )
  })

/**
 * Purges from the service's second hour on. Before each purge, `removeUnwanted` removes texts that the
 * service is no longer set to store.
 */
export const keepRetention = <E, R>(
  kept: Pick<RetentionRequest, "days" | "textDays">,
  removeUnwanted: Effect.Effect<void, E, R>
) => keepSweeping(Effect.andThen(prepareMonths, removeUnwanted), Effect.andThen(removeUnwanted, sweep(kept)))
