/*
 * Second pass of a backtest: asks the engine each row in the order of time, gives row and answer to the judge
 * of policies, and only then lets the engine learn the row's outcome.
 */
import { Effect } from "effect"
import type { ModelCard } from "../../../src/domain/model/Model.ts"
import { clusterOf, difficulties, taskTypes } from "../../../src/domain/Task.ts"
import { type Aim, makeRehearsal, type Rehearsal, type Rehearsed, type RehearsedTask } from "./Rehearsal.ts"
import type { JudgedAttempt } from "./RehearsedOutcome.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import { quantise } from "../../../src/memory/index/QuantisedVector.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import { hashOf } from "../../../src/stats/Hash.ts"
import { backtestSettings } from "./BacktestSettings.ts"
import { makeLoggedTasks, type TaskFigures } from "./LoggedTasks.ts"
import type { LogRow } from "./LogRow.ts"
import type { LogModel } from "./ModelTable.ts"
import { costOf, countCost, orNull, type SpentTotals } from "./RowCost.ts"
import { type Spool, SpoolFailed } from "./Spool.ts"
import type { JudgedRow } from "./stats/LogPolicies.ts"

/** What the rows of one model, or of all that are no candidates, came to. */
interface ArmTotals {
  rows: number
  labelled: number
  quality: number
  costed: number
  usd: number
}

/** What was counted on the way. */
export interface Replayed extends SpentTotals {
  /** Rows that were judged: no repeated ones, none that failed at the provider, and no later attempts. */
  judged: number
  repeated: number
  /** Rows that were a later attempt at a task. */
  laterAttempts: number
  infraFailures: number
  labelled: number
  /** What the tasks came to; null where the rows were not joined. */
  readonly tasks: TaskFigures | null
  /** By candidate, and behind them of all other models. */
  readonly arms: ReadonlyArray<ArmTotals>
  /** By aim, how often each candidate was picked. */
  readonly picks: ReadonlyArray<Float64Array>
}

/** What the second pass works with. */
export interface ReplayOptions {
  readonly spool: Spool
  readonly models: ReadonlyArray<LogModel>
  readonly cards: ReadonlyArray<ModelCard>
  /** By number of a model in the log, its index among the cards; that of all others is the cards' number. */
  readonly armOf: Int32Array
  readonly aims: ReadonlyArray<Aim>
  readonly settings: EngineSettings
  readonly dimensions: number
  readonly fromMs: number
  readonly toMs: number
  readonly judge: (row: JudgedRow) => void
  readonly report: (doneRows: number, allRows: number) => void
}

/** How long sums are used before they are aged anew: a share of the log's time, within bounds. */
export const tallyRefreshMsOf = (spanMs: number): number =>
  Math.min(backtestSettings.tallyRefreshMsMax,
    Math.max(memorySettings.tallyRefreshMs, spanMs / backtestSettings.tallyRefreshes))

/** Recognises rows that come again: their id and moment are those of an earlier one. */
const makeRepeats = () => {
  let momentMs = NaN
  const seen = new Set<number>()
  return ({ atMs, idHigh, idLow }: LogRow): boolean => {
    if (atMs !== momentMs) seen.clear()
    momentMs = atMs
    // 53 bits of the hash: two rows of one moment share them by chance in none of many logs.
    const id = idHigh * 2 ** 21 + (idLow >>> 11)
    if (seen.has(id)) return true
    if (seen.size < backtestSettings.sameMomentMax) seen.add(id)
    return false
  }
}

const taskOf = (row: LogRow, noVector: Float32Array): RehearsedTask => {
  const { atMs, difficulty, isDifficultyGiven, tags, taskType } = row
  return {
    atMs,
    tags,
    vector: row.vector === null ? noVector : Float32Array.from(row.vector),
    inputTokens: orNull(row.inputTokens),
    classified: {
      taskType, difficulty, cluster: clusterOf(taskType, difficulty, "call"),
      // A difficulty that the text does not surely show is medium.
      isDifficultyKnown: isDifficultyGiven || difficulty !== "medium",
      difficultyLogit: null,
      isUncertain: false, isRefined: false
    }
  }
}

const contextOf = (row: LogRow): JudgedRow["context"] => ({
  taskType: taskTypes.indexOf(row.taskType),
  difficulty: difficulties.indexOf(row.difficulty),
  tags: row.tags.length === 0 ? 0 : hashOf(row.tags.toSorted().join("\n")),
  user: row.user,
  logInputTokens: Math.log(Math.max(1, row.inputTokens))
})

const countArm = (arm: ArmTotals, quality: number, usd: number): void => {
  arm.rows++
  if (!Number.isNaN(quality)) {
    arm.labelled++
    arm.quality += quality
  }
  if (!Number.isNaN(usd)) {
    arm.costed++
    arm.usd += usd
  }
}

/** A prediction of each candidate, and of all other models what their earlier rows came to. */
const withOthers = (predicted: Float64Array, other: number): Float64Array => {
  const all = new Float64Array(predicted.length + 1)
  all.set(predicted)
  all[predicted.length] = other
  return all
}

/** The picks of all policies: of the aims, of each candidate always, and the logged model. */
const picksOf = (asked: Rehearsed, candidates: number, logged: number): Int32Array => {
  const aims = asked.picks.length
  const picks = new Int32Array(aims + candidates + 1)
  picks.set(asked.picks)
  for (let i = 0; i < candidates; i++) picks[aims + i] = i
  picks[aims + candidates] = logged
  return picks
}

