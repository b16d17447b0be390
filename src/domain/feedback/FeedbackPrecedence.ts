/* The rule that combines all reports on one decision and model into one outcome. The most trusted label
   wins. Among equally trusted labels, the label that was accepted last wins. */
import type { Reconciliation } from "../Decision.ts"
import type { RunSignals } from "../RunSignals.ts"
import { type CostSource, type Provenance, successOf } from "./Feedback.ts"

/** Measured tokens, costs and latencies of a run. A null field was not reported. */
export type Measurements = Pick<
  Reconciliation,
  | "actualCostUsd" | "cachedInputTokens" | "computedCostUsd" | "inputTokens" | "latencyMs" | "outputTokens"
  | "reasoningTokens" | "timeToFirstTokenMs"
>

/** What a report says about the outcome, and how far the statement is trusted. */
export interface Label
  extends Omit<Reconciliation, "chosenModelId" | keyof Measurements>
{
  /** The quality from which memory learns, in [0, 1]. */
  readonly taughtQuality: number
  /** The weight of the label, in [0, 1]. */
  readonly provenanceWeight: number
}

/** One feedback as the ledger stores it. */
export interface FeedbackReport extends Label, Measurements {
  readonly chosenModelId: string
  /** The signals are absent if the report has none of its run. */
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
  /** Measurements of all reports. Each field comes from the last report that has the field. */
  readonly billed: Measurements
  /**
   * Last verdict of each source whose label lost, as a success in [0, 1]; absent if no label lost. A
   * comparison of these verdicts with a trusted label shows how often the sources err.
   */
  readonly said?: { readonly [Source in Provenance]?: number }
  /** Measurements like `billed`, but without calls that the infrastructure broke. */
  readonly measured: Measurements
  /** Signals of the last report that has signals. Signals are shown, and no choice uses them. */
  readonly signals?: RunSignals
}

/** The effect of a report: the outcome of its model before and after the report. */
export interface ReportEffect {
  readonly before: ReportedOutcome | null
  /**
   * Null if the decision has outcomes of too many models already. If the decision has too many models, the
   * report is stored and teaches nothing.
   */
  readonly after: ReportedOutcome | null
}

/**
 * Rank of each source of labels by trust; higher is more trusted. A test compares their order with the
 * weights in `engine/Settings`. An agent's own check has no weight, but ranks above a report without a
 * verdict.
 */
export const trustOfSource: { readonly [P in Provenance]: number } = {
  gate: 5, human: 4, assertion: 3, judge: 3, self_check: 2, none: 1
}

/** Returns whether the infrastructure broke the call, completely or in part. */
export const isBroken = (
  { errorCause, outcome, teaches }: Pick<Label, "errorCause" | "outcome" | "teaches">
): boolean =>
  !teaches && outcome !== "success" && errorCause === "infra"

/**
 * Returns whether a label judges the result. A label judges the result if it teaches or is an agent's own
 * check.
 */
export const isVerdict = (label: Pick<Label, "errorCause" | "outcome" | "provenance" | "teaches">): boolean =>
  label.teaches || (label.provenance === "self_check" && !isBroken(label))

/**
 * Returns the rank of a label: 0 if the infrastructure broke the call, the rank of `none` if nothing was
 * judged.
 */
const trustOf = (label: Label): number =>
  isBroken(label) ? 0 : trustOfSource[isVerdict(label) ? label.provenance : "none"]

/** The measurements of a report that measured nothing. */
export const unmeasured: Measurements = {
  actualCostUsd: null, computedCostUsd: null, inputTokens: null, cachedInputTokens: null, outputTokens: null,
  reasoningTokens: null, latencyMs: null, timeToFirstTokenMs: null
}

const measurementNames = Object.keys(unmeasured) as ReadonlyArray<keyof Measurements>

/** Returns for each measurement the value from the last report that has it. */
const completed = (before: Measurements, next: Measurements): Measurements => {
  const all: { -readonly [Name in keyof Measurements]: number | null } = { ...unmeasured }
  for (const name of measurementNames) all[name] = next[name] ?? before[name]
  return all
}

/**
 * Returns the source of a cost. If there is a bill, the bill is the source. Returns null if no cost is known.
 */
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

/** Adds a verdict to the verdicts of the sources whose labels lost. */
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

/** Returns the outcome of a model after one more report. */
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

/** Returns whether the label of the last report won. */
export const isRelabelled = (outcome: ReportedOutcome | null): boolean =>
  outcome !== null && outcome.verdictRevision === outcome.revision

export const outcomeOf = (
  outcomes: ReadonlyArray<ReportedOutcome>,
  modelId: string
): ReportedOutcome | null => outcomes.find((outcome) => outcome.modelId === modelId) ?? null

/**
 * Returns a decision's outcomes after one more report, and the report's effect on the reported model.
 *
 * @param modelsMax maximum number of models of one decision whose outcomes are stored
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
 * Returns the feedback on the whole decision: the most trusted outcome of any model. Of equals, the last
 * wins.
 */
export const reconciliationOf = (outcomes: ReadonlyArray<ReportedOutcome>): Reconciliation | null => {
  const [best] = outcomes.toSorted((one, other) =>
    trustOf(other.label) - trustOf(one.label) || other.verdictRevision - one.verdictRevision)
  if (best === undefined) return null
  const { provenanceWeight: _weight, taughtQuality: _quality, ...label } = best.label
  return { ...label, chosenModelId: best.modelId, ...completed(best.billed, unmeasured) }
}
