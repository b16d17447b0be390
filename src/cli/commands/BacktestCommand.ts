/* `sextant backtest`: what other choices of models would have cost and achieved, by a log of calls. */
import { Config, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { backtest as backtestLog } from "../../../packages/backtest/src/Backtest.ts"
import { backtestSettings } from "../../../packages/backtest/src/BacktestSettings.ts"
import { logFormats } from "../../../packages/backtest/src/logs/LoggedCall.ts"
import { modelNamesOf } from "../../../packages/backtest/src/logs/ModelNames.ts"
import { readLogs } from "../../../packages/backtest/src/logs/ReadLogs.ts"
import { pageOf } from "../../../packages/backtest/src/page/Page.ts"
import { BacktestReport } from "../../../packages/backtest/src/Report.ts"
import { tableOf } from "../../../packages/backtest/src/Table.ts"
import { usdSentMax } from "../../domain/Units.ts"
import { defaults } from "../../engine/Settings.ts"
import { snapshotAtRest } from "../CatalogLayers.ts"
import { sayInterrupted } from "../Interrupted.ts"
import { reportFiles } from "../OutputFiles.ts"
import { callsUnit, makeProgress } from "../Progress.ts"
import { type Refusal, refusal } from "../Refusal.ts"
import { listOf } from "./Flags.ts"

const slidersOf = (text: string): Effect.Effect<ReadonlyArray<number>, Refusal> => {
  const { slidersMax } = backtestSettings
  const sliders = [...new Set(listOf(text).map(Number))].sort((a, b) => a - b)
  const isRight = sliders.length > 0 && sliders.length <= slidersMax
    && sliders.every((slider) => slider >= 0 && slider <= 10)
  return isRight
    ? Effect.succeed(sliders)
    : Effect.fail(refusal(`--slider: one to ${slidersMax} numbers from 0 to 10, separated by commas`))
}

const valuesOf = (text: string): Effect.Effect<ReadonlyArray<number>, Refusal> => {
  const { slidersMax } = backtestSettings
  const values = listOf(text).map(Number).sort((a, b) => a - b)
  return values.length <= slidersMax && values.every((usd) => usd >= 0 && usd <= usdSentMax)
    ? Effect.succeed(values)
    : Effect.fail(refusal(
      `--value: at most ${slidersMax} amounts in USD from 0 to ${usdSentMax}, separated by commas`
    ))
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
  value: Flag.String("value").pipe(
    Flag.withDescription("What a right result may be worth, in USD, such as 0.05,0.5,5: a point of the plane "
      + "of success and cost for each; empty for none"),
    Flag.withDefault(backtestSettings.valuesUsd.join(","))
  ),
  baseline: Flag.String("baseline").pipe(
    Flag.withDescription("What savings are against: `logged`, the log's own choices, or a model"),
    Flag.withDefault("logged")
  ),
  models: Flag.String("models").pipe(
    Flag.withDescription("Models to choose among, separated by commas; else those of the log"), Flag.optional
  ),
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
  html: Flag.String("html").pipe(
    Flag.withDescription("Write the report as a page in one file"), Flag.optional
  ),
  json: Flag.String("json").pipe(
    Flag.withDescription("Write the report as JSON; `-` prints it instead of the table"), Flag.optional
  )
}

/** Two lines of progress on standard error, one after the other. */
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

/** Whether the terminal shows bold: standard output is a terminal, and `NO_COLOR` is not set. */
const isColoured = Effect.map(Config.option(Config.String("NO_COLOR")), (noColor) =>
  process.stdout.isTTY && Option.getOrElse(noColor, () => "") === "" && process.env["TERM"] !== "dumb")

export const backtest = Command.make("backtest", flags, (options) =>
  Effect.scoped(Effect.gen(function*() {
    const sliders = yield* slidersOf(options.slider)
    const values = yield* valuesOf(options.value)
    const models = Option.getOrNull(Option.map(options.models, listOf))
    const { namedCandidatesMax } = backtestSettings
    if (models !== null && (models.length === 0 || models.length > namedCandidatesMax)) {
      return yield* refusal(`--models: one to ${namedCandidatesMax} models, separated by commas`)
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
      snapshot, models,
      aims: [
        ...sliders.map((slider) => ({ slider, valueUsd: null })),
        ...values.map((valueUsd) => ({ slider: null, valueUsd }))
      ],
      resolveModel: names.find,
      settings: defaults,
      baseline: options.baseline === "logged" ? null : options.baseline,
      readTo: reports.readTo,
      replayedTo: reports.replayedTo
    })
    reports.end()
    const table = tableOf(report, { isColoured: yield* isColoured })
    yield* write({ page: () => pageOf(report), value: encodeReport(report), table })
  })).pipe(sayInterrupted(() => "Nothing was written, and what was kept meanwhile is removed")))
