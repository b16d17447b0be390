/* The calibration report: predictions compared with outcomes, and models whose success has drifted. */
import { Order } from "effect"
import { namedOf } from "../domain/model/ModelVariant.ts"
import type { CalibrationReport, CalibrationResponse } from "../domain/reports/Report.ts"
import { type Cluster, taskTypeOf } from "../domain/Task.ts"
import { dayMs } from "../domain/Time.ts"
import { expectedCalibrationError, reliabilityBins, shrunkError } from "../stats/Calibration.ts"
import { drift } from "../stats/Drift.ts"
import type { Trials, TrialSeries } from "./Aggregates.ts"
import { healthOf } from "./Health.ts"

const joined = (parts: ReadonlyArray<Float64Array>): Float64Array => {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Shrinks the error of a task type toward `globalEce`, which is null for the report on all types. */
const reportOf = (
  sliceKey: string,
  series: ReadonlyArray<TrialSeries>,
  globalEce: number | null
): CalibrationReport => {
  const predicted = joined(series.map((each) => each.predicted))
  const bins = reliabilityBins(predicted, joined(series.map(({ success }) => success)))
  const ece = expectedCalibrationError(bins)
  const ofQuality = reliabilityBins(predicted, joined(series.map(({ quality }) => quality)))
  return {
    sliceKey,
    n: predicted.length,
    ece,
    eceShrunk: shrunkError(ece, predicted.length, globalEce ?? ece),
    eceQuality: expectedCalibrationError(ofQuality),
    bins
  }
}

const directions = { above: "under_predicting", below: "over_predicting" } as const

/**
 * A model counts as abandoned on a kind of task if other models have `outcomes` outcomes of later decisions
 * there, and one of these decisions is at least `ms` milliseconds later. Chosen.
 */
const leftAfter = { outcomes: 10, ms: dayMs }

/** Returns the time of an abandoned model's last judged decision; null if the model is not abandoned. */
const leftAt = ({ cluster, decidedMs }: TrialSeries, all: ReadonlyArray<TrialSeries>): string | null => {
  const last = decidedMs.reduce((one, other) => Math.max(one, other), 0)
  const since = all.filter((each) => each.cluster === cluster)
    .flatMap((each) => Array.from(each.decidedMs.filter((time) => time > last)))
  const isLeft = since.length >= leftAfter.outcomes && since.some((time) => time >= last + leftAfter.ms)
  return isLeft ? new Date(last).toISOString() : null
}

const driftFlags = (series: ReadonlyArray<TrialSeries>): CalibrationResponse["driftFlags"] =>
  series.toSorted((one, other) =>
    Order.String(one.cluster, other.cluster) || Order.String(one.modelId, other.modelId)
  ).flatMap((own) => {
    const { cluster, modelId, predicted, success } = own
    const side = drift(Array.from(success, (value, index) => value - predicted[index]!))
    return side === null
      ? []
      : [{ cluster, ...namedOf(modelId), direction: directions[side], leftAt: leftAt(own, series) }]
  })

/**
 * Makes the calibration report: over all task types, and for each type. A calibration error is in [0, 1], or
 * null if there are no outcomes. `ece` compares predictions with successes, and `eceQuality` compares them
 * with qualities.
 */
export const calibrationOf = (
  { health, series }: Trials
): Pick<CalibrationResponse, "reports" | "driftFlags" | "health"> => {
  const global = reportOf("global", series, null)
  // The cast is safe, because every cluster in a ledger has the form that `clusterOf` makes.
  const slices = [...Map.groupBy(series, ({ cluster }) => taskTypeOf(cluster as Cluster))]
    .sort(([one], [other]) => Order.String(one, other))
    .map(([taskType, members]) => reportOf(taskType, members, global.ece))
  return { reports: [global, ...slices], driftFlags: driftFlags(series), health: healthOf(health) }
}
