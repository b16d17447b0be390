/*
 * The rule that combines all reports on one decision and model into one outcome. The most trusted label wins.
 * Among equally trusted labels the last accepted one wins.
 */
import type { Reconciliation } from "../Decision.ts"
import type { RunSignals } from "../RunSignals.ts"
import { type CostSource, type Provenance, successOf } from "./Feedback.ts"

/** Measured tokens, costs and latencies of a run. A null field was not reported. */
export type Measurements = Pick<
  Reconciliation,
  | "actualCostUsd" | "cachedInputTokens" | "computedCostUsd" | "inputTokens" | "latencyMs" | "outputTokens"
  | "reasoningTokens" | "timeToFirstTokenMs"
>

/** A report's statement about the outcome. */
export interface Label
  extends Omit<Reconciliation, "chosenModelId" | keyof Measurements>
{
  /** The quality that memory learns, in [0, 1]. */
  readonly taughtQuality: number
  /** The weight of the label, in [0, 1]. */
  readonly provenanceWeight: number
}

/** One feedback as the ledger stores it. */
export interface FeedbackReport extends Label, Measurements {
  readonly chosenModelId: string
  /** Absent if the report has no signals of its run. */
  readonly signals?: RunSignals
}

/** The combined outcome of all reports of one decision on one model. */
export interface ReportedOutcome {
  readonly modelId: string
  /** Revision of the last report on the model, unique in the ledger. The revision rises with every report. */
  readonly revision: number
  /** Revision of the report whose label won. */
  readonly verdictRevision: number
  readonly label: Label
  /** Measurements of all reports: each field comes from the last report that has it. */
  readonly billed: Measurements
  /**
   * The last verdicts of the sources whose labels lost, as success in [0, 1]; absent if there are none.
   * Compared with a trusted label they show how often these sources err.
   */
  readonly said?: { readonly [Source in Provenance]?: number }
  /** Like `billed`, without calls that the infrastructure broke: what a working call takes. */
  readonly measured: Measurements
  /** Signals of the last report that has any. Signals are shown, and decide nothing. */
  readonly signals?: RunSignals
}

/** The effect of a report: the outcome of its model before and after it. */
export interface ReportEffect {
  readonly before: ReportedOutcome | null
  /**
   * The outcome after the report. Null if the decision has too many models already: the report is then kept,
   * and teaches nothing.
   */
  readonly after: ReportedOutcome | null
}

/**
 * Ranks of trust of the sources of labels. A test compares their order with the weights in `engine/Settings`.
 * An agent's own check weighs nothing, but ranks above no verdict.
 */
export const trustOfSource: { readonly [P in Provenance]: number } = {
  gate: 5, human: 4, assertion: 3, judge: 3, self_check: 2, none: 1
}

/** Returns whether the infrastructure broke the call, wholly or in part. */
export const isBroken = (
  { errorCause, outcome, teaches }: Pick<Label, "errorCause" | "outcome" | "teaches">
): boolean =>
  !teaches && outcome !== "success" && errorCause === "infra"

/** Returns whether a label judges the result: it teaches, or is an agent's own check. */
export const isVerdict = (label: Pick<Label, "errorCause" | "outcome" | "provenance" | "teaches">): boolean =>
  label.teaches || (label.provenance === "self_check" && !isBroken(label))

/**
 * Returns the rank of a label: 0 if the infrastructure broke the call, the rank of `none` without a verdict.
 */
const trustOf = (label: Label): number =>
  isBroken(label) ? 0 : trustOfSource[isVerdict(label) ? label.provenance : "none"]

/** The measurements of a report that measured nothing. */
export const unmeasured: Measurements = {
  actualCostUsd: null, computedCostUsd: null, inputTokens: null, cachedInputTokens: null, outputTokens: null,
  reasoningTokens: null, latencyMs: null, timeToFirstTokenMs: null
}

const measurementNames = Object.keys(unmeasured) as ReadonlyArray<keyof Measurements>

