/* Pipeline of a backtest: reads a log, replays it against the engine, and reports what it found. */
import { Effect, type Stream } from "effect"
import type { CatalogSnapshot } from "../../../src/domain/model/Model.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import { chooseCandidates } from "./Candidates.ts"
import { policiesOf, reportOf } from "./Findings.ts"
import { takeIn } from "./Intake.ts"
import type { LogBatch, LogError } from "../../../src/logs/LoggedCall.ts"
import type { ResolveModel } from "./ModelTable.ts"
import { nothingReplayed, replay } from "./Replay.ts"
import type { BacktestReport } from "./Report.ts"
import { makeLogPolicies } from "./stats/LogPolicies.ts"

export interface BacktestOptions {
  readonly snapshot: CatalogSnapshot
  readonly resolveModel: ResolveModel
  readonly settings: EngineSettings
  /** In [0, 10]. */
  readonly sliders: ReadonlyArray<number>
  /** The models to judge; null for the most frequent models of the log. */
  readonly models: ReadonlyArray<string> | null
  readonly readTo: (doneBytes: number, totalBytes: number | null) => void
  readonly replayedTo: (doneRows: number, allRows: number) => void
}

/**
 * Replays a log through the engine, which begins with an empty memory: it predicts each judged row, and then
 * learns the row's outcome.
 */
export const backtest = Effect.fnUntraced(function*<R>(
  log: Stream.Stream<LogBatch, LogError, R>,
  options: BacktestOptions
): Effect.fn.Return<BacktestReport, LogError, R> {
  const { models, readTo, replayedTo, resolveModel, settings, sliders, snapshot } = options
  const intake = yield* takeIn(log, resolveModel, readTo)
  const { rows, table } = intake
  const chosen = chooseCandidates(snapshot, table, resolveModel, models)
  const { candidates } = chosen
  const found = { intake, chosen, sliders }
  if (candidates.length === 0) {
    return reportOf({ ...found, replayed: nothingReplayed(sliders.length, 0), figures: null })
  }
  // All models that are no candidates share one index, after the indexes of the candidates.
  const policies = policiesOf(sliders, chosen).length
  const judge = makeLogPolicies(candidates.length + 1, policies, policies - 1)
  const armOf = new Int32Array(table.models.length).fill(candidates.length)
  candidates.forEach(({ number }, i) => { if (number !== null) armOf[number] = i })
  const replayed = yield* replay({
    rows, armOf, settings, sliders,
    models: table.models,
    cards: candidates.map(({ card }) => card),
    judge: judge.add,
    report: replayedTo
  })
  return reportOf({ ...found, replayed, figures: judge.finish() })
})
