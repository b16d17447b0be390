import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type ForeignOptions, logged, newTruthsOf, playForeign, policyNames } from "./foreign.ts"

/** Worlds are played once for all tests of a description; on a busy machine that takes its time. */
const patience = 180_000
const worlds = 25

interface Interval {
  readonly low: number
  readonly high: number
}

const holds = ({ high, low }: Interval, truth: number): boolean => low <= truth && truth <= high

interface Counts {
  readonly policies: number
  /** The intervals of each judged policy in each world. */
  readonly intervals: Array<{ readonly seed: number; readonly policy: number; readonly success: Interval; readonly costUsd: Interval }>
  judged: number
  success: number
  cost: number
  keys: number
  losses: number
}

const played = (options: Omit<ForeignOptions, "seed" | "rows">) => {
  const counts: Counts = {
    policies: worlds * (policyNames.length - 1), intervals: [], judged: 0, success: 0, cost: 0, keys: 0, losses: 0
  }
  beforeAll(() => {
    for (let seed = 1; seed <= worlds; seed++) {
      const { figures, truths } = playForeign({ ...options, seed, rows: 1500 })
      figures.policies.forEach(({ costUsd, success, verdict }, policy) => {
        if (policy === logged || success === null || costUsd === null) return
        const truth = truths[policy]!
        counts.judged += 1
        counts.intervals.push({ seed, policy, success, costUsd })
        if (holds(success, truth.success)) counts.success += 1
        if (holds(costUsd, truth.costUsd)) counts.cost += 1
        if (verdict !== "saves") return
        counts.keys += 1
        if (truth.costUsd >= truths[logged]!.costUsd) counts.losses += 1
      })
    }
  }, patience)
  return counts
}

const shown = ["random", "type", "price", "size", "user", "drift"] as const

const all: Array<Counts> = []

const holdTheTruth = (counts: Counts) =>
  it("the intervals of success and of cost hold the truth in at least 93 %", () => {
    assert.isAbove(counts.judged, 0.6 * counts.policies)
    assert.isAtLeast(counts.success, 0.93 * counts.judged)
    assert.isAtLeast(counts.cost, 0.93 * counts.judged)
  })

const claimSavings = (counts: Counts) =>
  it("at most 2.5 % of the keyed savings are a loss", () => {
    assert.isAbove(counts.keys, 25)
    assert.isAtMost(counts.losses, 0.025 * counts.keys)
  })

for (const habit of shown) {
  describe(`of logs whose habit is ${habit} and shows in the log`, () => {
    const counts = played({ habit })
    all.push(counts)
    holdTheTruth(counts)
    claimSavings(counts)
  })
}

it("of new calls, which they are made for, the intervals hold the truth in 94 to 98 %", () => {
  // What new calls come to goes by the world, whatever its log's habit.
  const truths = Array.from({ length: worlds }, (_, index) => newTruthsOf(index + 1))
  const judged = all.flatMap(({ intervals }) => intervals)
  for (const of of ["success", "costUsd"] as const) {
    const held = judged.filter(({ policy, seed, ...interval }) => holds(interval[of], truths[seed - 1]![policy]![of]))
    assert.isAtLeast(held.length / judged.length, 0.94)
    assert.isAtMost(held.length / judged.length, 0.98)
  }
})

describe("of logs with labels on a part of the rows, by task type, and bills on another", () => {
  const counts = played({ habit: "random", labelled: 0.7, billed: 0.6, isLabelledByType: true })
  holdTheTruth(counts)
})

describe("of logs whose bills vary five times as much as their mean", () => {
  const counts = played({ habit: "type", spread: 1.8 })
  holdTheTruth(counts)
  claimSavings(counts)
})

for (const habit of ["type_always", "sorted"] as const) {
  describe(`of logs without overlap, whose habit is ${habit}`, () => {
    const counts = played({ habit })

    it("no policy is judged", () => {
      assert.strictEqual(counts.judged, 0)
    })
  })
}

describe("of logs with one model", () => {
  const counts = played({ habit: "one" })

  it("no policy but that model's own is judged, and no saving is keyed", () => {
    assert.strictEqual(counts.judged, worlds)
    assert.strictEqual(counts.keys, 0)
  })
})

describe("of logs whose author chose by a cause that is not logged", () => {
  const counts = played({ habit: "hidden" })

  it("the intervals of success hold the truth in under 93 %, whence the assumption is printed", () => {
    assert.isBelow(counts.success, 0.93 * counts.judged)
  })
})
