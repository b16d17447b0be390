import { assert, it } from "@effect/vitest"
import type { Decision } from "../../../src/domain/Decision.ts"
import { laneTrialOf } from "../../../src/engine/learn/CalibrateLane.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import * as LaneNumbers from "../../../src/stats/LaneNumbers.ts"
import { decision, feedback, combined } from "../../support/builders.ts"

const scored: Decision = decision({
  forecasts: [{ modelId: "cheap", base: 0.5, cells: 0.4, local: 0.8, mixed: 0.6 }]
})

/** The numbers of a lane that had learned nothing, after the feedback; null when it changes none. */
const after = (over: Parameters<typeof combined>[0]) => {
  const found = laneTrialOf(combined(over))
  return found === null ? null : LaneNumbers.observe(defaults.laneStart, found.trial, defaults.laneRule)
}

const gate = feedback({ evidenceSource: "gate", qualityScore: 1 })

it("a taught outcome moves its lane's numbers by what had been said of the model that ran", () => {
  const numbers = (after({ decision: scored, request: gate })) ?? assert.fail("it taught")
  assert.strictEqual(numbers.outcomes, 1)
  // Twice as likely under the local average: 2/3, then 0.002 of the way back to one half.
  assert.closeTo(numbers.localShare, 0.998 * 2 / 3 + 0.001, 1e-9)
})

it("a label that is believed less moves them less", () => {
  const judged = feedback({ evidenceSource: "judge", qualityScore: 1 })
  const [less, more] = [
    after({ decision: scored, request: judged }), after({ decision: scored, request: gate })
  ]
  assert.isBelow(less?.localShare ?? 1, more?.localShare ?? 0)
  assert.isAbove(less?.localShare ?? 0, 0.5)
})

for (
  const [what, over] of [
    ["telemetry", { decision: scored, request: feedback({ evidenceSource: "none" }) }],
    ["a model that was not scored", { decision: scored, request: feedback({ chosenModelId: "other" }) }]
  ] as const
) {
  it(`${what} moves no number`, () => {
    assert.isNull(after(over))
  })
}

it("an outcome after judged attempts says how likely each spread made it, and a part nothing", () => {
  const bySpread = [0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
  const second = decision({
    ...scored, forecasts: scored.forecasts.map((each) => ({ ...each, given: 0.5, bySpread }))
  })
  const evidence = (outcome: "success" | "failure" | "partial") =>
    after({ decision: second, request: { ...gate, outcome } })?.spreadEvidence
  assert.deepStrictEqual(evidence("success"), bySpread.map((p) => Math.log(p)))
  assert.deepStrictEqual(evidence("failure"), bySpread.map((p) => Math.log(1 - p)))
  assert.deepStrictEqual(evidence("partial"), [])
  assert.deepStrictEqual(after({ decision: scored, request: gate })?.spreadEvidence, [])
})
