/** Selects the past outcomes that show a candidate's cost, and computes quantiles of their measurements. */
import { confirmed } from "../../../domain/CostOutlier.ts"
import { type Cluster, clusterNumberOf, unitOf, unitOfNumber } from "../../../domain/Task.ts"
import type { Neighbours } from "../../../memory/Neighbours.ts"
import type { MeasuredField } from "../../../memory/OutcomeColumns.ts"
import * as Quantile from "../../../stats/Quantile.ts"
import type { Predicted } from "../candidates/Candidate.ts"

/** Outcomes of a candidate: first `ofNeighbours` rows of labelled neighbours, then rows without a label. */
export interface Sample {
  readonly neighbours: Neighbours
  readonly measurements: Neighbours
  readonly rows: ReadonlyArray<number>
  readonly ofNeighbours: number
  /** Positions in `rows` of outcomes whose bill does not count. */
  readonly doubtful: ReadonlySet<number>
}

const none: ReadonlySet<number> = new Set()

/** Returns a measured value of row `i`; NaN if it was not measured, or if the bill is doubtful. */
const measured = (sample: Sample, i: number, field: MeasuredField): number => {
  if (field === "costUsd" && sample.doubtful.has(i)) return NaN
  const { measurements, neighbours, ofNeighbours, rows } = sample
  return (i < ofNeighbours ? neighbours : measurements).measured(rows[i]!, field)
}

/**
 * Selects the outcomes of the task's cluster, and the neighbours of the task's unit (call or run) that have
 * weight in the prediction.
 */
export const similar = (
  { card, neighbours: { all, heavy, rows } }: Predicted,
  cluster: Cluster,
  measurements: Neighbours
): Sample => {
  const wanted = clusterNumberOf(cluster)
  const unit = unitOf(cluster)
  const own = rows.filter((row, i) => {
    const number = all.clusterNumber(row)
    return number === wanted || i < heavy && unitOfNumber(number) === unit
  })
  const ofNeighbours = own.length
  const { from, to } = measurements.rowsOf(card.modelId)
  for (let row = from; row < to; row++) if (measurements.clusterNumber(row) === wanted) own.push(row)
  return { neighbours: all, measurements, rows: own, ofNeighbours, doubtful: none }
}

/** Marks bills far above every estimate as doubtful, unless another bill of the model and cluster is near. */
export const withoutOutliers = (sample: Sample): Sample => {
  const { measurements, neighbours, ofNeighbours, rows } = sample
  const isOutlier = (row: number, i: number) =>
    (i < ofNeighbours ? neighbours : measurements).isCostOutlier(row)
  if (!rows.some(isOutlier)) return sample
  const doubtful = new Set<number>()
  const billed = [...rows.keys()].filter((i) => !Number.isNaN(measured(sample, i, "costUsd")))
  const clusterOf = (i: number) => (i < ofNeighbours ? neighbours : measurements).clusterNumber(rows[i]!)
  for (const alike of Map.groupBy(billed, clusterOf).values()) {
    const isConfirmed = confirmed(alike.map((i) => measured(sample, i, "costUsd")))
    alike.forEach((i, at) => {
      if (isOutlier(rows[i]!, i) && !isConfirmed[at]) doubtful.add(i)
    })
  }
  return { ...sample, doubtful }
}

export const countOf = (own: Sample, field: MeasuredField): number => {
  let count = 0
  for (let i = 0; i < own.rows.length; i++) if (!Number.isNaN(measured(own, i, field))) count++
  return count
}

/** Buffers that every call uses again, because allocating them took longer than filling them. */
let values = new Float64Array(128)
let weights = new Float64Array(128)

/** Outcomes are weighted by similarity only, not by age. */
export const quantiles = (
  own: Sample,
  field: MeasuredField,
  shares: ReadonlyArray<number>
): ReadonlyArray<number | null> => {
  const { measurements, neighbours, ofNeighbours, rows } = own
  if (values.length < rows.length) {
    values = new Float64Array(rows.length)
    weights = new Float64Array(rows.length)
  }
  let count = 0
  for (let i = 0; i < rows.length; i++) {
    const value = measured(own, i, field)
    if (Number.isNaN(value)) continue
    values[count] = value
    // A neighbour without similarity still counts as a measurement, so its weight is small instead of 0.
    weights[count++] = Math.max(1e-6, (i < ofNeighbours ? neighbours : measurements).similarity(rows[i]!))
  }
  return Quantile.weightedQuantiles(values, weights, shares, count)
}

/** All quartiles are 0 if no outcome measured the field. */
export const quartiles = (own: Sample, field: MeasuredField) => {
  const [low, median, high] = quantiles(own, field, [0.25, 0.5, 0.75])
  return { low: low ?? 0, median: median ?? 0, high: high ?? 0 }
}
