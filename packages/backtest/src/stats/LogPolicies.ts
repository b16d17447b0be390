/** The cost and success of policies on a foreign log, whose choices have unknown propensities. */
import { addResidual, makeResidualClasses, type ResidualClasses } from "./HiddenCause.ts"
import { judged, type LogFigures } from "./LogFigures.ts"
import { type LogContext, makeLoggingHabit } from "./LoggingHabit.ts"
import { makeLogModel } from "./LogModel.ts"
import { column, columns, type LogSums, makeLogSums, total, totals } from "./LogSums.ts"

/*
 * The score of a row is doubly robust: q(pick) + 1[logged = pick] / e(pick) * (y - q(pick)). The model
 * q and the share e of the pick among such rows rest on the rows before it: neither saw the row or its
 * future. It is right where the logged choice depended on nothing but what is logged, and where labels and
 * bills are missing at random given the task type and the model.
 */

/** One row, in the order of time. */
export interface JudgedRow {
  /** Block of time, non-decreasing: its rows are resampled together, so those of a day or a session. */
  readonly block: number
  /** Index among the models, as are the picks. */
  readonly loggedModel: number
  /** In [0, 1]; NaN unlabelled. */
  readonly quality: number
  /** NaN unknown. */
  readonly costUsd: number
  readonly context: LogContext
  /** Per model, predicted before this outcome: success in [0, 1] and cost. */
  readonly success: Float64Array
  readonly expectedUsd: Float64Array
  /** Per policy: the model that it picks, -1 where it is not judged. */
  readonly picks: Int32Array
}

interface LogPoliciesOptions {
  /** The policy whose picks are the logged models, which needs no correction; -1 for none. */
  readonly logged: number
  /** The policy that savings are against. */
  readonly baseline: number
}

/** Takes rows one at a time, in flat memory. */
export interface LogPolicies {
  readonly add: (row: JudgedRow) => void
  readonly finish: () => LogFigures
}

/** Rows at the beginning that are learned from and not judged: no habit is known yet. */
export const rowsUnjudged = 50

/**
 * Least share of a model among such rows at which the log could have shown it. A row below counts as unknown
 * and widens the intervals: a weight clipped there instead would pull the estimate toward the outcome model.
 */
export const shareMin = 0.02

/** Least share of labels or bills that a weight makes up for; below, the estimate is pulled to the model. */
const knownMin = 0.002

/** What is known of the pick of one policy on one row. */
interface Pick {
  readonly share: number
  readonly expectedSuccess: number
  readonly expectedUsd: number
}

/**
 * What a row may cost at most whose pick the log could not have shown, times the dearer of what is expected
 * of the pick and of the baseline's: such rows may not save anything.
 */
const unsupportedCostFactor = 4

const addUnsupported = (sums: LogSums, policy: number, pick: Pick, baselineUsd: number): void => {
  sums.totals[policy * totals + total.unsupportedSuccess]! += pick.expectedSuccess
  sums.totals[policy * totals + total.unsupportedUsd]! += pick.expectedUsd
  const most = unsupportedCostFactor * Math.max(pick.expectedUsd, baselineUsd)
  sums.totals[policy * totals + total.unsupportedMostUsd]! += most
}

/** Adds the variance of 1[drawn] * weight * residual on a row, estimated from the rows that were drawn. */
const addDrawn = (all: Float64Array, at: number, weight: number, residual: number): void => {
  const variance = weight * Math.max(0, weight - 1) * residual * residual
  all[at]! += variance
  all[at + 1]! += variance * variance
}

