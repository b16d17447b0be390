import { assert, describe, it } from "@effect/vitest"
import { withDue, withinHealth } from "../../../../src/engine/recommend/choice/Health.ts"
import type { UnhealthyModel } from "../../../../src/ledger/ModelsHealth.ts"
import { priced } from "../../../support/builders.ts"

const against = (over: Partial<UnhealthyModel> = {}): UnhealthyModel =>
  ({ probeAtMs: 0, triedUntilMs: 0, ...over }) as UnhealthyModel
const unhealthyOf = (...ids: ReadonlyArray<string>) =>
  ({ unhealthy: new Map(ids.map((id) => [id, against()])), tried: null })
const trio = [priced("a", 0.8, 1), priced("b", 0.9, 2), priced("c", 0.95, 3)]
const kept = (...args: [...ReadonlyArray<string>]) => ({
  beside: (baseline: string | null, tried: string | null = null) =>
    withinHealth(trio, { ...unhealthyOf(...args), tried }, baseline).kept.map(({ card }) => card.modelId)
})

describe("models that cannot be called", () => {
  it("are no candidates, but for the one that is tried and a guarantee's baseline", () => {
    assert.deepStrictEqual(kept("b").beside(null), ["a", "c"])
    assert.deepStrictEqual(kept("b").beside(null, "b"), ["a", "b", "c"])
    assert.deepStrictEqual(kept("b", "c").beside("c"), ["a", "c"])
  })

  it("stay where nothing else is left, and are named in every case", () => {
    assert.deepStrictEqual(kept("a", "b", "c").beside(null), ["a", "b", "c"])
    assert.deepStrictEqual(withinHealth(trio, unhealthyOf("b"), "b").notes, ["model_unhealthy:b"])
    assert.deepStrictEqual(withinHealth(trio, null, null), { kept: trio, notes: [] })
  })

  it("are due for a try once their time has come and nobody has it", () => {
    const goal = { unhealthy: new Map([["a", against({ probeAtMs: 5 })], ["b", against({ triedUntilMs: 9 })]]), tried: null }
    assert.isNull(withDue(goal, 4))
    assert.deepStrictEqual([...withDue(goal, 6)?.unhealthy.keys() ?? []], ["b"])
    assert.deepStrictEqual([...withDue(goal, 9)?.unhealthy.keys() ?? []], [])
  })
})
