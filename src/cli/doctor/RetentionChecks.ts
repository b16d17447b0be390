/* The check of `sextant doctor` whether retention would be refused now. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { purge, type RetentionRequest } from "../../retention/Retention.ts"
import { type Check, ok, warn } from "./Check.ts"

const fix = "check the database's clock (`date -u` on its machine); if it is right and you want to "
  + "purge it, run `sextant retention --dry-run`, then `sextant retention --force`"

/** Whether retention would be refused now; the owner of the tables can tell. */
export const retentionCheck = (
  times: Pick<RetentionRequest, "days" | "textDays">
): Effect.Effect<ReadonlyArray<Check>, never, SqlClient.SqlClient> =>
  Effect.match(purge({ ...times, isDry: true }), {
    onSuccess: (report) => [
      report === null
        ? ok("retention", "is running now")
        : report.refusal === null
        ? ok("retention", `${report.purged.length} tables or accounts have rows past their time`)
        : warn("retention", `refused: ${report.refusal}`, fix)
    ],
    onFailure: (error) => [ok("retention", `not checked by this role: ${error.message}`)]
  })
