/** The expected success and cost of a model on a row of a foreign log, corrected by the rows before it. */
import { clamp } from "../../../../src/stats/Clamp.ts"

/** Worth of the parent beside a cell's own rows, rows. */
const strength = 10

/** Least distance of an expected success from 0 and 1, so that none is certain. */
const edge = 0.02

/** Task types beyond share cells. */
const typesMax = 32

/** Sums over the rows of a cell that tell of the model that ran. */
const column = {
  rows: 0,
  labelled: 1,
  /** Success less its prediction. */
  excess: 2,
  billed: 3,
  bills: 4,
  /** The bills and the estimates of billed rows that have an estimate. */
  scaled: 5,
  estimates: 6
} as const
const columns = 7

/** What was expected of the model that ran, and what it came to. */
interface RanRow {
  readonly predicted: number
  readonly estimateUsd: number
  /** NaN where it is not known, as is the bill. */
  readonly quality: number
  readonly billUsd: number
}

/** Learns row by row. What is asked about a row rests on the rows that were learned before. */
export interface LogModel {
  /** Expected success of a model, in [0.02, 0.98]: the prediction and its mean error of late. */
  readonly success: (taskType: number, model: number, predicted: number) => number
  /** Expected cost in US dollars: the estimate times the ratio of bills to estimates. */
  readonly costUsd: (taskType: number, model: number, estimateUsd: number) => number
  /** Shares of the model's rows that have a label, and that have a bill; in (0, 1). */
  readonly labelledShare: (taskType: number, model: number) => number
  readonly billedShare: (taskType: number, model: number) => number
  /** Squared deviation of bills from what was expected, over its square; mean of the models. */
  readonly variation: () => number
  /** Takes in the model that ran. */
  readonly learn: (taskType: number, model: number, row: RanRow) => void
}

/** Rows that are learned from before deviations count: what is expected first is far off. */
const rowsUncounted = 50

/** Deviations of bills per model: their number, and the sums of their squares and of the expectations'. */
const makeVariation = (models: number) => {
  const [counts, deviations, scales] =
    [new Float64Array(models), new Float64Array(models), new Float64Array(models)]
  return {
    add: (model: number, billUsd: number, expectedUsd: number): void => {
      counts[model]! += 1
      deviations[model]! += (billUsd - expectedUsd) ** 2
      scales[model]! += expectedUsd ** 2
    },
    mean: (): number => {
      let [sum, count] = [0, 0]
      for (let model = 0; model < models; model++) {
        if (!(scales[model]! > 0)) continue
        sum += counts[model]! * deviations[model]! / scales[model]!
        count += counts[model]!
      }
      return count === 0 ? 0 : sum / count
    }
  }
}

/** Cells of a model and task type, shrunk toward those of the model and these toward those of all. */
export const makeLogModel = (models: number): LogModel => {
  const ofType = new Float64Array(typesMax * models * columns)
  const ofModel = new Float64Array(models * columns)
  const ofAll = new Float64Array(columns)
  const variation = makeVariation(models)
  const typeBase = (taskType: number, model: number): number =>
    (((taskType % typesMax) + typesMax) % typesMax * models + model) * columns
  /** Sum `top` per unit of sum `bottom`, from all rows down to the cell; `unit` is `bottom` of one row. */
  const shrunk = (
    taskType: number,
    model: number,
    top: number,
    bottom: number,
    first: number,
    unit: number
  ): number => {
    const worth = strength * unit
    const of = (sums: Float64Array, base: number, parent: number): number =>
      (sums[base + top]! + worth * parent) / (sums[base + bottom]! + worth)
    const overall = of(ofAll, 0, first)
    return of(ofType, typeBase(taskType, model), of(ofModel, model * columns, overall))
  }
  const costUsd = (taskType: number, model: number, estimateUsd: number): number => {
    if (estimateUsd > 0) {
      return estimateUsd * shrunk(taskType, model, column.scaled, column.estimates, 1, estimateUsd)
    }
    // Without an estimate the model's mean bill is expected.
    const base = model * columns
    return ofModel[base + column.bills]! / Math.max(1, ofModel[base + column.billed]!)
  }
  return {
    success: (taskType, model, predicted) =>
      clamp(predicted + shrunk(taskType, model, column.excess, column.labelled, 0, 1), edge, 1 - edge),
    costUsd,
    labelledShare: (taskType, model) => shrunk(taskType, model, column.labelled, column.rows, 0.5, 1),
    billedShare: (taskType, model) => shrunk(taskType, model, column.billed, column.rows, 0.5, 1),
    variation: variation.mean,
    learn: (taskType, model, { billUsd, estimateUsd, predicted, quality }) => {
      if (!Number.isNaN(billUsd) && ofAll[column.rows]! >= rowsUncounted) {
        variation.add(model, billUsd, costUsd(taskType, model, estimateUsd))
      }
      const cells: ReadonlyArray<readonly [Float64Array, number]> = [
        [ofAll, 0], [ofModel, model * columns], [ofType, typeBase(taskType, model)]
      ]
      for (const [sums, base] of cells) {
        sums[base + column.rows]! += 1
        if (!Number.isNaN(quality)) {
          sums[base + column.labelled]! += 1
          sums[base + column.excess]! += quality - predicted
        }
        if (!Number.isNaN(billUsd)) {
          sums[base + column.billed]! += 1
          sums[base + column.bills]! += billUsd
          if (!(estimateUsd > 0)) continue
          sums[base + column.scaled]! += billUsd
          sums[base + column.estimates]! += estimateUsd
        }
      }
    }
  }
}
