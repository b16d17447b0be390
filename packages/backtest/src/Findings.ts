/* Makes the report from the figures of both passes. */
import { armName } from "../../../src/domain/model/Arm.ts"
import { dollars } from "../../../src/domain/text/Words.ts"
import type { BacktestCandidate, ChosenCandidates } from "./Candidates.ts"
import type { Intake } from "./Intake.ts"
import { leftOutReasons } from "./logs/LoggedCall.ts"
import type { Aim } from "./Rehearsal.ts"
import type { Replayed } from "./Replay.ts"
import { ratioOf } from "../../../src/stats/RatioOfSums.ts"
import type { BacktestPolicy, BacktestReport, BacktestTasks } from "./Report.ts"
import {
  assumption, calls, count, planSentence, policySentence, share, taskSentence, unknowable
} from "./Sentences.ts"
import { headlineOf, sameQualityOf } from "./SameQuality.ts"
import type { LogFigures, PolicyFigures } from "./stats/LogFigures.ts"

/** All that a backtest has counted and judged. */
export interface Findings {
  readonly intake: Intake
  readonly replayed: Replayed
  readonly chosen: ChosenCandidates
  readonly models: number
  readonly aims: ReadonlyArray<Aim>
  /** Figures of the aims, of each candidate always, and of the log itself; null without a candidate. */
  readonly figures: LogFigures | null
  /** Which of them is the baseline. */
  readonly baseline: number
}

/** A policy by its place: what it is, before its figures. */
type PolicyName = Pick<BacktestPolicy, "kind" | "modelId" | "name" | "slider" | "valueUsd">

/** The models as reports name them. */
const namesOf = (candidates: ReadonlyArray<BacktestCandidate>): ReadonlyArray<string> =>
  candidates.map(({ card }) => armName(card.modelId))

/** All policies in the order of their figures. */
export const policiesOf = (
  aims: ReadonlyArray<Aim>,
  { candidates }: Pick<ChosenCandidates, "candidates">
): ReadonlyArray<PolicyName> => [
  ...aims.map((aim): PolicyName => aim.valueUsd === null
    ? { kind: "slider", name: `Slider ${aim.slider}`, ...aim, modelId: null }
    : { kind: "value", name: `${dollars(aim.valueUsd)} a success`, ...aim, modelId: null }),
  ...namesOf(candidates).map((modelId): PolicyName =>
    ({ kind: "always", name: `always ${modelId}`, slider: null, valueUsd: null, modelId })),
  { kind: "logged", name: "the log's own choices", slider: null, valueUsd: null, modelId: null }
]

const picksOf = (
  picks: Float64Array | undefined,
  { candidates }: ChosenCandidates
): BacktestPolicy["picks"] => {
  if (picks === undefined) return null
  const all = picks.reduce((sum, n) => sum + n, 0)
  return namesOf(candidates).map((modelId, i) => ({ modelId, share: picks[i]! / Math.max(1, all) }))
    .filter((pick) => pick.share > 0)
    .toSorted((a, b) => b.share - a.share)
}

const policyOf = (
  named: PolicyName,
  figures: PolicyFigures,
  baseline: string,
  picks: BacktestPolicy["picks"]
): BacktestPolicy => {
  const { costUsd, modelled, needed, saving, success, successDifference, verdict, withheld } = figures
  return {
    ...named, success, costUsd, saving, successDifference, needed, verdict, withheld, picks,
    expected: modelled,
    supportedShare: figures.supportedShare,
    matchedShare: figures.matchedShare,
    matchedLabelled: figures.matchedLabelled,
    effectiveSampleSize: figures.effectiveSampleSize,
    hiddenCauseOdds: figures.sensitivity,
    sentence: policySentence({ ...named, needed, saving, successDifference, verdict, withheld }, baseline)
  }
}

const perCent = (part: number, all: number): string => share(all === 0 ? 0 : part / all)

