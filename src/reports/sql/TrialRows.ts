/* Decodes the trials of the calibration report from packed columns. */
import type { CooperativeYield } from "../../resilience/CooperativeYield.ts"
import type { TrialSeries } from "../Aggregates.ts"
import type { HealthSums } from "../savings/SavingsSums.ts"
import { reportSettings } from "../ReportSettings.ts"
import { doublesOf, millisecondsOf, type Packed } from "./PackedColumns.ts"

/** The packed trials of one model in one cluster, in no order; null columns if there are no trials. */
export interface TrialRow {
  readonly health: HealthSums
  readonly cluster: string
  readonly modelId: string | null
  readonly reported: Packed
  readonly decided: Packed
  readonly predicted: Packed
  readonly success: Packed
  readonly quality: Packed
}

const isAscending = (times: Float64Array): boolean => {
  for (let i = 1; i < times.length; i++) if (times[i]! < times[i - 1]!) return false
  return true
}

/** Returns the order by feedback and then by decision; null if both times already ascend. */
const orderOf = ({ decided, reported }: TrialRow): Uint32Array | null => {
  const times = millisecondsOf(reported)
  const before = millisecondsOf(decided)
  if (isAscending(times) && isAscending(before)) return null
  return Uint32Array.from(times.keys()).sort((one, other) =>
    times[one]! - times[other]! || before[one]! - before[other]!)
}

/** `Float64Array.from` with a function would be slower than this loop. */
const picked = (values: Float64Array, order: Uint32Array): Float64Array => {
  const chosen = new Float64Array(order.length)
  for (let i = 0; i < order.length; i++) chosen[i] = values[order[i]!]!
  return chosen
}

/** Decodes the trials of each cluster and model, and lets the event loop run in between. */
export function* seriesIn(rows: ReadonlyArray<TrialRow>): CooperativeYield<ReadonlyArray<TrialSeries>> {
  const all: Array<TrialSeries> = []
  let done = 0
  for (const row of rows) {
    if (row.modelId === null || row.predicted === null) continue
    const order = orderOf(row)
    const column = (packed: Packed): Float64Array => {
      const values = doublesOf(packed)
      return order === null ? values : picked(values, order)
    }
    const [predicted, success, quality] = [column(row.predicted), column(row.success), column(row.quality)]
    const times = millisecondsOf(row.decided)
    const decidedMs = order === null ? times : picked(times, order)
    all.push({ cluster: row.cluster, modelId: row.modelId, decidedMs, predicted, success, quality })
    done += predicted.length
    if (done < reportSettings.turnRows) continue
    done = 0
    yield
  }
  return all
}
