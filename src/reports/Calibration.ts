import { Order } from "effect"
import type { LedgerRow } from "../domain/Decision.ts"
import type { CalibrationReport, CalibrationResponse } from "../domain/Report.ts"
import type { Cluster, TaskType } from "../domain/Task.ts"
import { groupBy } from "../stats/GroupBy.ts"
import { expectedCalibrationError, reliabilityBins, shrunkError } from "../stats/Calibration.ts"
import { drift } from "../stats/Drift.ts"
import { health } from "./Health.ts"
import { chosenCandidate, isReconciled, successOf } from "./Reconciled.ts"

/** A prediction for the model that ran, and how it turned out. */
interface Trial {
  readonly taskType: TaskType
  readonly cluster: Cluster
  readonly modelId: string
  readonly feedbackAt: Date
  readonly predicted: number
  readonly success: number
  readonly quality: number
}

/** What can be compared: taught outcomes of models that had a prediction. Telemetry judges no model. */
const trialsOf = (rows: ReadonlyArray<LedgerRow>): ReadonlyArray<Trial> =>
  rows.filter(isReconciled).flatMap((row) => {
    const { decision, feedback } = row
    const candidate = feedback.teaches ? chosenCandidate(row) : undefined
    return candidate === undefined ? [] : [{
      taskType: decision.taskType,
      cluster: decision.cluster,
      modelId: candidate.modelId,
      feedbackAt: feedback.feedbackAt,
      predicted: candidate.predictedSuccess,
      success: successOf(feedback.outcome),
      quality: feedback.quality
    }]
  })

/** One slice's report, its error pulled toward the error of all slices (null: the slice is all of them). */
const reportOf = (
  sliceKey: string,
  trials: ReadonlyArray<Trial>,
  globalEce: number | null
): CalibrationReport => {
  const predicted = trials.map((trial) => trial.predicted)
  const bins = reliabilityBins(predicted, trials.map(({ success }) => success))
  const ece = expectedCalibrationError(bins)
  return {
    sliceKey,
    n: trials.length,
    ece,
    eceShrunk: shrunkError(ece, trials.length, globalEce ?? ece),
    eceQuality: expectedCalibrationError(reliabilityBins(predicted, trials.map(({ quality }) => quality))),
    bins
  }
}

const directions = { above: "under_predicting", below: "over_predicting" } as const

/** Models that have left their predictions, per cluster, sorted by cluster, then model. */
const driftFlags = (trials: ReadonlyArray<Trial>): CalibrationResponse["driftFlags"] => {
  const inOrder = trials.toSorted((one, other) => one.feedbackAt.getTime() - other.feedbackAt.getTime())
  return [...groupBy(inOrder, ({ cluster }) => cluster)].flatMap(([cluster, members]) =>
    [...groupBy(members, ({ modelId }) => modelId)].flatMap(([modelId, series]) => {
      const side = drift(series.map(({ predicted, success }) => success - predicted))
      return side === null ? [] : [{ cluster, modelId, direction: directions[side] }]
    })
  ).sort((one, other) => Order.String(one.cluster, other.cluster) || Order.String(one.modelId, other.modelId))
}

/**
 * Predictions against outcomes: the slice `global` first, then each task type that has outcomes, sorted. Only
 * taught feedback on a model that was a candidate counts. Errors are in [0, 1], null without outcomes; the
 * outcome counts 1, 0.5 or 0 for `ece`, the quality score for `eceQuality`.
 */
export const calibration = (
  rows: ReadonlyArray<LedgerRow>
): Pick<CalibrationResponse, "reports" | "driftFlags" | "health"> => {
  const trials = trialsOf(rows)
  const global = reportOf("global", trials, null)
  const slices = [...groupBy(trials, ({ taskType }) => taskType)]
    .sort(([one], [other]) => Order.String(one, other))
    .map(([taskType, members]) => reportOf(taskType, members, global.ece))
  return { reports: [global, ...slices], driftFlags: driftFlags(trials), health: health(rows) }
}
