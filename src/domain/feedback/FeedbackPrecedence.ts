/*
 * The rule by which all reports of one decision and model count as one outcome: the most trusted label wins,
 * among equals the last, in the order in which the reports were accepted.
 */
import type { Reconciliation } from "../Decision.ts"
import type { RunSignals } from "../RunSignals.ts"
import { type CostSource, type Provenance, successOf } from "./Feedback.ts"

/** What a run was measured to cost and take. A null field was not reported. */
export type Measurements = Pick<
  Reconciliation,
  | "actualCostUsd" | "cachedInputTokens" | "computedCostUsd" | "inputTokens" | "latencyMs" | "outputTokens"
  | "reasoningTokens" | "timeToFirstTokenMs"
>

/** What a report says of the outcome itself. */
export interface Label
  extends Omit<Reconciliation, "chosenModelId" | keyof Measurements>
{
  /** The quality that memory learns, in [0, 1]. */
  readonly taughtQuality: number
  /** The weight of the label, in [0, 1]; null for a label that was written before weights were kept. */
  readonly provenanceWeight: number | null
}

/** One feedback as the ledger takes it. */
export interface FeedbackReport extends Label, Measurements {
  readonly chosenModelId: string
  /** Absent where it said nothing of its run. */
  readonly signals?: RunSignals
}

/** The combined outcome of all reports of one decision on one model. */
export interface ReportedOutcome {
  readonly modelId: string
  /**
   * Rises with every report on the model, unique in the ledger; 0 if it was written before reports were kept.
   */
  readonly revision: number
  /** The revision of the report whose label counts. */
  readonly verdictRevision: number
  readonly label: Label
  /** Each field from the last report that has it. */
  readonly billed: Measurements
  /**
   * What sources said last whose label does not count, as success in [0, 1]; absent where none did. Beside a
   * trusted label it shows how often they err.
   */
  readonly said?: { readonly [Source in Provenance]?: number }
  /** As `billed`, without calls that the infrastructure broke: what a call takes that runs. */
  readonly measured: Measurements
  /** Of the last report that had any: shown, and read by nothing that decides. */
  readonly signals?: RunSignals
}

/** What a report changed: the outcome of its model before and after it. */
export interface ReportEffect {
  readonly before: ReportedOutcome | null
  /** Null when the decision takes no further model: the report is kept and teaches nothing. */
  readonly after: ReportedOutcome | null
}

/**
 * Ranks of the sources of labels, in the order of their weights in `engine/Settings`, which a test compares.
 * An agent's own check weighs nothing, and is more than no verdict.
 */
export const trustOfSource: { readonly [P in Provenance]: number } = {
  gate: 5, human: 4, assertion: 3, judge: 3, self_check: 2, none: 1
}

/** Whether the infrastructure broke the call, in whole or in part. */
export const isBroken = (
  { errorCause, outcome, teaches }: Pick<Label, "errorCause" | "outcome" | "teaches">
): boolean =>
  !teaches && outcome !== "success" && errorCause === "infra"

/** Whether a label says how the call came out: it teaches, or is of the agent's own check. */
export const isVerdict = (label: Pick<Label, "errorCause" | "outcome" | "provenance" | "teaches">): boolean =>
  label.teaches || (label.provenance === "self_check" && !isBroken(label))

/** The rank of a label: 0 for a call that the infrastructure broke, that of `none` for no verdict. */
const trustOf = (label: Label): number =>
  isBroken(label) ? 0 : trustOfSource[isVerdict(label) ? label.provenance : "none"]

/** Of a report that measured nothing. */
export const unmeasured: Measurements = {
  actualCostUsd: null, computedCostUsd: null, inputTokens: null, cachedInputTokens: null, outputTokens: null,
  reasoningTokens: null, latencyMs: null, timeToFirstTokenMs: null
}

const measurementNames = Object.keys(unmeasured) as ReadonlyArray<keyof Measurements>

/** Each field from the last report that has it. What an older version wrote lacks the newer fields. */
const completed = (before: Partial<Measurements>, next: Partial<Measurements>): Measurements => {
  const all: { -readonly [Name in keyof Measurements]: number | null } = { ...unmeasured }
  for (const name of measurementNames) all[name] = next[name] ?? before[name] ?? null
  return all
}

/** What the cost rests on: a bill, whatever else is known; null when no cost is known. */
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

/** Successes that sources other than the counting label's reported, with one more. */
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

/** The outcome after one more report: the most trusted label counts, among equals the last. */
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

/** Whether the label that counts is that of the last report. */
export const isRelabelled = (outcome: ReportedOutcome | null): boolean =>
  outcome !== null && outcome.verdictRevision === outcome.revision

/** The weight of a label, in [0, 1]; a label without one gets the present weight of its source. */
export const weightOf = (
  { provenance, provenanceWeight, teaches }: Label,
  weights: { readonly [P in Provenance]: number }
): number => provenanceWeight ?? (teaches ? weights[provenance] : 0)

export const outcomeOf = (
  outcomes: ReadonlyArray<ReportedOutcome>,
  modelId: string
): ReportedOutcome | null => outcomes.find((outcome) => outcome.modelId === modelId) ?? null

/**
 * A decision's outcomes after one more report, with the outcome of its model before and after it.
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

/** The feedback of the decision as a whole: the most trusted outcome of any model, among equals the last. */
export const reconciliationOf = (outcomes: ReadonlyArray<ReportedOutcome>): Reconciliation | null => {
  const [best] = outcomes.toSorted((one, other) =>
    trustOf(other.label) - trustOf(one.label) || other.verdictRevision - one.verdictRevision)
  if (best === undefined) return null
  const { provenanceWeight: _weight, taughtQuality: _quality, ...label } = best.label
  return { ...label, chosenModelId: best.modelId, ...completed(best.billed, unmeasured) }
}
