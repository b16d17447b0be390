// Composes `sextant doctor --deep`: the storage of the configuration, read from beginning to end.
import { Effect } from "effect"
import type { AppConfig } from "../Config.ts"
import { deep } from "./DeepChecks.ts"
import { fail, type Check } from "./Check.ts"
import { errorLine } from "./ErrorLine.ts"
import * as Main from "../Layers.ts"
import { withProgress } from "../Progress.ts"

/** Says how far it is while it reads the whole database. A database that is out is a finding. */
export const diagnoseDeeply = (config: AppConfig) =>
  withProgress("Reading the database", deep).pipe(
    Effect.provide(Main.storage(config, "ignore")),
    Effect.catch((error) => Effect.succeed<ReadonlyArray<Check>>([
      fail(
        "tables and indexes",
        errorLine(error),
        "see above; if it lasts, restore a backup (docs/backup.md)"
      )
    ]))
  )
