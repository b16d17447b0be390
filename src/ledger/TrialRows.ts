import { doublesOf, microsecondsOf, type Packed } from "./Binary.ts"
import type { HealthRow } from "./FoldRows.ts"
import type { TrialSeries } from "./LedgerFolds.ts"

/** What one model did on one cluster: its trials in columns, in no order, null without any. */
export interface TrialRow extends HealthRow {
  readonly cluster: string
  readonly model_id: string | null
  readonly told: Packed
  readonly decided: Packed
  readonly predicted: Packed
  readonly success: Packed
  readonly quality: Packed
}

const isAscending = (times: Float64Array): boolean => {
  for (let i = 1; i < times.length; i++) if (times[i]! < times[i - 1]!) return false
  return true
}

/** The places of the trials in the order of their feedback, then of their decisions; null: as they are. */
const orderOf = ({ decided, told }: TrialRow): Uint32Array | null => {
  const times = microsecondsOf(told)
  const before = microsecondsOf(decided)
  if (isAscending(times) && isAscending(before)) return null
  return Uint32Array.from(times.keys()).sort((one, other) =>
    times[one]! - times[other]! || before[one]! - before[other]!)
}

/** The trials of each cluster and model that has any. */
export const seriesIn = (rows: ReadonlyArray<TrialRow>): ReadonlyArray<TrialSeries> =>
  rows.flatMap((row): ReadonlyArray<TrialSeries> => {
    if (row.model_id === null || row.predicted === null) return []
    const order = orderOf(row)
    const column = (packed: Packed): Float64Array => {
      const values = doublesOf(packed)
      return order === null ? values : Float64Array.from(order, (place) => values[place]!)
    }
    return [{
      cluster: row.cluster,
      modelId: row.model_id,
      predicted: column(row.predicted),
      success: column(row.success),
      quality: column(row.quality)
    }]
  })
