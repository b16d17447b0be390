/* Combines all reports on one decision and model. The most trusted label wins, of equals the last. */
import type { Reconciliation } from "../Decision.ts"
import type { RunSignals } from "../RunSignals.ts"
import { type CostSource, type Provenance, successOf } from "./Feedback.ts"

/** A null field is unknown. */
export type Measurements = Pick<
  Reconciliation,
  | "actualCostUsd" | "cachedInputTokens" | "computedCostUsd" | "inputTokens" | "latencyMs" | "outputTokens"
  | "reasoningTokens" | "timeToFirstTokenMs"
>

export interface Label
  extends Omit<Reconciliation, "chosenModelId" | keyof Measurements>
{
  /** The quality from which memory learns, in [0, 1]. */
  readonly taughtQuality: number
  /** The weight of the label, in [0, 1]. */
  readonly provenanceWeight: number
}

export interface FeedbackReport extends Label, Measurements {
  readonly chosenModelId: string
  readonly signals?: RunSignals
}

export interface ReportedOutcome {
  readonly modelId: string
  /** Place of the last report on the model in the account's log. */
  readonly revision: number
  /** Revision of the report whose label won. */
  readonly verdictRevision: number
  readonly label: Label
  /** The measurements of all reports; each comes from the last report that has it. */
  readonly billed: Measurements
  /** Last verdict, in [0, 1], of each source but the winning label's; absent if no other source gave one. */
  readonly said?: { readonly [Source in Provenance]?: number }
  /** Last value of each measurement, from reports on calls that the infrastructure did not break. */
  readonly measured: Measurements
  readonly signals?: RunSignals
}

export interface ReportEffect {
  readonly before: ReportedOutcome | null
  /** The outcome after the report; null if the decision already has outcomes of `modelsMax` other models. */
  readonly after: ReportedOutcome | null
}

/**
 * Rank of each source of labels by trust, higher if more trusted. An agent's own check has no weight, but
 * ranks above a report without a verdict.
 */
export const trustOfSource: { readonly [P in Provenance]: number } = {
  gate: 5, human: 4, assertion: 3, judge: 3, self_check: 2, none: 1
}

export const isBroken = (
  { errorCause, outcome, teaches }: Pick<Label, "errorCause" | "outcome" | "teaches">
): boolean =>
  !teaches && outcome !== "success" && errorCause === "infra"

/** True if the label teaches, or is an agent's own check of a call that infrastructure did not break. */
export const isVerdict = (label: Pick<Label, "errorCause" | "outcome" | "provenance" | "teaches">): boolean =>
  label.teaches || (label.provenance === "self_check" && !isBroken(label))

/** Returns a label's rank of trust: 0 if infrastructure broke the call, 1 without a verdict, else up to 5. */
const trustOf = (label: Label): number =>
  isBroken(label) ? 0 : trustOfSource[isVerdict(label) ? label.provenance : "none"]

export const unmeasured: Measurements = {
  actualCostUsd: null, computedCostUsd: null, inputTokens: null, cachedInputTokens: null, outputTokens: null,
  reasoningTokens: null, latencyMs: null, timeToFirstTokenMs: null
}

const measurementNames = Object.keys(unmeasured) as ReadonlyArray<keyof Measurements>

const completed = (before: Measurements, next: Measurements): Measurements => {
  const all: { -readonly [Name in keyof Measurements]: number | null } = { ...unmeasured }
  for (const name of measurementNames) all[name] = next[name] ?? before[name]
  return all
}

/** Returns the source of a cost: the bill if there is one, else list prices; null if no cost is known. */
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

/** Adds a report to a decision's outcomes, which cover at most `modelsMax` models. */
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

/** The most trusted outcome of any model; of equals, the last. */
export const reconciliationOf = (outcomes: ReadonlyArray<ReportedOutcome>): Reconciliation | null => {
  const [best] = outcomes.toSorted((one, other) =>
    trustOf(other.label) - trustOf(one.label) || other.verdictRevision - one.verdictRevision)
  if (best === undefined) return null
  const { provenanceWeight: _weight, taughtQuality: _quality, ...label } = best.label
  return { ...label, chosenModelId: best.modelId, ...completed(best.billed, unmeasured) }
}
