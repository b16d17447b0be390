import type { Reconciliation } from "./Decision.ts"
import type { Provenance } from "./Feedback.ts"

/* The rule by which all reports of a decision teach as one. Pure: every ledger applies it under its lock. */

/** What a run was measured to take; null claims nothing. */
export type Measurements =
  Pick<Reconciliation, "actualCostUsd" | "inputTokens" | "outputTokens" | "latencyMs">

/** What a report says of the outcome itself. */
export interface Label
  extends Omit<Reconciliation, "chosenModelId" | keyof Measurements>
{
  /** What memory learns of the quality, in [0, 1]. */
  readonly taughtQuality: number
  /** What the label weighs, in [0, 1]; null for one that was written before reports were kept. */
  readonly provenanceWeight: number | null
}

/** One feedback as the ledger takes it. */
export interface Report extends Label, Measurements {
  readonly chosenModelId: string
}

/** What the reports of one decision on one model come to. */
export interface StandingOutcome {
  readonly modelId: string
  /** Rises with every report on the model, unique in the ledger; 0 from before reports were kept. */
  readonly revision: number
  /** Revision of the report whose label stands. */
  readonly verdictRevision: number
  readonly label: Label
  /** Of all reports, the last that said it. */
  readonly billed: Measurements
  /** The same without calls that the infrastructure broke: what a call that runs takes. */
  readonly measured: Measurements
}

/** What the ledger made of a report. */
export interface Counted {
  readonly before: StandingOutcome | null
  /** Null when the decision takes no more models: the report is kept and teaches nothing. */
  readonly after: StandingOutcome | null
}

/** What a report was expected to be, before the decision was locked. */
export interface Foreseen {
  /** Revision of the model's outcome that it was built on; 0 without one. */
  readonly basis: number
  /** The revision that it was given. */
  readonly revision: number
}

export interface ReportRule {
  /** Models whose outcomes one decision takes, count. */
  readonly modelsMax: number
  /** Holds if nothing was reported since; otherwise the report gets a revision of its own. */
  readonly foreseen: Foreseen | null
}

/** In the order of the weights that `engine/Settings` gives them, which a test compares. */
export const trustOfSource: { readonly [P in Provenance]: number } = {
  gate: 4, human: 3, assertion: 2, judge: 2, none: 1
}

/** Whether the infrastructure broke the call. */
export const isBroken = ({ errorCause, outcome, teaches }: Label): boolean =>
  !teaches && outcome === "failure" && errorCause === "infra"

/** How much a label is trusted: of a call that broke less than any, and what teaches nothing is telemetry. */
const trustOf = (label: Label): number =>
  isBroken(label) ? 0 : trustOfSource[label.teaches ? label.provenance : "none"]

const unmeasured: Measurements = {
  actualCostUsd: null, inputTokens: null, outputTokens: null, latencyMs: null
}

const completed = (before: Measurements, next: Measurements): Measurements => ({
  actualCostUsd: next.actualCostUsd ?? before.actualCostUsd,
  inputTokens: next.inputTokens ?? before.inputTokens,
  outputTokens: next.outputTokens ?? before.outputTokens,
  latencyMs: next.latencyMs ?? before.latencyMs
})

const labelOf = (report: Report): Label => ({
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

/** An outcome after one more report: the most trusted label stands, among equals the last. */
const standAfter = (before: StandingOutcome | null, report: Report, revision: number): StandingOutcome => {
  const stands = before !== null && trustOf(before.label) > trustOf(report)
  return {
    modelId: report.chosenModelId,
    revision,
    verdictRevision: stands ? before.verdictRevision : revision,
    label: stands ? before.label : labelOf(report),
    billed: completed(before?.billed ?? unmeasured, report),
    measured: isBroken(report)
      ? before?.measured ?? unmeasured
      : completed(before?.measured ?? unmeasured, report)
  }
}

/** Whether the label that stands is that of the last report. */
export const isRelabelled = (outcome: StandingOutcome | null): boolean =>
  outcome !== null && outcome.verdictRevision === outcome.revision

/** What a label weighs, in [0, 1]; one from before that was kept weighs what its source does today. */
export const weightOf = (
  { provenance, provenanceWeight, teaches }: Label,
  weights: { readonly [P in Provenance]: number }
): number => provenanceWeight ?? (teaches ? weights[provenance] : 0)

export const outcomeOf = (
  outcomes: ReadonlyArray<StandingOutcome>,
  modelId: string
): StandingOutcome | null => outcomes.find((outcome) => outcome.modelId === modelId) ?? null

/** What a decision's outcomes are after one more report, and what that did to its model's. */
export const reported = (
  outcomes: ReadonlyArray<StandingOutcome>,
  report: Report,
  revision: number,
  { modelsMax }: Pick<ReportRule, "modelsMax">
): Counted & { readonly outcomes: ReadonlyArray<StandingOutcome> } => {
  const before = outcomeOf(outcomes, report.chosenModelId)
  if (before === null && outcomes.length >= modelsMax) return { outcomes, before, after: null }
  const after = standAfter(before, report, revision)
  return { outcomes: [...outcomes.filter((outcome) => outcome !== before), after], before, after }
}

/**
 * A revision above all of the decision's own, which may come from a database whose sequence was further.
 *
 * @param drawn the next of the ledger's sequence
 */
export const revisionAbove = (outcomes: ReadonlyArray<StandingOutcome>, drawn: number): number =>
  Math.max(drawn, ...outcomes.map(({ revision }) => revision + 1))

/** The revision that was foreseen for a report, null when it does not hold. */
export const foreseenRevision = (
  outcomes: ReadonlyArray<StandingOutcome>,
  { chosenModelId }: Report,
  { foreseen }: Pick<ReportRule, "foreseen">
): number | null => {
  const revision = outcomeOf(outcomes, chosenModelId)?.revision ?? 0
  return foreseen !== null && foreseen.basis === revision && foreseen.revision > revision
    ? foreseen.revision
    : null
}

/** What stands on the decision as a whole: the most trusted outcome of any model, among equals the last. */
export const reconciliationOf = (outcomes: ReadonlyArray<StandingOutcome>): Reconciliation | null => {
  const [best] = outcomes.toSorted((one, other) =>
    trustOf(other.label) - trustOf(one.label) || other.verdictRevision - one.verdictRevision)
  if (best === undefined) return null
  const { provenanceWeight: _weight, taughtQuality: _quality, ...label } = best.label
  return { ...label, chosenModelId: best.modelId, ...best.billed }
}

/**
 * A decision's outcomes, given what stands on it. A version that keeps no reports may have written that: it
 * is then taken for one more report.
 */
export const outcomesWith = (
  outcomes: ReadonlyArray<StandingOutcome>,
  row: Reconciliation | null
): ReadonlyArray<StandingOutcome> => {
  const known = reconciliationOf(outcomes)
  const isKnown = known?.chosenModelId === row?.chosenModelId
    && known?.feedbackAt.getTime() === row?.feedbackAt.getTime()
  if (row === null || isKnown) return outcomes
  const before = outcomeOf(outcomes, row.chosenModelId)
  const report = { ...row, taughtQuality: row.quality, provenanceWeight: null }
  const after = standAfter(before, report, before?.revision ?? 0)
  return [...outcomes.filter((outcome) => outcome !== before), after]
}