/** Lets the engine learn what became of a row, as its feedback would. */
const teach = (
  rehearsal: Rehearsal,
  row: LogRow,
  { asked, before, modelId, task }: {
    readonly before: ReadonlyArray<JudgedAttempt>
    readonly task: RehearsedTask
    readonly asked: Rehearsed
    readonly modelId: string
  }
): void =>
  rehearsal.learn(task, asked, {
    observationId: String(row.number),
    modelId,
    quality: orNull(row.quality),
    provenance: row.provenance,
    inputTokens: orNull(row.inputTokens),
    outputTokens: orNull(row.outputTokens),
    costUsd: orNull(row.costUsd),
    latencyMs: orNull(row.latencyMs),
    vector: row.vector === null ? null : quantise(task.vector)
  }, before)

const noTotals = (): ArmTotals => ({ rows: 0, labelled: 0, quality: 0, costed: 0, usd: 0 })

/** Asks, judges and learns row after row. */
const makeSteps = (options: ReplayOptions, rehearsal: Rehearsal) => {
  const { aims, armOf, cards, dimensions, judge, models, settings, spool } = options
  const arms = Array.from({ length: cards.length + 1 }, noTotals)
  const replayed: Replayed = {
    judged: 0, repeated: 0, laterAttempts: 0, infraFailures: 0, labelled: 0, reportedRows: 0, reportedUsd: 0,
    computedRows: 0, computedUsd: 0, unknownCostRows: 0, tasks: null, arms,
    picks: aims.map(() => new Float64Array(cards.length))
  }
  const isRepeated = makeRepeats()
  const tasks = makeLoggedTasks(settings, cards.length)
  const noVector = new Float32Array(dimensions)
  const blockRows = Math.max(backtestSettings.blockRowsMin, Math.ceil(spool.rows / backtestSettings.blocks))
  const others = arms[cards.length]!

  /** Judges all policies on a row that begins a task: a later attempt is no fresh draw of one. */
  const judgeFirst = (row: LogRow, arm: number, asked: Rehearsed, costUsd: number): void => {
    const { expectedUsd, picks, success } = asked
    picks.forEach((pick, aim) => { replayed.picks[aim]![pick]!++ })
    judge({
      block: Math.floor(replayed.judged / blockRows),
      loggedModel: arm,
      quality: row.quality,
      costUsd,
      context: contextOf(row),
      success: withOthers(success, others.labelled === 0 ? 0.5 : others.quality / others.labelled),
      expectedUsd: withOthers(expectedUsd, others.costed === 0 ? 0 : others.usd / others.costed),
      picks: picksOf(asked, cards.length, arm)
    })
    replayed.judged++
    if (!Number.isNaN(row.quality)) replayed.labelled++
    countArm(arms[arm]!, row.quality, costUsd)
  }

  const step = (row: LogRow): void => {
    if (isRepeated(row)) {
      replayed.repeated++
      return
    }
    const model = models[row.model]!
    const arm = armOf[row.model]!
    const cost = costOf(row, cards[arm] ?? model.card)
    countCost(replayed, cost)
    if (row.isInfraFailure) {
      replayed.infraFailures++
      return
    }
    const task = taskOf(row, noVector)
    const asked = rehearsal.ask(task)
    const { modelId } = model
    const before = tasks.take(row, { modelId, arm, costUsd: cost.usd })
    if (before === null) judgeFirst(row, arm, asked, cost.usd)
    else replayed.laterAttempts++
    teach(rehearsal, row, { task, asked, modelId, before: before ?? [] })
  }
  return { replayed, step, tasks }
}

/** The next turn of the event loop, in which signals are heard. */
const nextTurn = Effect.promise(() => new Promise<void>((resolve) => { setImmediate(resolve) }))

/** Replays the rows of a spool; there is at least one candidate. */
export const replay = (options: ReplayOptions): Effect.Effect<Replayed, SpoolFailed> =>
  Effect.gen(function*() {
    const { aims, cards, dimensions, fromMs, report, settings, spool, toMs } = options
    const memory = { ...memorySettings, tallyRefreshMs: tallyRefreshMsOf(toMs - fromMs) }
    const { replayed, step, tasks } = makeSteps(options, makeRehearsal({
      beganMs: fromMs, cards, aims, dimensions, settings, memory
    }))
    const failed = (cause: unknown) => new SpoolFailed({ folder: spool.folder, cause })
    const rows = yield* Effect.try({ try: () => spool.read(), catch: failed })
    let done = 0
    /** Replays rows for one turn; yields whether any may be left. */
    const turn = Effect.suspend(() => {
      const untilMs = performance.now() + backtestSettings.turnMs
      while (performance.now() < untilMs) {
        let next: IteratorResult<LogRow, void>
        try {
          next = rows.next()
        } catch (cause) {
          return Effect.fail(failed(cause))
        }
        if (next.done === true) return Effect.succeed(false)
        step(next.value)
        done++
      }
      return Effect.succeed(true)
    })
    while (yield* turn) {
      report(done, spool.rows)
      yield* nextTurn
    }
    return { ...replayed, tasks: tasks.finish() }
  })
