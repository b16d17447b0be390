/* `sextant backtest`: estimates from a log what other choices of models would have cost and achieved. */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { backtest as backtestLog } from "../../../packages/backtest/src/Backtest.ts"
import { backtestSettings } from "../../../packages/backtest/src/BacktestSettings.ts"
import { logFormats } from "../../logs/LoggedCall.ts"
import { modelNamesOf } from "../../logs/ModelNames.ts"
import { readLogs } from "../../logs/ReadLogs.ts"
import { pageOf } from "../../../packages/backtest/src/page/Page.ts"
import { BacktestReport } from "../../../packages/backtest/src/Report.ts"
import { tableOf } from "../../../packages/backtest/src/Table.ts"
import { defaults } from "../../engine/Settings.ts"
import { snapshotAtRest } from "../CatalogLayers.ts"
import { sayInterrupted } from "../Interrupted.ts"
import { reportFiles } from "../OutputFiles.ts"
import { callsUnit, makeProgress } from "../Progress.ts"
import { type Refusal, refusal } from "../Refusal.ts"
import { listOf, textFlag } from "./Flags.ts"

const slidersOf = (text: string): Effect.Effect<ReadonlyArray<number>, Refusal> => {
  const { namedMax } = backtestSettings
  const sliders = [...new Set(listOf(text).map(Number))].sort((a, b) => a - b)
  const isRight = sliders.length > 0 && sliders.length <= namedMax
    && sliders.every((slider) => slider >= 0 && slider <= 10)
  return isRight
    ? Effect.succeed(sliders)
    : Effect.fail(refusal(`--slider: one to ${namedMax} numbers from 0 to 10, separated by commas`))
}

const flags = {
  files: Argument.String("file").pipe(
    Argument.withDescription("Log files, plain or packed by gzip"),
    Argument.variadic({ min: 1 })
  ),
  slider: Flag.String("slider").pipe(
    Flag.withDescription("Cost/quality sliders to judge, from 0 (cheap) to 10 (good)"),
    Flag.withDefault("0,2.5,5,7.5,10")
  ),
  models: textFlag("models", "Models to choose among, separated by commas; else those of the log"),
  format: Flag.Literals("format", ["auto", ...logFormats]).pipe(
    Flag.withDescription("Format of the files"), Flag.withDefault("auto" as const)
  ),
  modelAlias: Flag.KeyValuePair("model-alias").pipe(
    Flag.withDescription("Another name of a model, as the log spells it: theirs=ours"),
    Flag.withDefault({})
  ),
  score: Flag.String("score").pipe(
    Flag.withDescription("Name of a score that counts as a label; repeatable; by default all of quality"),
    Flag.atLeast(0)
  ),
  html: textFlag("html", "Write the report as a page in one file"),
  json: textFlag("json", "Write the report as JSON; `-` prints it instead of the table")
}

/** Shows the progress of reading the log, and then of replaying it, on standard error. */
const makeReports = () => {
  const reading = makeProgress(process.stderr, "Reading")
  const replaying = makeProgress(process.stderr, "Replaying", callsUnit)
  return {
    readTo: reading.report,
    replayedTo: (done: number, all: number) => {
      reading.end()
      replaying.report(done, all)
    },
    end: () => {
      reading.end()
      replaying.end()
    }
  }
}

const encodeReport = Schema.encodeSync(BacktestReport)

export const backtest = Command.make("backtest", flags, (options) =>
  Effect.scoped(Effect.gen(function*() {
    const sliders = yield* slidersOf(options.slider)
    const models = Option.getOrNull(Option.map(options.models, listOf))
    const { namedMax } = backtestSettings
    if (models !== null && (models.length === 0 || models.length > namedMax)) {
      return yield* refusal(`--models: one to ${namedMax} models, separated by commas`)
    }
    const write = yield* reportFiles(options)
    const snapshot = yield* snapshotAtRest
    const reports = yield* Effect.acquireRelease(Effect.sync(makeReports), ({ end }) => Effect.sync(end))
    const names = modelNamesOf(snapshot, options.modelAlias)
    if (names.brokenAliases.length > 0) {
      const missing = names.brokenAliases.join(", ")
      return yield* refusal(`--model-alias: the catalog has no such model: ${missing}`)
    }
    const labels = options.score.length === 0 ? {} : { labelNames: options.score }
    const report = yield* backtestLog(readLogs(options.files, { format: options.format, ...labels }), {
      snapshot, models, sliders,
      resolveModel: names.find,
      settings: defaults,
      readTo: reports.readTo,
      replayedTo: reports.replayedTo
    })
    reports.end()
    const table = tableOf(report)
    yield* write({ page: () => pageOf(report), value: encodeReport(report), table })
  })).pipe(sayInterrupted(() => "Nothing was written")))
