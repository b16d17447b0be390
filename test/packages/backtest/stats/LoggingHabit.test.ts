import { assert, describe, it } from "@effect/vitest"
import { type LogContext, makeLoggingHabit } from "../../../../packages/backtest/src/stats/LoggingHabit.ts"
import { generator } from "../../../../src/stats/Generator.ts"

const context = (over: Partial<LogContext> = {}): LogContext =>
  ({ taskType: 0, difficulty: -1, tags: -1, user: -1, logInputTokens: NaN, ...over })

/** The shares for a row after `rows` rows that a habit filled. */
const learned = (
  rows: number,
  rowOf: (index: number, uniform: () => number) => { readonly context: LogContext; readonly model: number },
  asked: LogContext
): ReadonlyArray<number> => {
  const habit = makeLoggingHabit(3)
  const uniform = generator(5)
  for (let index = 0; index < rows; index++) {
    const row = rowOf(index, uniform)
    habit.shares(row.context, 0.7)
    habit.learn(row.model)
  }
  return [...habit.shares(asked, 0.7)]
}
const coin = (uniform: () => number, share: number): number => uniform() < share ? 0 : 1

describe("the shares in which a log chooses its models", () => {
  it("are equal before any row", () => {
    for (const share of learned(0, () => ({ context: context(), model: 0 }), context())) {
      assert.closeTo(share, 1 / 3, 1e-12)
    }
  })

  it("sum to 1, and a model that never ran has less than the 2 % at which it could be judged", () => {
    const rowOf = (_: number, uniform: () => number) =>
      ({ context: context(), model: coin(uniform, 0.5) })
    const shares = learned(500, rowOf, context())
    assert.closeTo(shares.reduce((sum, share) => sum + share, 0), 1, 1e-9)
    assert.isBelow(shares[2]!, 0.02)
    assert.closeTo(shares[0]!, 0.5, 0.1)
  })

  for (const [name, of] of [
    ["task type", (half: number) => context({ taskType: half })],
    ["tags", (half: number) => context({ tags: -77 + half })],
    ["user", (half: number) => context({ user: 123_456_789 + half })],
    ["input size", (half: number) => context({ logInputTokens: 5 + 2 * half })]
  ] as const) {
    it(`are those of its ${name} where the habit depends on it`, () => {
      const rowOf = (_: number, uniform: () => number) => {
        const half = uniform() < 0.5 ? 0 : 1
        return { context: of(half), model: coin(uniform, half === 0 ? 0.9 : 0.1) }
      }
      assert.closeTo(learned(1500, rowOf, of(0))[0]!, 0.9, 0.06)
      assert.closeTo(learned(1500, rowOf, of(1))[0]!, 0.1, 0.06)
    })
  }

  it("follow a habit that changes within a hundred rows", () => {
    const shares = learned(1100, (index) => ({ context: context(), model: index < 1000 ? 0 : 1 }), context())
    assert.isAbove(shares[1]!, 0.9)
    assert.isBelow(shares[0]!, 0.1)
  })
})
