/* The reference of the calibration report: its trials, of rows of the ledger. */
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import type { CalibrationResponse } from "../../../src/domain/reports/Report.ts"
import type { Trials, TrialSeries } from "../../../src/reports/Aggregates.ts"
import { calibrationOf } from "../../../src/reports/Calibration.ts"
import { healthSums } from "./Health.ts"
import { chosenCandidate, isReconciled, type ReconciledRow, successOf } from "./Reconciled.ts"

/** The prediction for the model that ran; undefined without one, or when the outcome is telemetry. */
const predictionOf = (row: ReconciledRow): number | undefined =>
  row.feedback.teaches ? chosenCandidate(row)?.predictedSuccess : undefined

const seriesOf = (cluster: string, modelId: string, rows: ReadonlyArray<ReconciledRow>): TrialSeries => {
  const inOrder = rows.toSorted((one, other) =>
    one.feedback.feedbackAt.getTime() - other.feedback.feedbackAt.getTime())
  return {
    cluster,
    modelId,
    decidedMs: Float64Array.from(inOrder, ({ decision }) => decision.createdAt.getTime()),
    predicted: Float64Array.from(inOrder, (row) => predictionOf(row) ?? 0),
    success: Float64Array.from(inOrder, ({ feedback }) => successOf(feedback.outcome)),
    quality: Float64Array.from(inOrder, ({ feedback }) => feedback.quality)
  }
}

/** The taught outcomes of models that had a prediction. */
export const trialsOf = (rows: ReadonlyArray<LedgerRow>): Trials => {
  const tried = rows.filter(isReconciled).filter((row) => predictionOf(row) !== undefined)
  return {
    health: healthSums(rows),
    series: [...Map.groupBy(tried, ({ decision }) => decision.cluster)].flatMap(([cluster, members]) =>
      [...Map.groupBy(members, ({ feedback }) => feedback.chosenModelId)].map(([modelId, own]) =>
        seriesOf(cluster, modelId, own)))
  }
}

/**
 * Predictions compared with outcomes: the slice `global` first, then each task type that has outcomes,
 * sorted. Only taught feedback on a model that was a candidate counts. Errors are in [0, 1], null without
 * outcomes; an outcome counts 1, 0.5 or 0 for `ece`, and by its quality, taught as recorded, for `eceQuality`.
 */
export const calibration = (
  rows: ReadonlyArray<LedgerRow>
): Pick<CalibrationResponse, "reports" | "driftFlags" | "health"> => calibrationOf(trialsOf(rows))
