import { assert, it } from "@effect/vitest"
import { makeLogPolicies } from "../../../../packages/backtest/src/stats/LogPolicies.ts"
import { generator, normal } from "../../../../src/stats/Generator.ts"

/** A world of known truth: tasks of two kinds, models, and ways that pick a model for each kind. */
interface World {
  /** By model, chance of success on either kind of task. */
  readonly success: ReadonlyArray<readonly [number, number]>
  readonly costUsd: ReadonlyArray<number>
  /** The log's share of each model. */
  readonly logged: ReadonlyArray<number>
  readonly ways: ReadonlyArray<readonly [number, number]>
}

const worlds: { readonly [name: string]: World } = {
  "one way of many is as good": {
    success: [[0.72, 0.72], [0.78, 0.78], [0.83, 0.83], [0.9, 0.9]], costUsd: [1.9, 1.5, 7.6, 8.7],
    logged: [0.15, 0.15, 0.35, 0.35], ways: [[0, 0], [1, 1], [2, 2], [3, 3], [1, 3], [1, 2], [0, 3]]
  },
  "a way for each kind of task is best": {
    success: [[0.9, 0.5], [0.92, 0.85], [0.95, 0.9]], costUsd: [1, 4, 10],
    logged: [0.25, 0.5, 0.25], ways: [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]]
  },
  "the cheapest model is as good as any": {
    success: [[0.8, 0.8], [0.8, 0.8], [0.8, 0.8]], costUsd: [1, 5, 6],
    logged: [0.2, 0.4, 0.4], ways: [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2]]
  },
  "all ways are alike and save nothing": {
    success: Array.from({ length: 6 }, () => [0.8, 0.8] as const), costUsd: Array.from({ length: 6 }, () => 5),
    logged: Array.from({ length: 6 }, () => 1 / 6), ways: Array.from({ length: 6 }, (_, i) => [i, i] as const)
  },
  "what is as good saves next to nothing": {
    success: [[0.6, 0.6], [0.6, 0.6], [0.6, 0.6], [0.9, 0.9]], costUsd: [5, 5, 5, 6],
    logged: [0.15, 0.15, 0.15, 0.55], ways: [[0, 0], [1, 1], [2, 2], [3, 3]]
  }
}

const rows = 2_000
const rowsPerBlock = 15
const logs = 50

const mean = (chances: readonly [number, number]): number => (chances[0] + chances[1]) / 2

/** What is true of a way beside today's choices. */
const truthOf = ({ costUsd, logged, success, ways }: World, way: number) => {
  const today = (of: (model: number) => number): number =>
    logged.reduce((sum, share, model) => sum + share * of(model), 0)
  const [a, b] = ways[way]!
  return {
    saving: 1 - (costUsd[a]! + costUsd[b]!) / 2 / today((model) => costUsd[model]!),
    successDifference: mean([success[a]![0], success[b]![1]]) - today((model) => mean(success[model]!))
  }
}

/** What a log of a world says, half of it labelled, with bills that vary. */
const logOf = ({ costUsd, logged, success, ways }: World, seed: number) => {
  const uniform = generator(seed)
  const policies = makeLogPolicies(costUsd.length, ways.length + 1, ways.length)
  for (let row = 0; row < rows; row++) {
    const kind = uniform() < 0.5 ? 0 : 1
    let drawn = uniform()
    const model = Math.max(0, logged.findIndex((share) => (drawn -= share) < 0))
    policies.add({
      block: Math.floor(row / rowsPerBlock),
      loggedModel: model,
      quality: uniform() < 0.5 ? (uniform() < success[model]![kind] ? 1 : 0) : NaN,
      costUsd: costUsd[model]! * Math.exp(0.5 * normal(uniform) - 0.125),
      context: { taskType: kind, difficulty: 0, tags: 0, user: 0, logInputTokens: NaN },
      success: Float64Array.from(success, (chances) => 0.9 * chances[kind]),
      expectedUsd: Float64Array.from(costUsd),
      picks: Int32Array.from([...ways.map((way) => way[kind]), model])
    })
  }
  return policies.finish().best
}

it("of the best way, saving and success exceed the truth in one log of twenty at most", () => {
  for (const [name, world] of Object.entries(worlds)) {
    const told = Array.from({ length: logs }, (_, i) => logOf(world, i + 1))
      .filter((best) => best !== null && best !== "untold")
    const beyond = (of: "saving" | "successDifference") =>
      told.filter((best) => best[of].low > truthOf(world, best.policy)[of]).length
    assert.isAtMost(beyond("saving"), 0.06 * logs, name)
    assert.isAtMost(beyond("successDifference"), 0.06 * logs, name)
    // Beside today's choices all ways cost the same, or what is as good costs more.
    const isFree = /nothing/.test(name)
    if (isFree) assert.isAtMost(told.filter(({ saving }) => saving.low > 0.12).length, 0.06 * logs, name)
  }
})
