/* The check of `sextant doctor` on retention: whether it runs, and what it refuses or holds back. */
import { Effect, Exit } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { purge } from "../../sql/retention/Retention.ts"
import { readState } from "../../sql/retention/RetentionGuards.ts"
import { type Check, ok, warn } from "./Check.ts"

const fix = "check the database's clock and this machine's (`date -u`); if both are right and you want to "
  + "purge it, run `sextant retention --dry-run`, then `sextant retention --force`"

/** Whether retention would be refused now; where this role may not find out, whether its last run was. */
export const retentionCheck = (
  days: number
): Effect.Effect<ReadonlyArray<Check>, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const dryRun = yield* Effect.exit(purge({ days, isDry: true }))
    const report = Exit.isSuccess(dryRun) ? dryRun.value : null
    if (report === null) {
      const state = yield* readState
      return [state === null || state.refusal === null
        ? ok("retention", state === null ? "has not run yet" : `last run on ${state.seenAt.toISOString()}`)
        : warn("retention", `its last run was refused: ${state.refusal}`, fix)]
    }
    const { refusal, waiting } = report
    if (refusal !== null) return [warn("retention", `refused: ${refusal.says}`, fix)]
    return [ok("retention", waiting.length === 0
      ? "no month waits to be dropped"
      : `detached, and dropped after a day: ${waiting.map(({ table }) => table).join(", ")}`)]
  })
