/* Whether retention does what it is for, and what it holds back. */
import { Effect, Exit } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { purge } from "../../sql/retention/Retention.ts"
import { readState } from "../../sql/retention/RetentionGuards.ts"
import { type Check, ok, warn } from "./Check.ts"

const fix = "check the database's clock and this machine's (`date -u`); if both are right and it shall go: "
  + "`sextant retention --dry-run`, then `sextant retention --force`"

/** Whether retention is refused now or, where this role may not look itself, was at its last sweep. */
export const retentionCheck = (
  days: number
): Effect.Effect<ReadonlyArray<Check>, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const looked = yield* Effect.exit(purge({ days, isDry: true }))
    const report = Exit.isSuccess(looked) ? looked.value : null
    if (report === null) {
      const state = yield* readState
      return [state === null || state.refusal === null
        ? ok("retention", state === null ? "has not run yet" : `last run on ${state.seenAt.toISOString()}`)
        : warn("retention", `refused at the last sweep: ${state.refusal}`, fix)]
    }
    const { refusal, waiting } = report
    if (refusal !== null) return [warn("retention", `refused: ${refusal.says}`, fix)]
    return [ok("retention", waiting.length === 0
      ? "nothing waits to be dropped"
      : `detached and dropped after a day: ${waiting.map(({ table }) => table).join(", ")}`)]
  })
