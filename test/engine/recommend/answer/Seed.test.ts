import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { EvidenceRef } from "../../../../src/domain/Evidence.ts"
import { probability } from "../../../../src/domain/Rounding.ts"
import { seedOf } from "../../../../src/engine/recommend/answer/Seed.ts"
import type { Unit } from "../../../../src/domain/Task.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { card, predicted } from "../../../support/builders.ts"

const asOf = "2026-11-20"
const asOfMs = Date.parse(asOf)
const dayMs = 86_400_000

const measured = card("a", {
  capabilityByTaskType: { code: 0.8 }, capabilitySource: "benchmark", capabilityAsOf: asOf
})
const seed = (laneWeight = 0, nowMs = asOfMs, of = measured, unit: Unit = "call") =>
  seedOf(defaults, predicted("a", { card: of, laneWeight }), { taskType: "code", unit, nowMs })

describe("a seed", () => {
  it("shows a benchmark's fact as an outcome whose id says that it is a seed", () => {
    assert.deepStrictEqual(seed(), {
      entryId: "seed:a:code",
      referenceId: "benchmarks:2026-11-20",
      modelId: "a",
      score: 0,
      // Twelve outcomes beside the ten at which confidence reads one half.
      knowledgeConfidence: probability(12 / 22),
      observedSuccess: 0.8,
      isStale: false
    })
  })

  it("of a run is what runs say of the model, as its prior is, and else that of the task's type", () => {
    const run = { ...measured, capabilityByTaskType: { code: 0.8, agent_run: 0.6 } }
    assert.include(seed(0, asOfMs, run, "run"), { entryId: "seed:a:agent_run", observedSuccess: 0.6 })
    assert.include(seed(0, asOfMs, run), { entryId: "seed:a:code", observedSuccess: 0.8 })
    assert.deepStrictEqual(seed(0, asOfMs, measured, "run"), seed())
  })

  it("weighs less with every live outcome, and is absent when they outweigh it", () => {
    // 12 · 10 / (10 + 5) = 8 outcomes are left of it after five live ones.
    assert.strictEqual(seed(5)?.knowledgeConfidence, probability(8 / 18))
    assert.isNotNull(seed(6))
    assert.isNull(seed(8))
  })

  it("fades from the day its benchmarks were read and is stale after a year", () => {
    const old = seed(0, asOfMs + 366 * dayMs)
    assert.isTrue(old?.isStale)
    assert.isBelow(old?.knowledgeConfidence ?? 1, 0.25)
    assert.strictEqual(seed(0, asOfMs - dayMs)?.knowledgeConfidence, probability(12 / 22))
  })

  it("is none where no benchmark measured the model, or not on this kind of task", () => {
    assert.isNull(seed(0, asOfMs, { ...measured, capabilitySource: "family+price" }))
    assert.isNull(seed(0, asOfMs, { ...measured, capabilityByTaskType: { qa: 0.8 } }))
  })
})

it.prop("a seed is valid on the wire, whatever the lane and the day", {
  laneWeight: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e6 })),
  days: Schema.Finite.check(Schema.isBetween({ minimum: -1e4, maximum: 1e4 }))
}, ({ days, laneWeight }) => {
  const found = seed(laneWeight, asOfMs + days * dayMs)
  if (found !== null) assert.deepStrictEqual(Schema.decodeSync(EvidenceRef)(Schema.encodeSync(EvidenceRef)(found)), found)
})
