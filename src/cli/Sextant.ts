/* The commands of `sextant`. A command's modules load only if it is named, because help needs only names. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { version } from "../domain/Version.ts"

const load = async <A>(modules: () => Promise<A>): Promise<A> => {
  // Effect's compiler makes schemas faster if it is imported before the schemas are made.
  await import("effect/schema/SchemaJITCompiler/enable")
  return modules()
}

const service = Effect.flatMap(
  Effect.promise(() => load(() => import("./Processes.ts"))),
  ({ service }) => service
)

const serveHelp = [
  "Serve the API on http://127.0.0.1:8080 (the default command). These variables say otherwise:",
  "PORT                    8080; 0 takes a free one, which the ready line names",
  "HOST                    127.0.0.1; 0.0.0.0 for other machines too",
  "DATABASE_URL            a PostgreSQL; without it the embedded database",
  "SEXTANT_DATA_DIR        .sextant, the folder of the embedded database",
  "SEXTANT_BOOTSTRAP_KEYS  keys that are registered at the start; without them a first start prints one",
  "SEXTANT_CATALOG_REFRESH off keeps the bundled prices and reads no price source",
  "SEXTANT_PROCESSES       1; auto is one a core",
  "SEXTANT_LOG_FORMAT      logfmt, or json",
  "docs/running/configuration.md lists all; `sextant doctor` checks them."
].join("\n  ")

/** Returns true if a word needs all commands with their flags, as the completions of a shell do. */
const asksForAll = (word: string): boolean => /^--(completions|wizard)(=|$)/.test(word)

export const sextantFor = async (
  words: ReadonlyArray<string>
): Promise<Effect.Effect<void, unknown, Command.Environment>> => {
  const isWhole = words.some(asksForAll)
  /** Loads a command if the command line needs it. An unneeded command gets only a name and a description. */
  const command = async <const Name extends string, Input, ContextInput, E, R>(
    name: Name,
    description: string,
    modules: () => Promise<Command.Command<Name, Input, ContextInput, E, R>>
  ) =>
    isWhole || words.includes(name)
      ? (await load(modules)).pipe(Command.withDescription(description))
      : Command.make(name).pipe(Command.withDescription(description))

  return Command.make("sextant", {}, () => service).pipe(
    Command.withDescription("Recommends a language model for a task, and learns from outcomes"),
    Command.withSubcommands([
      Command.make("serve", {}, () => service).pipe(
        Command.withDescription(serveHelp), Command.withShortDescription("Serve the API (the default)")
      ),
      await command("ask", "Ask a running service which model should run a task",
        async () => (await import("./commands/AskCommand.ts")).ask),
      await command("memory", "Serve the memory alone, for services that set SEXTANT_MEMORY_URL",
        async () => (await import("./commands/MemoryCommands.ts")).memory),
      await command("keys", "Account keys: create, list, rotate, revoke",
        async () => (await import("./commands/KeyCommands.ts")).keys),
      await command("account", "Settings and models of an account; export, import and erasure of its data",
        async () => (await import("./commands/AccountCommands.ts")).account),
      await command("import", "Add the calls that another program's log tells of to an account's memory",
        async () => (await import("./commands/ImportCommand.ts")).importCommand),
      await command("observe", "Pass the telemetry of programs on this machine on to a running service",
        async () => (await import("./commands/ObserveCommand.ts")).observe),
      await command("backtest", "What other choices of models would have cost and got, by a log of calls",
        async () => (await import("./commands/BacktestCommand.ts")).backtest),
      await command("audition", "Try models on your own prompts, with your own keys and within a budget",
        async () => (await import("./commands/AuditionCommand.ts")).auditionCommand),
      await command("migrate", "Bring the database's schema, roles and row-level security up to date",
        async () => (await import("./commands/Commands.ts")).migrate),
      await command("retention", "Create the ledger's coming months, and purge what is past its retention",
        async () => (await import("./commands/Commands.ts")).retention),
      await command("backup", "Back up all accounts into a new file; the service may run meanwhile",
        async () => (await import("./commands/BackupCommands.ts")).backup),
      await command("restore", "Restore a backup into an empty database",
        async () => (await import("./commands/BackupCommands.ts")).restore),
      await command("doctor", "Check what the service needs; exits with 1 if a check fails",
        async () => (await import("./commands/Commands.ts")).doctor),
      await command("report", "Write what was saved, and how reliable that is, as one static page",
        async () => (await import("./commands/ReportCommand.ts")).report),
      await command("statement", "What following the advice saved in a month, with a hash over the rows",
        async () => (await import("./commands/StatementCommands.ts")).statement),
      await command("verify-statement", "Check a statement against an export of its account",
        async () => (await import("./commands/StatementCommands.ts")).verifyStatement),
      await command("advise", "Say which model to change to, how sure that is, and what would settle it",
        async () => (await import("./commands/AdviseCommand.ts")).advise),
      await command("retire", "Say where a model is used, and what may replace it when it retires",
        async () => (await import("./commands/RetireCommand.ts")).retire),
      await command("openapi", "Print the OpenAPI document",
        async () => (await import("./commands/OpenApiCommand.ts")).openapi)
    ]),
    Command.run({ version })
  )
}
