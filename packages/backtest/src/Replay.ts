/* Second pass of a backtest, in the order of time: the engine predicts each row, the judge of policies
   takes row and prediction, and then the engine learns the outcome. */
import { Effect } from "effect"
import type { ModelCard } from "../../../src/domain/model/Model.ts"
import { difficulties, taskTypes } from "../../../src/domain/Task.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import { hashOf } from "../../../src/stats/Hash.ts"
import { makeAttempts } from "./Attempts.ts"
import { backtestSettings } from "./BacktestSettings.ts"
import type { LogModel } from "./ModelTable.ts"
import { computedUsdOf, type LogRow, makeRehearsal, type Rehearsed } from "./Rehearsal.ts"
import type { JudgedRow } from "./stats/LogColumns.ts"

export interface Replayed {
  /** Rows that were predicted and learned, without repeated rows, later attempts and provider failures. */
  judged: number
  repeated: number
  laterAttempts: number
  infraFailures: number
  labelled: number
  usd: number
  /** Rows without a bill whose cost is computed from tokens, and their spending. */
  computedRows: number
  computedUsd: number
  unknownCostRows: number
  /** For each slider setting, how often each candidate was picked. */
  readonly picks: ReadonlyArray<Float64Array>
}

export interface ReplayOptions {
  readonly rows: ReadonlyArray<LogRow>
  readonly models: ReadonlyArray<LogModel>
  readonly cards: ReadonlyArray<ModelCard>
  /** Index of each model's card in `cards`; the length of `cards` for a model that is no candidate. */
  readonly armOf: Int32Array
  readonly sliders: ReadonlyArray<number>
  readonly settings: EngineSettings
  readonly judge: (row: JudgedRow) => void
  readonly report: (doneRows: number, allRows: number) => void
}

export const nothingReplayed = (sliders: number, candidates: number): Replayed => ({
  judged: 0, repeated: 0, laterAttempts: 0, infraFailures: 0, labelled: 0, usd: 0,
  computedRows: 0, computedUsd: 0, unknownCostRows: 0,
  picks: Array.from({ length: sliders }, () => new Float64Array(candidates))
})

/** Usual number of updates of the memory's time-decayed sums over the time span of a log. */
const tallyRefreshes = 500
const tallyRefreshMsMax = 86_400_000

/** Time between two updates of the memory's time-decayed sums, ms: 1/500 of the log's span, within limits. */
export const tallyRefreshMsOf = (spanMs: number): number =>
  Math.min(tallyRefreshMsMax, Math.max(memorySettings.tallyRefreshMs, spanMs / tallyRefreshes))

const contextOf = ({ classified, inputTokens, tags, user }: LogRow): JudgedRow["context"] => ({
  taskType: taskTypes.indexOf(classified.taskType),
  difficulty: difficulties.indexOf(classified.difficulty),
  tags: tags.length === 0 ? 0 : hashOf(tags.toSorted().join("\n")),
  user,
  logInputTokens: inputTokens === null ? NaN : Math.log(Math.max(1, inputTokens))
})

const addTo = (mean: { sum: number; n: number }, value: number | null): void => {
  mean.sum += value ?? 0
  mean.n += value === null ? 0 : 1
}

/** Adds a row's cost to the totals, and returns the cost: the bill, else tokens at list prices, else null. */
const spend = (replayed: Replayed, row: LogRow, card: ModelCard | null): number | null => {
  const computed = row.costUsd !== null || card === null ? null : computedUsdOf(card, row)
  const usd = row.costUsd ?? computed
  replayed.usd += usd ?? 0
  replayed.computedUsd += computed ?? 0
  if (computed !== null) replayed.computedRows++
  if (usd === null) replayed.unknownCostRows++
  return usd
}

const makeSteps = ({ armOf, cards, judge, models, rows, settings, sliders }: ReplayOptions) => {
  const dimensions = rows.find(({ vector }) => vector !== null)?.vector?.length ?? 1
  const beganMs = rows[0]?.atMs ?? 0
  const tallyRefreshMs = tallyRefreshMsOf((rows.at(-1)?.atMs ?? 0) - beganMs)
  const rehearsal = makeRehearsal({
    beganMs, cards, sliders, dimensions, settings, memory: { ...memorySettings, tallyRefreshMs }
  })
  const replayed = nothingReplayed(sliders.length, cards.length)
  const seen = new Set<string>()
  const isLater = makeAttempts(settings)
  const blockRows = Math.max(blockRowsMin, Math.ceil(rows.length / backtestSettings.blocks))
  // Models that are no candidates share a prediction, from the success and cost of their earlier rows.
  const others = { success: { sum: 0.5, n: 1 }, usd: { sum: 0, n: 0 } }

  /** Gives `judge` a row with the pick of every policy: one per slider, one per candidate, and the log. */
  const judgeRow = (row: LogRow, arm: number, asked: Rehearsed, usd: number | null): void => {
    asked.picks.forEach((pick, slider) => { replayed.picks[slider]![pick]!++ })
    judge({
      block: Math.floor(replayed.judged / blockRows),
      loggedModel: arm,
      quality: row.quality ?? NaN,
      costUsd: usd ?? NaN,
      context: contextOf(row),
      success: Float64Array.of(...asked.success, others.success.sum / others.success.n),
      expectedUsd: Float64Array.of(...asked.expectedUsd, others.usd.sum / Math.max(1, others.usd.n)),
      picks: Int32Array.of(...asked.picks, ...cards.keys(), arm)
    })
    replayed.judged++
    if (row.quality !== null) replayed.labelled++
    if (arm < cards.length) return
    addTo(others.success, row.quality)
    addTo(others.usd, usd)
  }

  const step = (row: LogRow, number: number): void => {
    const key = `${row.atMs} ${row.id}`
    if (seen.has(key)) {
      replayed.repeated++
      return
    }
    seen.add(key)
    const { card, modelId } = models[row.model]!
    const arm = armOf[row.model]!
    const usd = spend(replayed, row, cards[arm] ?? card)
    if (row.isInfraFailure) {
      replayed.infraFailures++
      return
    }
    // A later attempt is no fair sample, because it may follow a failure.
    if (isLater(row)) {
      replayed.laterAttempts++
      return
    }
    const asked = rehearsal.ask(row)
    judgeRow(row, arm, asked, usd)
    rehearsal.learn(row, asked, { ...row, observationId: String(number), modelId })
  }
  return { replayed, step }
}

/** Minimum number of rows in a block, except in the last block. */
const blockRowsMin = 25

/** Maximum time of a replay without a pause for signals and progress, ms. */
const turnMs = 50

const nextTurn = Effect.promise(() => new Promise<void>((resolve) => { setImmediate(resolve) }))

/** Replays the rows of a log for the candidates in `cards`, which must not be empty. */
export const replay = Effect.fnUntraced(function*(options: ReplayOptions): Effect.fn.Return<Replayed> {
  const { report, rows } = options
  const { replayed, step } = makeSteps(options)
  for (let done = 0; done < rows.length;) {
    const untilMs = performance.now() + turnMs
    for (; done < rows.length && performance.now() < untilMs; done++) step(rows[done]!, done)
    report(done, rows.length)
    yield* nextTurn
  }
  return replayed
})
