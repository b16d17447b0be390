/* `sextant import`: adds the calls in another program's log to an account's memory. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import {
  isOfRow, type LeftOutReason, leftOutReasons, logFormats
} from "../../logs/LoggedCall.ts"
import { modelNamesOf } from "../../logs/ModelNames.ts"
import { readAccountModels } from "../../accounts/AccountModels.ts"
import { taskTextOf } from "../../accounts/AccountSettings.ts"
import { accountCatalog } from "../../catalog/AccountCatalog.ts"
import { AccountId, laneOf, Namespace } from "../../domain/Scope.ts"
import { nameOf } from "../../domain/text/Text.ts"
import { counted } from "../../domain/text/Words.ts"
import { defaults } from "../../engine/Settings.ts"
import { type ImportEntry, OutcomeImports, type RunningImport } from "../../memory/OutcomeImport.ts"
import { textSettings } from "../../memory/TextSettings.ts"
import * as CatalogLayers from "../CatalogLayers.ts"
import type { AppConfig } from "../Config.ts"
import { importLogs, type ImportTotals, tryImport } from "../imports/ImportLogs.ts"
import { untaughtReasons } from "../imports/LoggedOutcome.ts"
import { sayInterrupted } from "../Interrupted.ts"
import * as Layers from "../Layers.ts"
import { withProgress } from "../Progress.ts"
import { refusal } from "../Refusal.ts"
import { instance, serviceConfig, switchFlag } from "./Flags.ts"

const refuse = (reason: string) => refusal(`${reason}. Nothing was imported`)

/** Reasons why rows were left out or taught nothing, each worded to follow the word "rows". */
const sentences: Readonly<Record<string, string>> = { ...leftOutReasons, ...untaughtReasons }

const isRowReason = (reason: string): boolean =>
  !Object.hasOwn(leftOutReasons, reason) || isOfRow(reason as LeftOutReason)

const sumOf = (counts: ReadonlyArray<readonly [string, number]>): number =>
  counts.reduce((sum, [, rows]) => sum + rows, 0)

const namesMax = 20

const number = (value: number): string => value.toLocaleString("en")

const leftOutLines = ({ examples, leftOut, unknownModels }: ImportTotals) => {
  const counts = Object.entries(leftOut).sort(([, one], [, other]) => other - one)
  const ofRows = counts.filter(([reason]) => isRowReason(reason))
  const ofParts = counts.filter(([reason]) => !isRowReason(reason))
  const line = ([reason, rows]: readonly [string, number]): string => {
    const example = examples.get(reason)
    const met = example === undefined || isRowReason(reason) ? "" : ` (first ${nameOf(example)})`
    return `  ${number(rows)}\t${sentences[reason] ?? reason}${met}`
  }
  const names = [...unknownModels].sort(([, one], [, other]) => other - one)
  return [
    ...(ofRows.length === 0 ? [] : [`left out: ${number(sumOf(ofRows))} rows`, ...ofRows.map(line)]),
    ...names.slice(0, namesMax).map(([name, rows]) => `    ${nameOf(name)}: ${counted(rows, "row")}`),
    ...(names.length > namesMax ? [`    and ${names.length - namesMax} more names of models`] : []),
    ...(names.length > 0
      ? ["    (name a model of the catalog for each with --model-alias \"THEIRS=OURS\")"]
      : []),
    ...(ofParts.length === 0 ? [] : ["read without a part of them:", ...ofParts.map(line)])
  ]
}

const totalLines = ({ added, found, rows, taught }: ImportTotals, word: string): ReadonlyArray<string> => [
  `${number(rows)} rows read, ${number(added)} outcomes ${word}: ${number(taught)} with a label, `
    + `${number(added - taught)} of cost, output and latency alone`,
  ...(found > added ? [`${number(found - added)} were there already, or came before in the same log`] : [])
]

const entryLine = ({ added, files, importId, lane, leftOut, rowsRead, startedAt, state }: ImportEntry) => {
  const rows = sumOf(Object.entries(leftOut).filter(([reason]) => isRowReason(reason)))
  return [importId, lane, state, startedAt.toISOString(), `${rowsRead} rows read`, `${added} added`,
    `${rows} left out`, files.join(", ")].join("\t")
}

const list = (config: AppConfig, accountId: AccountId) =>
  Effect.gen(function*() {
    const entries = yield* (yield* OutcomeImports).list(accountId)
    for (const entry of entries) yield* Console.log(entryLine(entry))
    if (entries.length === 0) yield* Console.log(`${accountId} has no imports`)
  }).pipe(Effect.provide(Layers.outcomeImports(config)))

const snapshotOf = (config: AppConfig, accountId: AccountId) =>
  Effect.gen(function*() {
    const shared = yield* CatalogLayers.storedSnapshot(config)
    const { document } = yield* readAccountModels(accountId, defaults.feedbackBudgetMs)
    return accountCatalog(shared, document)
  })

/** Refuses `--embed` if there is no embeddings endpoint, or if the account may store no text of tasks. */
const requireEmbeddable = Effect.fnUntraced(function*(config: AppConfig, accountId: AccountId) {
  if (Option.isNone(config.embedder)) {
    return yield* refuse("--embed is for services with SEXTANT_EMBEDDER_URL, which is not set")
  }
  if ((yield* taskTextOf(accountId, config.taskText, textSettings.settingMs)) === "none") {
    return yield* refuse(`${accountId} keeps no text of its tasks, and --embed needs it`)
  }
})