/** Returns each measurement from the last report that has it. */
const completed = (before: Measurements, next: Measurements): Measurements => {
  const all: { -readonly [Name in keyof Measurements]: number | null } = { ...unmeasured }
  for (const name of measurementNames) all[name] = next[name] ?? before[name]
  return all
}

/** Returns the source of a cost. A bill takes precedence. Null if no cost is known. */
export const costSourceOf = (
  { actualCostUsd, computedCostUsd }: Pick<Measurements, "actualCostUsd" | "computedCostUsd">
): CostSource | null => actualCostUsd !== null ? "reported" : computedCostUsd !== null ? "computed" : null

const labelOf = (report: FeedbackReport): Label => ({
  feedbackAt: report.feedbackAt,
  outcome: report.outcome,
  quality: report.quality,
  taughtQuality: report.taughtQuality,
  provenance: report.provenance,
  provenanceWeight: report.provenanceWeight,
  errorCause: report.errorCause,
  teaches: report.teaches,
  isLate: report.isLate
})

/** Returns the verdicts of the sources that lost, with one more added. */
const saidWith = (
  said: ReportedOutcome["said"],
  other: Label | null,
  label: Label
): Pick<ReportedOutcome, "said"> => {
  const { [label.provenance]: _counts, ...others } = said ?? {}
  const all = other === null || !isVerdict(other) || other.provenance === label.provenance
    ? others
    : { ...others, [other.provenance]: successOf[other.outcome] }
  return Object.keys(all).length === 0 ? {} : { said: all }
}

/** Returns the outcome after one more report. */
const outcomeAfter = (
  before: ReportedOutcome | null,
  report: FeedbackReport,
  revision: number
): ReportedOutcome => {
  const stands = before !== null && trustOf(before.label) > trustOf(report)
  const label = stands ? before.label : labelOf(report)
  const signals = report.signals ?? before?.signals
  return {
    modelId: report.chosenModelId,
    revision,
    verdictRevision: stands ? before.verdictRevision : revision,
    label,
    ...saidWith(before?.said, stands ? labelOf(report) : before?.label ?? null, label),
    billed: completed(before?.billed ?? unmeasured, report),
    measured: isBroken(report)
      ? before?.measured ?? unmeasured
      : completed(before?.measured ?? unmeasured, report),
    ...(signals === undefined ? {} : { signals })
  }
}

/** Returns whether the last report's label is the one that won. */
export const isRelabelled = (outcome: ReportedOutcome | null): boolean =>
  outcome !== null && outcome.verdictRevision === outcome.revision

export const outcomeOf = (
  outcomes: ReadonlyArray<ReportedOutcome>,
  modelId: string
): ReportedOutcome | null => outcomes.find((outcome) => outcome.modelId === modelId) ?? null

/**
 * Returns a decision's outcomes after one more report, and the report's effect on its model.
 *
 * @param modelsMax most models of one decision whose outcomes are kept, count
 */
export const reported = (
  outcomes: ReadonlyArray<ReportedOutcome>,
  report: FeedbackReport,
  revision: number,
  modelsMax: number
): ReportEffect & { readonly outcomes: ReadonlyArray<ReportedOutcome> } => {
  const before = outcomeOf(outcomes, report.chosenModelId)
  if (before === null && outcomes.length >= modelsMax) return { outcomes, before, after: null }
  const after = outcomeAfter(before, report, revision)
  return { outcomes: [...outcomes.filter((outcome) => outcome !== before), after], before, after }
}

/**
 * Returns the feedback on the whole decision: the most trusted outcome of any model, among equals the last.
 */
export const reconciliationOf = (outcomes: ReadonlyArray<ReportedOutcome>): Reconciliation | null => {
  const [best] = outcomes.toSorted((one, other) =>
    trustOf(other.label) - trustOf(one.label) || other.verdictRevision - one.verdictRevision)
  if (best === undefined) return null
  const { provenanceWeight: _weight, taughtQuality: _quality, ...label } = best.label
  return { ...label, chosenModelId: best.modelId, ...completed(best.billed, unmeasured) }
}
