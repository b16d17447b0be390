/* Runs `sextant doctor --deep` on the configured database, and shows progress. */
import { Effect } from "effect"
import type { AppConfig } from "../Config.ts"
import { withProgress } from "../Progress.ts"
import { storage } from "../Storage.ts"
import { fail, type Check } from "./Check.ts"
import { deepChecks } from "./DeepChecks.ts"
import { errorLine } from "./ErrorLine.ts"

/** The deep checks; a database that cannot be reached is a failed check. */
export const runDeepChecks = (config: AppConfig) =>
  withProgress("Reading the database", deepChecks).pipe(
    Effect.provide(storage(config, "ignore")),
    Effect.catch((error) => Effect.succeed<ReadonlyArray<Check>>([
      fail("tables and indexes", errorLine(error), "see the check above; if the error persists, "
        + "restore a backup (docs/backup.md)")
    ]))
  )
