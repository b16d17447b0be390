import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { RankedModel } from "../../../../src/domain/RankedModel.ts"
import type { CostedCandidate } from "../../../../src/engine/recommend/candidates/Candidate.ts"
import { asked, choiceOf } from "../../../support/choices.ts"
import { shownModels } from "../../../../src/engine/recommend/answer/RankedModel.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { neighbours, priced, weighed } from "../../../support/builders.ts"

const shown = (over: Partial<CostedCandidate> = {}, explain = true) => {
  const candidate = priced("a", 0.812, 0.001, { successLow: 0.6, successHigh: 0.91, ...over })
  const choice = choiceOf(defaults, [candidate], asked({ threshold: 0.5 }))
  const question = { explain, detail: "full", taskType: "code", unit: "call", nowMs: 0, requestedNames: new Map() } as const
  return shownModels(defaults, choice, question)(choice.pick)
}
const weighing = (count: number, unlike = 0) =>
  weighed(neighbours(count + unlike, "a"), (i) => i < count ? 1 : 0)

it("evidence is at most five neighbours with weight, heaviest first, none without explain", () => {
  const found = weighing(7, 2)
  assert.deepStrictEqual(shown({ neighbours: found }).evidence?.map((each) => each.entryId),
    ["a-0", "a-1", "a-2", "a-3", "a-4"])
  assert.deepStrictEqual(shown({ neighbours: weighing(0, 2) }).evidence, [])
  assert.deepStrictEqual(shown({ neighbours: found }, false).evidence, [])
})

it("evidence is the heaviest outcomes of the task's type where a prediction rests on the tally", () => {
  const ofType = { cluster: "code:hard", ageDays: 0, provenanceWeight: 0.6 } as const
  const found = weighed(neighbours(11, "a", (i) => ({
    ...ofType, ...i === 0 ? { ageDays: 60 } : i < 3 ? { cluster: "qa:easy" } : i === 10 ? { provenanceWeight: 1 } : {}
  })), () => 0)
  const idsOf = (over: Partial<CostedCandidate>, explain = true) =>
    shown({ neighbours: found, decisionBasis: "memory", ...over }, explain).evidence?.map(({ entryId }) => entryId)
  assert.deepStrictEqual(idsOf({ cellWeight: 5 }), ["a-10", "a-3", "a-4", "a-5", "a-6"])
  assert.deepStrictEqual(idsOf({ cellWeight: 5 }, false), [])
  assert.deepStrictEqual(idsOf({ cellWeight: 0 }), [])
})

it("a ranked model is valid on the wire, with a latency basis exactly when there is a latency", () => {
  const cold = shown()
  assert.deepStrictEqual([cold.estLatencyMs, cold.latencyBasis], [null, ""])
  const warm = shown({ latencyMs: { p50: 350, p75: 350 }, neighbours: weighing(2) })
  assert.deepStrictEqual([warm.estLatencyMs, warm.latencyBasis], [350, "observed_p75"])
  const instant = shown({ latencyMs: { p50: 0, p75: 0 } })
  assert.deepStrictEqual([instant.estLatencyMs, instant.latencyBasis], [0, "observed_p75"])
  for (const each of [cold, warm, instant]) {
    assert.deepStrictEqual(Schema.decodeSync(RankedModel)(Schema.encodeSync(RankedModel)(each)), each)
  }
  assert.closeTo(cold.successIntervalWidth ?? NaN, 0.31, 1e-12)
})
