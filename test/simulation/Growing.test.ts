import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { grow, shareOf } from "./growing.ts"

const accounts: ReadonlyArray<readonly [string, ReadonlyArray<string> | null]> = [
  ["the whole catalog", null],
  ["four named candidates", ["gpt-5-nano", "gpt-5-mini", "gpt-5", "claude-sonnet-4-5"]]
]

/** Other accounts of the same kind: other truths, other tasks, other answers. */
const seeds = [1, 3]

describe.each(accounts)("an account that follows the advice over %s", (_, candidates) => {
  it.live("is asked about its first ten tasks, and after 300 outcomes advises with few questions", () =>
    Effect.forEach(seeds, (seed) =>
      Effect.map(grow({ seed, outcomes: 300, candidates }), (steps) => {
        const last = steps.slice(-50)
        const about = `seed ${seed}`
        assert.strictEqual(shareOf(steps.slice(0, 10), ({ isEscalated }) => isEscalated), 1, about)
        assert.isAtMost(shareOf(last, ({ isEscalated }) => isEscalated), 0.2, about)
        assert.isAtLeast(shareOf(last, ({ answer }) => answer.decisionBasis === "memory"), 0.9, about)
        assert.strictEqual(shareOf(steps.slice(0, 1), ({ isGrounded }) => isGrounded), 0, about)
        assert.isAtLeast(shareOf(last, ({ isGrounded }) => isGrounded), 0.8, about)
        for (const { answer: { ranked } } of last) {
          for (const { estCostBreakdown, rationale } of ranked) {
            const isLearned = estCostBreakdown!["learned_ratio"] !== undefined
            assert.strictEqual(rationale!.includes("est (learned)"), isLearned, rationale)
          }
        }
      })), 240_000)
})
