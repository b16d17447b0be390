/* The reference of trusted outcomes as numbered columns. */
import type { LabelledOutcomes } from "../../../src/reports/Aggregates.ts"
import { columnsOf, type OutcomeColumns } from "../../../src/reports/OutcomeColumns.ts"
import { hashOf } from "../../../src/stats/Hash.ts"
import { Numbering } from "../../../src/stats/Numbering.ts"
import { type ReconciledRow, successOf } from "./Reconciled.ts"

/** The candidates of every row, one row after the other, and which of them was recommended and which ran. */
const candidatesOf = (rows: ReadonlyArray<ReconciledRow>) => {
  const names = new Numbering<string>()
  const count = rows.reduce((sum, { decision }) => sum + decision.candidates.length, 0)
  const first = new Int32Array(rows.length + 1)
  const model = new Int32Array(count)
  const prediction = new Float64Array(count)
  const costUsd = new Float64Array(count)
  const isEligible = new Uint8Array(count)
  const recommended = new Int32Array(rows.length).fill(-1)
  const ran = new Int32Array(rows.length).fill(-1)
  const baseline = new Int32Array(rows.length).fill(-1)
  let at = 0
  rows.forEach(({ decision, feedback }, row) => {
    for (const candidate of decision.candidates) {
      model[at] = names.of(candidate.modelId)
      prediction[at] = candidate.predictedSuccess
      costUsd[at] = candidate.estCostUsd
      isEligible[at] = candidate.isEligible ? 1 : 0
      if (candidate.modelId === decision.recommendedModelId) recommended[row] = at
      if (candidate.modelId === feedback.chosenModelId) ran[row] = at
      // One without a price is no baseline of the figures.
      if (decision.costDeclaredUsd !== null && candidate.modelId === decision.baselineModelId) baseline[row] = at
      at += 1
    }
    first[row + 1] = at
  })
  return { modelIds: names.keys, first, model, prediction, costUsd, isEligible, recommended, ran, baseline }
}

/** How many characters of an id are hashed: the last ones, which are all random. */
const randomTail = 12

/** Trusted rows in columns, in their order: oldest first. */
export const trustedOutcomes = (
  rows: ReadonlyArray<ReconciledRow>,
  nReconciled: number
): LabelledOutcomes => {
  const lanes = new Numbering<string>()
  return {
    nReconciled,
    rows: rows.length,
    lane: rows.map(({ decision }) => lanes.of(decision.lane)),
    cluster: rows.map(({ decision }) => decision.cluster),
    hash: Uint32Array.from(rows, ({ decision: { recommendationId } }) =>
      hashOf(recommendationId, Math.max(0, recommendationId.length - randomTail))),
    // In shadow the caller ran its default, whichever model was drawn.
    propensity: Float64Array.from(rows, ({ decision }) => decision.isShadow ? 1 : decision.propensity),
    success: Float64Array.from(rows, ({ feedback }) => successOf(feedback.outcome)),
    billUsd: Float64Array.from(rows, ({ feedback }) => feedback.actualCostUsd ?? NaN),
    ...candidatesOf(rows)
  }
}

/** {@link columnsOf} these rows. */
export const outcomeColumns = (rows: ReadonlyArray<ReconciledRow>): OutcomeColumns =>
  columnsOf(trustedOutcomes(rows, rows.length))