/** What a reader should know of the figures. */
const notesOf = ({ chosen, intake, models, replayed }: Findings): ReadonlyArray<string> => {
  const withoutPrompt = intake.rows - intake.withPrompt
  const { candidates, leftOutModels, leftOutRows, unknown } = chosen
  const byBills = namesOf(candidates.filter(({ pricedBy }) => pricedBy === "bills"))
  const unseen = namesOf(candidates.filter(({ number }) => number === null))
  return [
    ...(withoutPrompt === 0 ? [] : [
      `${calls(withoutPrompt)} (${perCent(withoutPrompt, intake.rows)}) have no text and were asked by tags `
      + "and type alone."
    ]),
    ...(replayed.computedRows === 0 ? [] : [
      `The cost of ${calls(replayed.computedRows)} is computed from tokens and today's list prices.`
    ]),
    ...(replayed.unknownCostRows === 0 ? [] : [
      `The cost of ${calls(replayed.unknownCostRows)} is not known.`
    ]),
    ...(leftOutModels === 0 ? [] : [
      `${count(leftOutModels)} of ${count(models)} models, with ${calls(leftOutRows)}, are no candidates. `
      + "Their outcomes are learned from and count in the log's own choices; --models names others."
    ]),
    ...(unknown.length === 0 ? [] : [`No such model, or one without a price: ${unknown.join(", ")}.`]),
    ...(unseen.length === 0 ? [] : [`The log never shows ${unseen.join(", ")}: nothing can be told of it.`]),
    ...(byBills.length === 0 ? [] : [`Priced by the log's own bills: ${byBills.join(", ")}.`]),
    ...(replayed.infraFailures === 0 ? [] : [
      `${calls(replayed.infraFailures)} failed at the provider: counted as spent, and not judged.`
    ]),
    ...(replayed.repeated === 0 ? [] : [`${calls(replayed.repeated)} came twice and count once.`]),
    ...(replayed.laterAttempts === 0 ? [] : [
      `${calls(replayed.laterAttempts)} came after other attempts at the same task: counted as spent, `
      + "learned from by what those say of the task, and judged in plans alone. Plans assume that failures "
      + "which the log tried again are like those which it did not."
    ]),
    ...(intake.isOrdered ? [] : ["The log was out of order and has been sorted by time."]),
    "Each call is asked before its own outcome is learned, with its input tokens, without a user id and "
    + "without exploration. Votes on past outcomes are not replayed."
  ]
}

const iso = (ms: number): string | null => Number.isFinite(ms) ? new Date(ms).toISOString() : null

const candidatesOf = ({ chosen, replayed }: Findings): BacktestReport["candidates"] =>
  chosen.candidates.map(({ card, pricedBy }, i) => {
    const { costed, labelled, quality, rows, usd } = replayed.arms[i]!
    return {
      modelId: armName(card.modelId), pricedBy, rows, labelled,
      success: labelled === 0 ? null : quality / labelled,
      costUsd: costed === 0 ? null : usd / costed
    }
  })

/** What the tasks came to; null in a log without a task of several attempts. */
const tasksOf = ({ chosen, replayed: { laterAttempts, tasks } }: Findings): BacktestTasks | null => {
  if (tasks === null || laterAttempts === 0) return null
  const names = namesOf(chosen.candidates)
  const cost = ratioOf(tasks.costed)
  const figures = {
    tasks: tasks.tasks, retried: tasks.retried, finished: tasks.finished, laterAttempts,
    attemptsPerTask: tasks.attempts / Math.max(1, tasks.tasks),
    costPerFinishedUsd: cost === null || cost.high === Infinity
      ? null
      : { value: cost.ratio, low: cost.low, high: cost.high }
  }
  return {
    ...figures,
    plans: tasks.plans.map(({ first, then, ...rest }) => {
      const plan = { first: names[first]!, then: names[then]!, ...rest }
      return { ...plan, sentence: planSentence(plan) }
    }),
    sentence: taskSentence(figures)
  }
}

/** The report of a backtest. */
export const reportOf = (findings: Findings): BacktestReport => {
  const { aims, chosen, figures, intake, models, replayed } = findings
  const named = policiesOf(aims, chosen)
  const baseline = named[findings.baseline]?.name ?? "the log's own choices"
  const policies = (figures?.policies ?? []).map((each, i) =>
    policyOf(named[i]!, each, baseline, picksOf(replayed.picks[i], chosen)))
  const tasks = tasksOf(findings)
  const sameQuality = sameQualityOf(figures?.sameQuality ?? null, policies, baseline, replayed.judged)
  return {
    report: "sextant-backtest/1",
    headline: headlineOf(sameQuality),
    sameQuality,
    assumption,
    unknowable,
    log: {
      rows: intake.rows, judged: replayed.judged, repeated: replayed.repeated,
      infraFailures: replayed.infraFailures, labelled: replayed.labelled, withPrompt: intake.withPrompt,
      from: iso(intake.fromMs), to: iso(intake.toMs), formats: [...intake.formats], models,
      leftOut: [...intake.leftOut].map(([reason, n]) => ({
        reason, count: n, meaning: leftOutReasons[reason]
      }))
    },
    spent: {
      usd: replayed.reportedUsd + replayed.computedUsd,
      reportedRows: replayed.reportedRows, reportedUsd: replayed.reportedUsd,
      computedRows: replayed.computedRows, computedUsd: replayed.computedUsd,
      unknownRows: replayed.unknownCostRows
    },
    baseline,
    candidates: candidatesOf(findings),
    policies,
    ...(tasks === null ? {} : { tasks }),
    notes: notesOf(findings)
  }
}
