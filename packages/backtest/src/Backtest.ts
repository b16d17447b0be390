/* Conductor of a backtest: reads a log, replays it against the engine, and reports what it found. */
import { Effect, Schema, Stream } from "effect"
import { armName } from "../../../src/domain/model/Arm.ts"
import type { CatalogSnapshot } from "../../../src/domain/model/Model.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import { type ChosenCandidates, chooseCandidates } from "./Candidates.ts"
import { makeFeatureThreads, type ThreadEnded } from "./FeatureThreads.ts"
import { type Findings, policiesOf, reportOf } from "./Findings.ts"
import { type Intake, takeIn } from "./Intake.ts"
import type { LogBatch, LogError } from "./logs/LoggedCall.ts"
import { ModelTable, type ResolveModel } from "./ModelTable.ts"
import type { Aim } from "./Rehearsal.ts"
import { replay, type Replayed } from "./Replay.ts"
import type { BacktestReport } from "./Report.ts"
import { makeSpool, type Spool, type SpoolFailed } from "./Spool.ts"
import { type LogPolicies, makeLogPolicies } from "./stats/LogPolicies.ts"

/** The baseline that was named is no candidate. */
export class UnknownBaseline extends Schema.TaggedError<UnknownBaseline>()("UnknownBaseline", {
  name: Schema.String,
  candidates: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The baseline ${this.name} is none of the candidates: ${this.candidates.join(", ")}. `
      + "Say --baseline logged, or name it with --models, too."
  }
}

export interface BacktestOptions {
  readonly snapshot: CatalogSnapshot
  readonly resolveModel: ResolveModel
  readonly settings: EngineSettings
  readonly aims: ReadonlyArray<Aim>
  /** A model that savings are against; null for the log's own choices. */
  readonly baseline: string | null
  /** The models to judge; null for those of the log. */
  readonly models: ReadonlyArray<string> | null
  /** How far the log is read, in bytes of its files; and how far it is replayed, in rows. */
  readonly readTo: (doneBytes: number, totalBytes: number | null) => void
  readonly replayedTo: (doneRows: number, allRows: number) => void
}

/** The place of the baseline among the policies. */
const baselineOf = (
  { aims, baseline, resolveModel }: BacktestOptions,
  chosen: ChosenCandidates
): Effect.Effect<number, UnknownBaseline> => {
  const policies = policiesOf(aims, chosen)
  if (baseline === null) return Effect.succeed(policies.length - 1)
  const ids = new Set([baseline, armName(resolveModel(baseline)?.modelId ?? baseline)])
  const at = policies.findIndex(({ modelId }) => modelId !== null && ids.has(modelId))
  const candidates = chosen.candidates.map(({ card }) => armName(card.modelId))
  return at >= 0 ? Effect.succeed(at) : Effect.fail(new UnknownBaseline({ name: baseline, candidates }))
}

/** What a log without a single candidate comes to. */
const nothingReplayed: Replayed = {
  judged: 0, repeated: 0, laterAttempts: 0, infraFailures: 0, labelled: 0, reportedRows: 0, reportedUsd: 0,
  computedRows: 0, computedUsd: 0, unknownCostRows: 0, tasks: null, arms: [], picks: []
}

/** The judge of all policies: the candidates, and one more arm for all other models. */
const makeJudge = (options: BacktestOptions, chosen: ChosenCandidates, baseline: number): LogPolicies => {
  const policies = policiesOf(options.aims, chosen).length
  return makeLogPolicies(chosen.candidates.length + 1, policies, { logged: policies - 1, baseline })
}

/** Asks every row of a spool, and judges all policies on it. */
const replayRows = Effect.fnUntraced(function*(
  options: BacktestOptions,
  { intake, spool, table }: { readonly spool: Spool; readonly table: ModelTable; readonly intake: Intake }
): Effect.fn.Return<Findings, SpoolFailed | UnknownBaseline> {
  const { aims, models, replayedTo, resolveModel, settings, snapshot } = options
  const chosen = chooseCandidates(snapshot, table, resolveModel, models)
  const baseline = yield* baselineOf(options, chosen)
  const found = { intake, chosen, baseline, aims, models: table.shown }
  if (chosen.candidates.length === 0) return { ...found, replayed: nothingReplayed, figures: null }
  const judge = makeJudge(options, chosen, baseline)
  const armOf = new Int32Array(table.models.length).fill(chosen.candidates.length)
  chosen.candidates.forEach(({ number }, i) => { if (number !== null) armOf[number] = i })
  const replayed = yield* replay({
    spool, armOf, settings, aims,
    dimensions: intake.dimensions,
    models: table.models,
    cards: chosen.candidates.map(({ card }) => card),
    fromMs: intake.fromMs,
    toMs: intake.toMs,
    judge: judge.add,
    report: replayedTo
  })
  return { ...found, replayed, figures: judge.finish() }
})

/**
 * Backtests a log. Each row is asked of the engine's stages over a scratch lane in this process before its
 * outcome is learned. Nothing is sent anywhere, and what is kept meanwhile is gone afterwards.
 */
export const backtest = <R>(
  log: Stream.Stream<LogBatch, LogError, R>,
  options: BacktestOptions
): Effect.Effect<BacktestReport, LogError | SpoolFailed | ThreadEnded | UnknownBaseline, R> =>
  Effect.scoped(Effect.gen(function*() {
    const spool = yield* makeSpool
    const table = new ModelTable(options.resolveModel)
    // The threads end before the replay begins: it has the machine for itself.
    const intake = yield* Effect.scoped(Effect.flatMap(makeFeatureThreads, (threads) =>
      takeIn(log, { spool, table, threads, report: options.readTo })))
    return reportOf(yield* replayRows(options, { spool, table, intake }))
  }))
