/* `sextant backup` and `sextant restore`: all accounts in one file. */
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import type { AccountId } from "../../domain/Scope.ts"
import { counted } from "../../domain/text/Words.ts"
import { clusterIn } from "../../postgres/embedded/Cluster.ts"
import { exportToFile } from "../../privacy/ExportFile.ts"
import { type Imported, restoreAccounts } from "../../privacy/ImportAccount.ts"
import { sayInterrupted } from "../Interrupted.ts"
import { rowForms } from "../Layers.ts"
import { rowsUnit, withProgress } from "../Progress.ts"
import { refusal } from "../Refusal.ts"
import { storage } from "../Storage.ts"
import { serviceConfig } from "./Flags.ts"

export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

/** Writes accounts to a file, and then reads the file again to verify it. */
export const writeExport = (path: string, accountId: AccountId | null) =>
  withProgress("Writing", (onWriting) =>
    withProgress("Verifying", (onVerifying) =>
      exportToFile(path, accountId, onWriting, onVerifying, rowForms), rowsUnit), rowsUnit)

/** Prints the numbers of imported rows on standard output, and everything else on standard error. */
export const sayImported = Effect.fnUntraced(function*({ accounts, counts, keptKeys, leftOut }: Imported) {
  for (const [kind, count] of Object.entries(counts)) yield* Console.log(`${kind}\t${count} rows`)
  if (keptKeys.length > 0) {
    yield* Console.error(`Keys of these ids exist here already, and stay as they are: ${keptKeys.join(", ")}`)
  }
  const { api_key: keys, ...others } = leftOut
  if (keys !== undefined) {
    const whose = accounts.join()
    yield* Console.error(`Not imported: ${counted(keys, "key")} of ${whose}, since they name another `
      + `account. To create a key, run \`sextant keys create --instance ${whose}\``)
  }
  const named = Object.entries(others).map(([what, count]) => `${what} (${count})`)
  if (named.length > 0) {
    yield* Console.error(`Left out, since this version does not keep it: ${named.join(", ")}`)
  }
})

const nothingChanged = () => "Nothing was created or changed"

const file = Argument.File("FILE")

export const backup = Command.make(
  "backup",
  { file: file.pipe(Argument.withDescription("A new file, readable by its owner alone")) },
  ({ file }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      if (Option.isSome(config.databaseUrl)) {
        return yield* refusal("DATABASE_URL is set: use pg_dump, see docs/running/operating.md")
      }
      // If the data directory has no database, a backup would create an empty database there.
      if (!existsSync(clusterIn(resolve(config.dataDirectory)))) {
        return yield* refusal(`There is no database in ${config.dataDirectory}: check SEXTANT_DATA_DIR`)
      }
      const sections = yield* writeExport(file, null).pipe(Effect.provide(storage(config, "require")))
      const rows = sections.reduce((sum, { counts }) => sum + sumOf(counts), 0)
      yield* Console.log(`Backed up to ${file}, and verified: ${counted(sections.length, "account")}, `
        + `${counted(rows, "row")}, ${(statSync(file).size / 1e6).toFixed(1)} MB`)
    }).pipe(sayInterrupted(nothingChanged))
)

export const restore = Command.make(
  "restore",
  { file: file.pipe(Argument.withDescription("A file that `backup` wrote")) },
  ({ file }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      const imported = yield* withProgress(
        "Restoring", (report) => restoreAccounts(file, report, rowForms), rowsUnit
      ).pipe(Effect.provide(storage(config)))
      yield* sayImported(imported)
      yield* Console.log(`Restored ${counted(imported.accounts.length, "account")}, `
        + `${counted(sumOf(imported.counts), "row")}. You can start Sextant now.`)
    }).pipe(sayInterrupted(nothingChanged))
)
