import { assert, it } from "@effect/vitest"
import { swapped } from "../../../../scripts/bench/arena/outcomes.ts"

it("models swap their qualities from a row on, the best with the worst, and keep their costs", () => {
  const one = (quality: number, cost_usd: number) => ({ quality, input_tokens: 1, output_tokens: 1, cost_usd })
  const row = { best: one(1, 9), middle: one(0.5, 3), worst: one(0, 1) }
  const [first, second] = swapped([row, row], 1)
  assert.deepStrictEqual(first, row)
  assert.deepStrictEqual(second, { best: one(0, 9), middle: one(0.5, 3), worst: one(1, 1) })
})
