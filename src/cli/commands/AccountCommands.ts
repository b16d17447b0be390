/* `sextant account`: settings of an account, and export, import and erasure of its data. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AccountId } from "../../domain/Scope.ts"
import { exportAccount, type Progress } from "../../privacy/ExportAccount.ts"
import { exportFile } from "../../privacy/ExportFile.ts"
import { importAccount } from "../../privacy/ImportAccount.ts"
import { refusal } from "../Refusal.ts"
import { storage } from "../Storage.ts"
import { erase } from "./AccountData.ts"
import { accountModels } from "./AccountModelsCommand.ts"
import { accountSet } from "./AccountSetCommand.ts"
import { instance, instanceName, serviceConfig, switchFlag, textFlag } from "./Flags.ts"

/**
 * Shows progress in one line of the terminal, which each call overwrites; does nothing without a terminal.
 */
const showProgress = ({ done, kind, of }: Progress): Effect.Effect<void> =>
  Effect.sync(() => {
    if (process.stderr.isTTY !== true) return
    process.stderr.write(`\r\u001b[K${kind}: ${done} of ${of}${done >= of ? "\n" : ""}`)
  })

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

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
      const counts = yield* Effect.gen(function*() {
        if (Option.isNone(file)) return yield* exportAccount(accountId, toStandardOutput, showProgress)
        const { done, write } = yield* exportFile(file.value)
        const written = yield* exportAccount(accountId, write, showProgress)
        yield* done
        return written
      }).pipe(Effect.scoped, Effect.provide(storage(config, "require")))
      if (Option.isSome(config.memoryUrl)) {
        yield* Console.error("SEXTANT_MEMORY_URL is set: export what that memory stores there")
      }
      const where = Option.getOrElse(file, () => "standard output")
      yield* Console.error(`${sum(counts)} rows of ${instance} were written to ${where}`)
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
      const { account, counts, keys } = yield* importAccount(request, showProgress).pipe(
        Effect.provide(storage(config))
      )
      for (const [kind, count] of Object.entries(counts)) yield* Console.log(`${kind}\t${count} rows`)
      yield* Console.log(
        `${sum(counts)} rows of ${account} were imported. Running services use them within a second.`
      )
      if (keys > 0) {
        yield* Console.error(`${keys} keys were not imported: the file does not contain their secrets. `
          + `To create a key, run \`sextant keys create --instance ${account}\``)
      }
    })
).pipe(Command.withDescription("Import an exported account into this database"))

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
      const erased = yield* erase(config, {
        accountId: AccountId.make(instance), userId: Option.getOrNull(userId), isCompact
      })
      for (const [table, rows] of Object.entries(erased)) yield* Console.log(`${table}\t${rows} rows`)
      yield* Console.log(sum(erased) === 0
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
