import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Probability } from "../../../../src/domain/Units.ts"
import { costObjective, valueObjective } from "../../../../src/engine/recommend/choice/Objective.ts"
import { optimistic } from "../../../../src/engine/recommend/choice/Optimism.ts"
import { priced } from "../../../support/builders.ts"

const uncertain = (id: string, predictedSuccess: number, optimisticSuccess: number, costUsd: number) =>
  priced(id, predictedSuccess, costUsd, { optimisticSuccess })
const successOf = (candidates: ReturnType<typeof optimistic>) => candidates.map((each) => each.predictedSuccess)

it("a model is predicted optimistically where none as cheap is known to clear the threshold", () => {
  const candidates = [uncertain("cheap", 0.5, 0.8, 1), uncertain("known", 0.75, 0.75, 2), uncertain("dear", 0.6, 0.9, 3)]
  assert.deepStrictEqual(successOf(optimistic(costObjective, candidates, 0.7)), [0.8, 0.75, 0.6])
  // No model is known to clear the threshold: every optimistic prediction counts.
  assert.deepStrictEqual(successOf(optimistic(costObjective, candidates, 0.95)), [0.8, 0.75, 0.9])
})

it("a model that costs as much as one known to clear the threshold keeps its plain prediction", () => {
  const candidates = [uncertain("new", 0.5, 0.99, 2), uncertain("known", 0.75, 0.75, 2)]
  assert.deepStrictEqual(optimistic(costObjective, candidates, 0.7), candidates)
})

it("a model is hoped to be better where none surely clears the threshold, and under a value", () => {
  const hoped = (id: string, plain: number, hope: number, usd: number) => priced(id, plain, usd, { highPriorSuccess: hope })
  const candidates = [hoped("cheap", 0.5, 0.6, 1), hoped("known", 0.75, 0.76, 2), hoped("untried", 0.7, 0.8, 3)]
  assert.deepStrictEqual(successOf(optimistic(costObjective, candidates, 0.75)), [0.5, 0.75, 0.7])
  assert.deepStrictEqual(successOf(optimistic(costObjective, candidates, 0.9)), [0.6, 0.76, 0.8])
  // Worth at 100: 49, 73 and 67 as known; the last would be worth 77.
  assert.deepStrictEqual(successOf(optimistic(valueObjective(100), candidates, 0)), [0.5, 0.75, 0.8])
})

const Uncertain = Schema.Struct({ predicted: Probability, optimistic: Probability, cost: Probability })
it.prop("optimism never lowers a prediction and never changes which known model is the cheapest", {
  rows: Schema.Array(Uncertain).check(Schema.isMinLength(1), Schema.isMaxLength(8)), tau: Probability
}, ({ rows, tau }) => {
  const before = rows.map((row, i) =>
    uncertain(`m${i}`, row.predicted, Math.max(row.predicted, row.optimistic), row.cost))
  const after = optimistic(costObjective, before, tau)
  const known = before.filter((each) => each.predictedSuccess >= tau).map((each) => each.cost.costUsd)
  for (const [i, each] of after.entries()) {
    assert.isAtLeast(each.predictedSuccess, before[i]?.predictedSuccess ?? 1)
    if (each.cost.costUsd >= Math.min(...known)) assert.strictEqual(each, before[i])
  }
})
