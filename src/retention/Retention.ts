/* Drops what is past its time by the database's clock, unless that clock may be wrong. */
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
import { inTurn } from "./RetentionTurn.ts"

const { firstSweepMinutes, sweepHours } = retentionSettings

export interface RetentionRequest {
  /** How long decisions are kept, and how long texts; below {@link retentionDaysMin} the purge fails. */
  readonly days: number
  readonly textDays: number
  /** Whether the purge only reports what it would drop. */
  readonly isDry: boolean
  /** Whether to purge in spite of a refusal: the operator confirms the clock. */
  readonly isForced?: boolean
}

/** A table or an account's rows that were purged, or would be. */
interface Purged {
  readonly table: string
  /** Null for a table, which goes as a whole. */
  readonly accountId: string | null
  readonly rows: number
  readonly fate: "dropped" | "deleted" | "emptied of text"
}

export interface PurgeReport {
  /** What was purged; on a dry run or a refusal, what would be. */
  readonly purged: ReadonlyArray<Purged>
  /** Why nothing was or would be purged; null without a reason. */
  readonly refusal: string | null
}

/** The requested retention is below the minimum. */
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
    // An estimate, as a count would read all that is about to go; -1 before the table was analysed.
    const [size] = yield* sql<{ readonly rows: number }>`
      select reltuples::float8 as rows from pg_class where oid = to_regclass(${name})`
    return Math.max(0, size?.rows ?? 0)
  })

/** Carries out the plan; on a dry run, only reports it. */
const carryOut = Effect.fnUntraced(function*({ expired, rows }: RetentionPlan, isDry: boolean) {
  const sql = yield* SqlClient.SqlClient
  const purged: Array<Purged> = []
  for (const table of expired) {
    yield* inTurn(Effect.gen(function*() {
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
 * Drops the ledger's months that ended `days` ago or earlier by the database's clock, deletes the rows that
 * belong to their decisions, and removes the texts of months that ended `textDays` ago or earlier. So a
 * decision is kept for `days` and at most 31 more, and no row of it is deleted before it. The purge is
 * refused as a whole when the newest decision and outcome are so old that the clock may be wrong, unless
 * forced. Run it as the owner of the tables. Yields null when another process purges.
 */
export const purge = Effect.fn("retention.purge")(function*(
  { days, isDry, isForced = false, textDays }: RetentionRequest
): Effect.fn.Return<PurgeReport | null, SqlError.SqlError | RetentionTooShort, SqlClient.SqlClient> {
  // Checked here as well, so that a wrong environment variable does not reach the ledger.
  const shortest = Math.min(days, textDays)
  if (!(shortest >= retentionDaysMin)) return yield* new RetentionTooShort({ days: shortest })
  const now = yield* databaseNow
  return yield* Effect.gen(function*() {
    const plan = yield* planOf(days, textDays, now)
    const refusal = isForced ? null : plan.refusal
    return { purged: yield* carryOut(plan, isDry || refusal !== null), refusal }
  }).pipe(Effect.catchTag("Busy", () => Effect.succeed(null)))
})

/** Makes the ledger's next months; yields false when another process purges. */
export const prepareMonths = inTurn(
  Effect.forEach(partitionedTables, ensureMonthlyPartitions, { discard: true })
).pipe(
  Effect.as(true),
  Effect.catchTag("Busy", () => Effect.succeed(false))
)

/** One sweep: a failure is logged and the next sweep tries again. Yields whether the purge was refused. */
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

const orSaid = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | false, never, R> =>
  Effect.catchCause(effect, (cause) =>
    Effect.as(Effect.logWarning("The ledger's months could not be looked after", cause), false))

/**
 * Runs `prepare` now, and `sweep` every few hours in the scope's background; never in the service's first
 * hour, in which an operator can notice a wrong clock. What fails is tried again at the next sweep.
 */
export const keepSweeping = <E, E2, R>(
  prepare: Effect.Effect<unknown, E, R>,
  sweep: Effect.Effect<boolean, E2, R>
) =>
  Effect.gen(function*() {
    let isRefused = false
    yield* gauged(meters.retentionRefused({}), () => isRefused ? 1 : 0)
    const each = Effect.map(orSaid(sweep), (refused) => {
      isRefused = refused
    })
    yield* orSaid(prepare).pipe(
      Effect.andThen(Effect.sleep(`${firstSweepMinutes} minutes`)),
      Effect.andThen(Effect.repeat(each, Schedule.jittered(Schedule.spaced(`${sweepHours} hours`)))),
      Effect.forkScoped
    )
  })

/**
 * Prepares the coming months now, and purges what is past its time from the service's second hour on. Before
 * each of the two it removes what is not to be kept at all.
 */
export const keepRetention = <E, R>(
  kept: Pick<RetentionRequest, "days" | "textDays">,
  removeUnwanted: Effect.Effect<void, E, R>
) => keepSweeping(Effect.andThen(prepareMonths, removeUnwanted), Effect.andThen(removeUnwanted, sweep(kept)))
