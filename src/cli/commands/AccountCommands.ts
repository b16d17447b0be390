/* `sextant account`: settings of an account, and export, import and erasure of its data. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AccountId } from "../../domain/Scope.ts"
import { eraseAccount } from "../../privacy/EraseAccount.ts"
import { eraseActor } from "../../privacy/EraseActor.ts"
import { exportAccounts } from "../../privacy/ExportAccount.ts"
import { importAccount } from "../../privacy/ImportAccount.ts"
import { dropOldLog, vacuumTables } from "../../privacy/Vacuum.ts"
import type { AppConfig } from "../Config.ts"
import { reflectOnLane, rowForms } from "../Layers.ts"
import { rowsUnit, withProgress } from "../Progress.ts"
import { refusal } from "../Refusal.ts"
import { storage } from "../Storage.ts"
import { accountModels } from "./AccountModelsCommand.ts"
import { accountSet } from "./AccountSetCommand.ts"
import { sayImported, sumOf, writeExport } from "./BackupCommands.ts"
import { instance, instanceName, serviceConfig, switchFlag, textFlag } from "./Flags.ts"

/** Writes a line and waits until the pipe has taken it, so that a slow reader slows the export down. */
const toStandardOutput = (line: string) =>
  Effect.callback<void>((resume) => {
    process.stdout.write(`${line}\n`, () => resume(Effect.void))
  })

const exportCommand = Command.make(
  "export",
  {
    instance,
    file: Argument.File("FILE").pipe(
      Argument.withDescription("A new file, readable by its owner alone; without it, standard output"),
      Argument.optional
    )
  },
  ({ file, instance }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      const accountId = AccountId.make(instance)
      const [section] = yield* Option.match(file, {
        onNone: () => exportAccounts(accountId, toStandardOutput, () => {}, rowForms),
        onSome: (path) => writeExport(path, accountId)
      }).pipe(Effect.provide(storage(config, "require")))
      if (Option.isSome(config.memoryUrl)) {
        yield* Console.error("SEXTANT_MEMORY_URL is set: export what that memory stores there")
      }
      const where = Option.getOrElse(file, () => "standard output")
      yield* Console.error(`${sumOf(section?.counts ?? {})} rows of ${instance} were written to ${where}`)
    })
).pipe(Command.withDescription("Export all data of an account, as JSON lines"))

const importCommand = Command.make(
  "import",
  {
    file: Argument.File("FILE").pipe(Argument.withDescription("A file that `account export` wrote")),
    instance: Flag.String("instance").pipe(
      Flag.withDescription("The account to import into; by default the one that was exported"),
      Flag.withSchema(instanceName),
      Flag.optional
    ),
    isForced: switchFlag("force", "Import into an account that has rows: adds missing rows, changes none")
  },
  ({ file, instance, isForced }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      const accountId = Option.getOrNull(Option.map(instance, (name) => AccountId.make(name)))
      const request = { path: file, accountId, isForced }
      const imported = yield* withProgress(
        "Importing", (report) => importAccount(request, report, rowForms), rowsUnit
      ).pipe(Effect.provide(storage(config)))
      yield* sayImported(imported)
      yield* Console.log(`${sumOf(imported.counts)} rows of ${imported.accounts.join()} were imported. `
        + "Running services use them within a second.")
    })
).pipe(Command.withDescription("Import an exported account into this database"))

const erase = (config: AppConfig, accountId: AccountId, userId: string | null, isCompact: boolean) =>
  Effect.gen(function*() {
    const erased = userId === null
      ? yield* eraseAccount(accountId)
      : yield* eraseActor(accountId, userId, ({ lane }) => reflectOnLane({ accountId, lane }))
    yield* vacuumTables(isCompact)
    if (isCompact && Option.isNone(config.databaseUrl)) yield* dropOldLog
    return erased
  }).pipe(Effect.provide(storage(config)))

const eraseCommand = Command.make(
  "erase",
  {
    instance,
    userId: textFlag("user-id", "Only this user's data"),
    isConfirmed: switchFlag("yes", "Confirm"),
    isCompact: switchFlag("compact", "Rewrite the tables, so that their files keep no erased byte. "
      + "The service cannot use a table while it is rewritten")
  },
  ({ instance, isCompact, isConfirmed, userId }) =>
    Effect.gen(function*() {
      const what = Option.isNone(userId)
        ? `all data of ${instance}`
        : `all data of user ${userId.value} of ${instance}`
      if (!isConfirmed) return yield* refusal(`This erases ${what} permanently. To confirm, add --yes`)
      const config = yield* serviceConfig
      const erased = yield* erase(config, AccountId.make(instance), Option.getOrNull(userId), isCompact)
      for (const [table, rows] of Object.entries(erased)) yield* Console.log(`${table}\t${rows} rows`)
      yield* Console.log(sumOf(erased) === 0
        ? "There was nothing to erase"
        : `Erased ${what}. Running services drop it from memory within 15 minutes.`)
      if (Option.isSome(config.memoryUrl)) {
        yield* Console.error("SEXTANT_MEMORY_URL is set: erase what that memory stores there")
      }
      if (Option.isNone(userId)) {
        yield* Console.error("Its keys and settings remain. To end its keys, run `sextant keys revoke`")
      }
    })
).pipe(Command.withDescription("Erase data of an account or one of its users; keys and settings remain"))

export const account = Command.make("account").pipe(
  Command.withSubcommands([
    accountSet, accountModels, exportCommand, importCommand, eraseCommand
  ])
)
