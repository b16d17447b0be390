/* `sextant account`: an account's settings, and all that is kept about it: exported, imported, erased. */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { erase } from "./AccountData.ts"
import { AccountId } from "../domain/Scope.ts"
import * as Main from "./Layers.ts"
import { accountSet, instance, serviceConfig } from "./Commands.ts"
import { exportAccount, type Progress } from "../sql/account/ExportAccount.ts"
import { exportFile } from "../sql/account/ExportFile.ts"
import { importAccount } from "../sql/account/ImportAccount.ts"

/** On a terminal a line that is written over, elsewhere nothing. */
const progress = ({ done, kind, of }: Progress): Effect.Effect<void> =>
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
      Argument.withDescription("A new file, for its owner alone; standard output when it is left out"),
      Argument.optional
    )
  },
  ({ file, instance }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      const accountId = AccountId.make(instance)
      const counts = yield* Effect.gen(function*() {
        if (Option.isNone(file)) return yield* exportAccount(accountId, toStandardOutput, progress)
        const { done, write } = yield* exportFile(file.value)
        const written = yield* exportAccount(accountId, write, progress)
        yield* done
        return written
      }).pipe(Effect.scoped, Effect.provide(Main.storage(config, "require")))
      if (Option.isSome(config.memoryUrl)) {
        yield* Console.error("SEXTANT_MEMORY_URL is set: what that memory keeps is to be exported there")
      }
      const where = Option.getOrElse(file, () => "standard output")
      yield* Console.error(`${sum(counts)} rows of ${instance} are in ${where}`)
    })
).pipe(Command.withDescription("Write down all that is kept about an account, as JSON lines"))

const importCommand = Command.make(
  "import",
  {
    file: Argument.File("FILE").pipe(Argument.withDescription("As `account export` wrote it")),
    instance: Flag.String("instance").pipe(
      Flag.withDescription("Another account than the one that was exported"),
      Flag.withSchema(Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,64}$/))),
      Flag.optional
    ),
    isForced: Flag.Boolean("force").pipe(
      Flag.withDescription("Into an account that has rows: adds those that are missing, changes none"),
      Flag.withDefault(false)
    )
  },
  ({ file, instance, isForced }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      const accountId = Option.getOrNull(Option.map(instance, (name) => AccountId.make(name)))
      const request = { path: file, accountId, isForced }
      const { account, counts, keys } = yield* importAccount(request, progress).pipe(
        Effect.provide(Main.storage(config))
      )
      for (const [kind, count] of Object.entries(counts)) yield* Console.log(`${kind}\t${count} rows`)
      yield* Console.log(
        `${sum(counts)} rows of ${account} are new here. Running services know within a second.`
      )
      if (keys > 0) {
        yield* Console.error(`${keys} keys are not imported, for their secrets are not in the file: `
          + `\`sextant keys create --instance ${account}\` makes one`)
      }
    })
).pipe(Command.withDescription("Take an exported account into this database"))

export class NotConfirmed extends Schema.TaggedError<NotConfirmed>()("NotConfirmed", {
  what: Schema.String
}) {
  override get message() {
    return `This erases ${this.what} for good: say so with --yes`
  }
}

const eraseCommand = Command.make(
  "erase",
  {
    instance,
    userId: Flag.String("user-id").pipe(Flag.withDescription("This actor's rows only"), Flag.optional),
    isConfirmed: Flag.Boolean("yes").pipe(Flag.withDescription("Do it"), Flag.withDefault(false)),
    isCompact: Flag.Boolean("compact").pipe(
      Flag.withDescription("Write the tables anew, so that no erased byte is left in their files. Each is"
        + " closed to the service while it is"),
      Flag.withDefault(false)
    )
  },
  ({ instance, isCompact, isConfirmed, userId }) =>
    Effect.gen(function*() {
      const what = Option.isNone(userId)
        ? `all that ${instance} has told`
        : `what ${userId.value} of ${instance} has told`
      if (!isConfirmed) return yield* new NotConfirmed({ what })
      const config = yield* serviceConfig
      const { erased, spool } = yield* erase(config, {
        accountId: AccountId.make(instance), userId: Option.getOrNull(userId), isCompact
      })
      for (const [table, rows] of Object.entries(erased)) yield* Console.log(`${table}\t${rows} rows`)
      if (spool.removed > 0) yield* Console.log(`spool\t${spool.removed} decisions`)
      for (const file of spool.unreadable) {
        yield* Console.error(`${file} cannot be read by this version: delete it if it may hold that account`)
      }
      yield* Console.log(sum(erased) + spool.removed === 0
        ? "Nothing was there to erase"
        : `Erased ${what}. Running services hold nothing of it after 15 minutes at the latest.`)
      if (Option.isSome(config.memoryUrl)) {
        yield* Console.error("SEXTANT_MEMORY_URL is set: what that memory was told is to be erased there")
      }
      if (Option.isNone(userId)) {
        yield* Console.error("Its keys and settings are kept: `sextant keys revoke` takes the keys away")
      }
    })
).pipe(Command.withDescription("Erase an account's data, or one actor's (settings and keys stay)"))

export const account = Command.make("account").pipe(
  Command.withDescription("One account: its settings, and all that is kept about it"),
  Command.withSubcommands([accountSet, exportCommand, importCommand, eraseCommand])
)
