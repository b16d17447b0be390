/* Makes the report of a backtest from the figures of both passes. */
import { variantName } from "../../../src/domain/model/ModelVariant.ts"
import type { BacktestCandidate, ChosenCandidates } from "./Candidates.ts"
import type { Intake } from "./Intake.ts"
import { leftOutReasons } from "../../../src/logs/LoggedCall.ts"
import type { Replayed } from "./Replay.ts"
import type { BacktestBest, BacktestPolicy, BacktestReport, BacktestUntold } from "./Report.ts"
import { assumption, calls, count, headlineOf, share, untoldSentence, type UntoldWay } from "./Sentences.ts"
import { sameWithin } from "./stats/BestWay.ts"
import type { LogFigures } from "./stats/LogFigures.ts"
import { leastSaving, matchesMin } from "./stats/LogVerdict.ts"

export interface Findings {
  readonly intake: Intake
  readonly replayed: Replayed
  readonly chosen: ChosenCandidates
  readonly sliders: ReadonlyArray<number>
  /** Estimates and verdicts of the policies; null if there is no candidate. */
  readonly figures: LogFigures | null
}

type PolicyName = Pick<BacktestPolicy, "kind" | "modelId" | "name" | "slider">

const namesOf = (candidates: ReadonlyArray<BacktestCandidate>): ReadonlyArray<string> =>
  candidates.map(({ card }) => variantName(card.modelId))

/** Names the policies in order: each slider, each candidate for all calls, and the log's own choices. */
export const policiesOf = (
  sliders: ReadonlyArray<number>,
  { candidates }: Pick<ChosenCandidates, "candidates">
): ReadonlyArray<PolicyName> => [
  ...sliders.map((slider): PolicyName =>
    ({ kind: "slider", name: `Slider ${slider}`, slider, modelId: null })),
  ...namesOf(candidates).map((modelId): PolicyName =>
    ({ kind: "always", name: `always ${modelId}`, slider: null, modelId })),
  { kind: "logged", name: "the log's own choices", slider: null, modelId: null }
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

const policiesWith = ({ chosen, figures, replayed, sliders }: Findings): ReadonlyArray<BacktestPolicy> => {
  const named = policiesOf(sliders, chosen)
  return (figures?.policies ?? []).map(({ estimatedUsd, labelsNeeded, ...told }, i) =>
    ({ ...named[i]!, ...told, picks: picksOf(replayed.picks[i], chosen) }))
}

const bestOf = ({ figures }: Findings, policies: ReadonlyArray<BacktestPolicy>): BacktestBest => {
  const none = { way: null, saving: null, successDifference: null }
  const best = figures?.best ?? null
  if (figures === null || best === "untold") return { ...none, verdict: "not_enough" }
  if (best === null) return { ...none, verdict: "none" }
  const { policy, saving, successDifference } = best
  const isShown = saving.low > leastSaving && successDifference.value >= -sameWithin
  return { verdict: isShown ? "saves" : "not_shown", way: policies[policy]!.name, saving, successDifference }
}

/** Returns the policies without a verdict, and the data that would give one; null if all have a verdict. */
const untoldOf = (
  { figures }: Findings,
  policies: ReadonlyArray<BacktestPolicy>
): BacktestUntold | null => {
  if (figures === null) return null
  const untold = figures.policies.flatMap(({ verdict, withheld }, i): ReadonlyArray<UntoldWay> =>
    verdict === "not_enough" && withheld !== null ? [[policies[i]!.name, withheld]] : [])
  if (untold.length === 0) return null
  const labels = figures.policies.flatMap(({ labelsNeeded }) => labelsNeeded ?? [])
  const always = figures.policies.filter((_, i) => policies[i]!.kind === "always")
  const needed = {
    moreLabels: labels.length === 0 ? null : Math.min(...labels),
    auditionPrompts: matchesMin,
    auditionUsd: matchesMin * always.reduce((sum, { estimatedUsd }) => sum + estimatedUsd, 0)
  }
  return { ...needed, ways: untold.map(([name]) => name), sentence: untoldSentence(untold, needed) }
}

const notesOf = ({ chosen, intake, replayed }: Findings): ReadonlyArray<string> => {
  const { rows, table, withPrompt } = intake
  const withoutPrompt = rows.length - withPrompt
  const { candidates, leftOutModels, leftOutRows, unknown } = chosen
  const byBills = namesOf(candidates.filter(({ pricedBy }) => pricedBy === "bills"))
  const noteIf = (isSo: boolean, note: string): ReadonlyArray<string> => isSo ? [note] : []
  return [
    ...noteIf(withoutPrompt > 0,
      `${calls(withoutPrompt)} (${share(withoutPrompt / rows.length)}) have no text and were asked by `
      + " tags and type alone."),
    ...noteIf(replayed.computedRows > 0,
      `The cost of ${calls(replayed.computedRows)} is computed from tokens and today's list prices.`),
    ...noteIf(replayed.unknownCostRows > 0, `The cost of ${calls(replayed.unknownCostRows)} is not known.`),
    ...noteIf(leftOutModels > 0,
      `${count(leftOutModels)} of ${count(table.models.length)} models, with ${calls(leftOutRows)}, are no `
      + "candidates. They are learned from and count in the log's own choices; --models names others."),
    ...noteIf(unknown.length > 0, `No such model, or one without a price: ${unknown.join(", ")}.`),
    ...noteIf(byBills.length > 0, `Priced by the log's own bills: ${byBills.join(", ")}.`),
    ...noteIf(replayed.infraFailures > 0,
      `${calls(replayed.infraFailures)} failed at the provider: counted as spent, and not judged.`),
    ...noteIf(replayed.repeated > 0, `${calls(replayed.repeated)} came twice and count once.`),
    ...noteIf(replayed.laterAttempts > 0,
      `${calls(replayed.laterAttempts)} came after other attempts at the same task: `
      + "counted as spent, and neither judged nor learned from."),
    "Each call is asked before its own outcome is learned, with its input tokens, without a user id and "
    + "without exploration."
  ]
}

const iso = (ms: number | undefined): string | null => ms === undefined ? null : new Date(ms).toISOString()

export const reportOf = (findings: Findings): BacktestReport => {
  const { intake, replayed } = findings
  const { infraFailures, judged, labelled, laterAttempts, repeated } = replayed
  const { computedRows, computedUsd, unknownCostRows, usd } = replayed
  const { leftOut, rows, table, withPrompt } = intake
  const policies = policiesWith(findings)
  const best = bestOf(findings, policies)
  const untold = untoldOf(findings, policies)
  return {
    report: "sextant-backtest/1",
    headline: headlineOf(best, judged === 0 ? null : untold),
    best, untold, assumption,
    log: {
      rows: rows.length, judged, repeated, laterAttempts, infraFailures, labelled, withPrompt,
      from: iso(rows[0]?.atMs), to: iso(rows.at(-1)?.atMs),
      models: table.models.length,
      leftOut: [...leftOut].map(([reason, n]) => ({ reason, count: n, meaning: leftOutReasons[reason] }))
    },
    spent: { usd, computedRows, computedUsd, unknownRows: unknownCostRows },
    policies,
    notes: notesOf(findings)
  }
}