const addMatch = (
  sums: LogSums,
  base: number,
  policy: number,
  pick: Pick,
  row: JudgedRow,
  known: { readonly labelled: number; readonly billed: number },
  residuals: ResidualClasses
): void => {
  const { byBlock, totals: all } = sums
  const at = policy * totals
  all[at + total.matched]! += 1
  all[at + total.habitWeight]! += 1 / pick.share
  if (!Number.isNaN(row.quality)) {
    const weight = 1 / (pick.share * known.labelled)
    const residual = row.quality - pick.expectedSuccess
    all[at + total.matchedLabelled]! += 1
    all[at + total.successSquares]! += weight * weight
    byBlock[base + column.successWeight]! += weight
    byBlock[base + column.successResidual]! += weight * residual
    addDrawn(all, at + total.successDrawn, weight, residual)
  }
  if (!Number.isNaN(row.costUsd)) {
    const weight = 1 / (pick.share * known.billed)
    const residual = row.costUsd - pick.expectedUsd
    all[at + total.matchedBilled]! += 1
    all[at + total.costSquares]! += weight * weight
    byBlock[base + column.costWeight]! += weight
    byBlock[base + column.costResidual]! += weight * residual
    addDrawn(all, at + total.costDrawn, weight, residual)
    addResidual(residuals, residual, pick.share, known.billed)
  }
}

/** Judges policies on rows of a log. @param models their number, as of policies */
export const makeLogPolicies = (
  models: number,
  policies: number,
  options: LogPoliciesOptions
): LogPolicies => {
  const habit = makeLoggingHabit(models)
  const model = makeLogModel(models)
  const sums = makeLogSums(policies)
  const residuals = Array.from({ length: policies }, makeResidualClasses)
  let [rows, labelled] = [0, 0]

  const judge = (row: JudgedRow, shares: Float64Array): void => {
    const { context: { taskType }, loggedModel } = row
    const start = sums.baseOf(row.block)
    const known = {
      labelled: Math.max(knownMin, model.labelledShare(taskType, loggedModel)),
      billed: Math.max(knownMin, model.billedShare(taskType, loggedModel))
    }
    const against = row.picks[options.baseline]!
    const baselineUsd = against < 0 ? 0 : model.costUsd(taskType, against, row.expectedUsd[against]!)
    for (let policy = 0; policy < policies; policy++) {
      const picked = row.picks[policy]!
      if (picked < 0) continue
      const base = start + policy * columns
      const isMatch = picked === loggedModel
      const pick: Pick = {
        share: policy === options.logged ? 1 : shares[picked]!,
        expectedSuccess: model.success(taskType, picked, row.success[picked]!),
        expectedUsd: model.costUsd(taskType, picked, row.expectedUsd[picked]!)
      }
      if (picked !== against) sums.totals[policy * totals + total.differing]! += 1
      sums.byBlock[base + column.rows]! += 1
      sums.byBlock[base + column.success]! += pick.expectedSuccess
      sums.byBlock[base + column.cost]! += pick.expectedUsd
      if (pick.share < shareMin) {
        addUnsupported(sums, policy, pick, baselineUsd)
        continue
      }
      sums.byBlock[base + column.support]! += 1
      const chance = pick.share * Math.max(knownMin, model.billedShare(taskType, picked))
      const drawn = Math.max(0, 1 / chance - 1) * pick.expectedUsd ** 2
      sums.totals[policy * totals + total.costDrawnPerVariation]! += drawn
      sums.totals[policy * totals + total.habitSquares]! += isMatch ? (1 / pick.share - 1) ** 2 : 1
      if (isMatch) addMatch(sums, base, policy, pick, row, known, residuals[policy]!)
    }
  }

  return {
    add: (row) => {
      const mean = row.success.reduce((sum, each) => sum + each, 0) / models
      const shares = habit.shares(row.context, mean)
      rows += 1
      if (!Number.isNaN(row.quality)) labelled += 1
      if (rows > rowsUnjudged) judge(row, shares)
      habit.learn(row.loggedModel)
      model.learn(row.context.taskType, row.loggedModel, {
        predicted: row.success[row.loggedModel]!,
        estimateUsd: row.expectedUsd[row.loggedModel]!,
        quality: row.quality,
        billUsd: row.costUsd
      })
    },
    finish: () =>
      judged({ ...options, models, rows, labelled, sums, residuals, variation: model.variation() })
  }
}
