import { assert, it } from "@effect/vitest"
import { capped, swapped } from "../../../../scripts/bench/arena/outcomes.ts"

it("models swap their qualities from a row on, the best with the worst, and keep their costs", () => {
  const one = (quality: number, cost_usd: number) => ({ quality, input_tokens: 1, output_tokens: 1, cost_usd })
  const row = { best: one(1, 9), middle: one(0.5, 3), worst: one(0, 1) }
  const [first, second] = swapped([row, row], 1)
  assert.deepStrictEqual(first, row)
  assert.deepStrictEqual(second, { best: one(0, 9), middle: one(0.5, 3), worst: one(1, 1) })
})

it("the easiest rows are left out until no model is better than the cap, and the others keep their order", () => {
  const row = (id: string, ...qualities: ReadonlyArray<number>) => ({
    dataset: "any", task_type: "qa", prompt: id,
    models: Object.fromEntries(qualities.map((quality, i) =>
      [`model-${i}`, { quality, input_tokens: 1, output_tokens: 1, cost_usd: 1 }]))
  })
  const rows = [row("easy", 1, 1), row("hard", 0, 0), row("middle", 1, 0), row("easiest", 1, 1)]
  const of = (highest: number) => capped(rows, highest).map(({ prompt }) => prompt)
  assert.deepStrictEqual(of(0.5), ["hard", "middle"])
  assert.deepStrictEqual(of(0.7), ["easy", "hard", "middle"])
  assert.deepStrictEqual(of(1), ["easy", "hard", "middle", "easiest"])
  assert.deepStrictEqual(of(0), ["hard"])
})
