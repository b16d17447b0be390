import { assert, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import type { Decision } from "../../src/domain/Decision.ts"
import { measureDecisions, measureFeedback } from "../../src/engine/EngineTelemetry.ts"
import { answerOf } from "../ledger/LedgerContract.ts"
import { MetricsEnabled } from "../../src/telemetry/Metrics.ts"
import { attribute, metric } from "../../src/telemetry/SemanticConventions.ts"
import { decision, feedback, combined } from "../support/builders.ts"

/** What each counter has counted, by its name; the decisions in shadow apart. */
const counted = Effect.map(Metric.snapshot, (all) => {
  const totals = new Map<string, number>()
  for (const { attributes, id, state, type } of all) {
    if (type !== "Counter") continue
    const name = attributes?.[attribute.shadow] === "true" ? `${id} in shadow` : id
    totals.set(name, (totals.get(name) ?? 0) + Number(state.count))
  }
  return totals
})

const billed = feedback({ actualCostUsd: 0.5 })
const candidates = [{ modelId: "cheap", predictedSuccess: 0.8, estCostUsd: 0.25, isEligible: true }]

/** What a decision with a bill adds to each counter. */
const added = (over: Partial<Decision>) =>
  Effect.gen(function*() {
    const own = decision({ candidates, reasonerCostUsd: 0.125, ...over })
    const before = yield* counted
    yield* measureDecisions([own], [{ warnings: [] }])
    const { verdict } = combined({ decision: own, request: billed })
    yield* measureFeedback(own, billed, verdict, { reception: "first", response: answerOf("record") })
    const after = yield* counted
    return (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  }).pipe(Effect.provideService(MetricsEnabled, true))

const costs = [
  metric.costEstimated, metric.costPremium, metric.costRealized, metric.costBilledEstimate, metric.costBilledPremium
]

it.effect("a decision in shadow is counted with its label, and only its reasoner costs anything", () =>
  Effect.gen(function*() {
    const plain = yield* added({})
    const shadow = yield* added({ isShadow: true })
    assert.deepStrictEqual([plain(metric.decisions.name), plain(`${metric.decisions.name} in shadow`)], [1, 0])
    assert.deepStrictEqual([shadow(metric.decisions.name), shadow(`${metric.decisions.name} in shadow`)], [0, 1])
    for (const { name } of costs) {
      assert.isAbove(plain(name), 0, name)
      assert.strictEqual(shadow(name), 0, name)
    }
    for (const { name } of [metric.trials, metric.predicted, metric.realized, metric.costReasoner]) {
      assert.strictEqual(shadow(name), plain(name), name)
      assert.isAbove(shadow(name), 0, name)
    }
  }))
