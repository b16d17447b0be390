/* Lane calibration in the process, for tests. */
import { Effect, Layer } from "effect"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import type { LaneNumbers } from "../../src/stats/LaneNumbers.ts"

/** In-process lane calibration for tests and trials: it keeps what reports report. */
export const layer: Layer.Layer<LaneCalibrations> = Layer.sync(LaneCalibrations, () => {
  const lanes = new Map<string, LaneNumbers>()
  return LaneCalibrations.of({
    read: (accountId, lane) => Effect.sync(() => lanes.get(JSON.stringify([accountId, lane])) ?? null),
    remember: (accountId, lane, numbers) =>
      Effect.sync(() => void lanes.set(JSON.stringify([accountId, lane]), numbers))
  })
})
