import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Decision } from "../../../src/domain/Decision.ts"
import { updateLaneCalibration } from "../../../src/engine/learn/Weigh.ts"
import { defaults, Settings } from "../../../src/engine/Settings.ts"
import { LaneCalibrations } from "../../../src/ledger/LaneCalibration.ts"
import * as LaneCalibrationLocal from "../../../src/testing/LaneCalibrationLocal.ts"
import { decision, feedback, lesson } from "../../support/builders.ts"

const scored: Decision = decision({
  forecasts: [{ modelId: "cheap", base: 0.5, cells: 0.4, local: 0.8, mixed: 0.6 }],
  meanSimilarity: 0.2,
  highSimilarity: 0.9
})

const after = (over: Parameters<typeof lesson>[0]) => {
  const told = lesson(over)
  return Effect.gen(function*() {
    yield* updateLaneCalibration(told)
    return yield* (yield* LaneCalibrations).read(told.accountId, told.decision.lane)
  }).pipe(Effect.provide([Layer.fresh(LaneCalibrationLocal.layer), Settings.layer()]))
}

const gate = feedback({ evidenceSource: "gate", qualityScore: 1 })

it.effect("a taught outcome moves its lane's numbers by what had been said of the model that ran", () =>
  Effect.gen(function*() {
    const numbers = (yield* after({ decision: scored, request: gate })) ?? assert.fail("it taught")
    assert.strictEqual(numbers.outcomes, 1)
    assert.strictEqual(numbers.similarityHigh, 0.9)
    // Twice as likely under the local average: 2/3, then 0.002 of the way back to one half.
    assert.closeTo(numbers.localShare, 0.998 * 2 / 3 + 0.001, 1e-9)
    assert.closeTo(numbers.mixedError, defaults.laneStart.mixedError + 0.16, 1e-9)
  }))

it.effect("a label that is believed less moves them less", () =>
  Effect.gen(function*() {
    const judged = feedback({ evidenceSource: "judge", qualityScore: 1 })
    const [less, more] = [
      yield* after({ decision: scored, request: judged }), yield* after({ decision: scored, request: gate })
    ]
    assert.isBelow(less?.localShare ?? 1, more?.localShare ?? 0)
    assert.isAbove(less?.localShare ?? 0, 0.5)
  }))

for (
  const [what, over] of [
    ["telemetry", { decision: scored, request: feedback({ evidenceSource: "none" }) }],
    ["a model that was not scored", { decision: scored, request: feedback({ chosenModelId: "other" }) }],
    ["a decision made without recall", { decision: { ...scored, meanSimilarity: null }, request: gate }]
  ] as const
) {
  it.effect(`${what} moves no number`, () =>
    Effect.map(after(over), (numbers) => assert.isNull(numbers)))
}