const embedderLine = (isTextKept: boolean): string => isTextKept
  ? "The service sends the tasks' text to SEXTANT_EMBEDDER_URL, at the latest an hour after its next request."
  : "SEXTANT_EMBEDDER_URL is set, and nothing was sent to it: while over a tenth of a namespace's outcomes "
    + "lack its vectors, recall there goes by words. To have them embedded, repeat the command with --embed."

/** Says after an interruption how to go on with the import, or how to undo it. Added outcomes stay. */
const interruptedLine = (begun: RunningImport | null): string => begun === null
  ? "Nothing was imported"
  : "What was added stays. To go on, run the same command again; to undo it: "
    + `sextant memory undo --instance ${begun.accountId} --import ${begun.importId}`

const flags = {
  files: Argument.String("FILE").pipe(
    Argument.withDescription("Logs in the order in which they are read; gzip is unpacked"),
    Argument.variadic()
  ),
  instance,
  format: Flag.Literals("format", ["auto", ...logFormats]).pipe(
    Flag.withDescription("The program that wrote the files; by default the first rows tell"),
    Flag.withDefault("auto" as const)
  ),
  namespace: Flag.String("namespace").pipe(
    Flag.withDescription("The namespace whose memory learns; by default the one of requests without any"),
    Flag.withSchema(Namespace),
    Flag.optional
  ),
  aliases: Flag.KeyValuePair("model-alias").pipe(
    Flag.withDescription("A model's name in the log, and its name in the catalog: theirs=ours; repeatable"),
    Flag.withDefault<Record<string, string>>({})
  ),
  scores: Flag.String("score").pipe(
    Flag.withDescription("Name of a score that counts as a label; repeatable; by default all of quality"),
    Flag.atLeast(0)
  ),
  byEffort: switchFlag(
    "by-effort", "Teach the levels of effort that the log names: for requests that name levels"
  ),
  isDry: switchFlag("dry-run", "Only count what would be added and left out"),
  isTextKept: switchFlag(
    "embed", "Keep the tasks' text, which the running service sends to SEXTANT_EMBEDDER_URL"
  ),
  isList: switchFlag("list", "List the account's imports with their ids, and read no file")
}

type ImportOptions = Command.Command.Config.Infer<typeof flags>

export const importFiles = (
  words: Pick<ImportOptions, "files" | "instance"> & Partial<ImportOptions>
) => {
  let begun: RunningImport | null = null
  const given: ImportOptions = {
    format: "auto", namespace: Option.none(), aliases: {}, scores: [], byEffort: false, isDry: false,
    isTextKept: false, isList: false, ...words
  }
  return Effect.gen(function*() {
    const { aliases, byEffort, files, format, isDry, isTextKept, scores } = given
    const config = yield* serviceConfig
    const accountId = AccountId.make(given.instance)
    if (Option.isSome(config.memoryUrl)) {
      return yield* refuse("SEXTANT_MEMORY_URL is set: run this command where that memory runs, with its "
        + "SEXTANT_DATA_DIR or DATABASE_URL (the default of `sextant memory` is .sextant-memory)")
    }
    if (given.isList) return yield* list(config, accountId)
    if (files.length === 0) return yield* refuse("Name at least one file")
    const lane = laneOf(Option.getOrNull(given.namespace))
    const paths = [...new Set(files.map((file) => resolve(file)))]
    yield* Effect.gen(function*() {
      if (isTextKept) yield* requireEmbeddable(config, accountId)
      const snapshot = yield* snapshotOf(config, accountId)
      const names = modelNamesOf(snapshot, aliases)
      if (names.brokenAliases.length > 0) {
        return yield* refuse(`--model-alias: the catalog has no model for ${names.brokenAliases.join(", ")}`)
      }
      const request = {
        accountId, lane, paths, format, aliases, byEffort, isTextKept, scores, snapshot,
        retentionDays: config.retentionDays
      }
      if (isDry) {
        const totals = yield* withProgress("Reading", (report) => tryImport(request, report))
        const lines = [...totalLines(totals, "would be added"), ...leftOutLines(totals)]
        return yield* Console.log([...lines, "Nothing was imported"].join("\n"))
      }
      const { addedInAll, running, totals } = yield* withProgress("Importing", (report) =>
        importLogs(request, report, (running) => {
          begun = running
          if (running.isResumed) console.error(`Going on with the import ${running.importId}`)
        }))
      yield* Console.log([...totalLines(totals, "added"), ...leftOutLines(totals)].join("\n"))
      if (addedInAll === 0) return yield* Console.log("There was nothing to add, so no import was kept")
      if (Option.isSome(config.embedder)) yield* Console.log(embedderLine(isTextKept))
      yield* Console.log(`import ${running.importId}: ${number(addedInAll)} outcomes in ${lane}. Running `
        + "services use them within a second. To undo it:\n"
        + `  sextant memory undo --instance ${accountId} --import ${running.importId}`)
    }).pipe(Effect.provide(Layers.outcomeImports(config)))
  }).pipe(sayInterrupted(() => interruptedLine(begun)))
}

export const importCommand = Command.make("import", flags, importFiles)
