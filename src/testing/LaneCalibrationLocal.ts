/* Lane calibration in the process, for tests. */
import { Effect, Layer } from "effect"
import { LaneCalibrations } from "../ledger/LaneCalibration.ts"
import type { LaneNumbers } from "../stats/LaneNumbers.ts"
import { onRollback } from "./LocalRollback.ts"

/** In-process lane calibration for tests and trials; the rollback of `LedgerLocal` takes its changes back. */
export const layer: Layer.Layer<LaneCalibrations> = Layer.sync(LaneCalibrations, () => {
  const lanes = new Map<string, LaneNumbers>()
  return LaneCalibrations.of({
    read: (accountId, lane) => Effect.sync(() => lanes.get(JSON.stringify([accountId, lane])) ?? null),
    change: (accountId, lane, next) =>
      Effect.suspend(() => {
        const key = JSON.stringify([accountId, lane])
        const before = lanes.get(key)
        lanes.set(key, next(before ?? null))
        return onRollback(() => {
          if (before === undefined) lanes.delete(key)
          else lanes.set(key, before)
        })
      })
  })
})
