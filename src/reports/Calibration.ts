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

/** The slice's error is shrunk toward `globalEce`. For the global slice, `globalEce` is null. */
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
 * The policy has abandoned a model if, since the model last ran, other models have this many outcomes, and
 * one outcome came at least this much later, ms. Chosen.
 */
const leftAfter = { outcomes: 10, ms: dayMs }

/** Returns the last time that a model ran on its kind of task; null if the policy still uses it. */
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
 * Makes the calibration report: of `global`, and of each task type. Errors are in [0, 1]; an error is null if
 * there are no outcomes. In `eceQuality`, an outcome is the quality that it taught.
 */
export const calibrationOf = (
  { health, series }: Trials
): Pick<CalibrationResponse, "reports" | "driftFlags" | "health"> => {
  const global = reportOf("global", series, null)
  // The cast is safe, because clusters in a ledger are always made by `clusterOf`.
  const slices = [...Map.groupBy(series, ({ cluster }) => taskTypeOf(cluster as Cluster))]
    .sort(([one], [other]) => Order.String(one, other))
    .map(([taskType, members]) => reportOf(taskType, members, global.ece))
  return { reports: [global, ...slices], driftFlags: driftFlags(series), health: healthOf(health) }
}
