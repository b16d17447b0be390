import { assert, describe, it } from "@effect/vitest"
import { type UnhealthyCandidates, withDue } from "../../../src/engine/policies/UnhealthyCandidates.ts"
import { withinHealth } from "../../../src/engine/policies/WithinHealth.ts"
import { startOf } from "../../../src/engine/policies/Policy.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import type { UnhealthyModel } from "../../../src/ledger/ModelsHealth.ts"
import { priced } from "../../support/builders.ts"
import { asked, contextOf, criteriaIn } from "../../support/choices.ts"
import { guaranteeBy } from "../../support/guarantees.ts"

const against = (over: Partial<UnhealthyModel> = {}): UnhealthyModel =>
  ({ probeAtMs: 0, triedUntilMs: 0, ...over }) as UnhealthyModel
const unhealthyOf = (...ids: ReadonlyArray<string>) =>
  ({ unhealthy: new Map(ids.map((id) => [id, against()])), tried: null })
const trio = [priced("a", 0.8, 1), priced("b", 0.9, 2), priced("c", 0.95, 3)] as const
/** What the policy leaves of the three, under a guarantee beside that baseline. */
const withinIt = (health: UnhealthyCandidates | null, baseline: string | null) => {
  const ask = asked({ health, guarantee: baseline === null ? null : guaranteeBy({ baselineModelId: baseline }) })
  const start = startOf(trio, criteriaIn(ask))
  const { candidates, warnings } = withinHealth(contextOf(defaults, ask))?.(start, 0) ?? start
  return { kept: candidates, warnings }
}
const kept = (...args: [...ReadonlyArray<string>]) => ({
  beside: (baseline: string | null, tried: string | null = null) =>
    withinIt({ ...unhealthyOf(...args), tried }, baseline).kept.map(({ card }) => card.modelId)
})

describe("models that cannot be called", () => {
  it("are no candidates, but for the one that is tried and a guarantee's baseline", () => {
    assert.deepStrictEqual(kept("b").beside(null), ["a", "c"])
    assert.deepStrictEqual(kept("b").beside(null, "b"), ["a", "b", "c"])
    assert.deepStrictEqual(kept("b", "c").beside("c"), ["a", "c"])
  })

  it("stay where nothing else is left, and are named in every case", () => {
    assert.deepStrictEqual(kept("a", "b", "c").beside(null), ["a", "b", "c"])
    assert.deepStrictEqual(withinIt(unhealthyOf("b"), "b").warnings, ["model_unhealthy:b"])
    assert.deepStrictEqual(withinIt(null, null), { kept: trio, warnings: [] })
  })

  it("are due for a try once their time has come and nobody has it", () => {
    const health = { unhealthy: new Map([["a", against({ probeAtMs: 5 })], ["b", against({ triedUntilMs: 9 })]]), tried: null }
    assert.isNull(withDue(health, 4))
    assert.deepStrictEqual([...withDue(health, 6)?.unhealthy.keys() ?? []], ["b"])
    assert.deepStrictEqual([...withDue(health, 9)?.unhealthy.keys() ?? []], [])
  })
})
