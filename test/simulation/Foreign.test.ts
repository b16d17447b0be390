import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type ForeignOptions, logged, playForeign, policyNames } from "./foreign.ts"

/** Worlds are played once for all tests of a description; on a busy machine that takes its time. */
const patience = 180_000
const worlds = 25

interface Counts {
  readonly policies: number
  judged: number
  success: number
  cost: number
  /** Of the judged, those whose intervals hold the truth of new calls. */
  newSuccess: number
  newCost: number
  claims: number
  losses: number
}

const played = (options: Omit<ForeignOptions, "seed" | "rows">) => {
  const counts: Counts = {
    policies: worlds * (policyNames.length - 1), judged: 0, success: 0, cost: 0, newSuccess: 0, newCost: 0,
    claims: 0, losses: 0
  }
  beforeAll(() => {
    for (let seed = 1; seed <= worlds; seed++) {
      const { figures, newTruths, truths } = playForeign({ ...options, seed, rows: 1500 })
      figures.policies.forEach(({ costUsd, success, verdict }, policy) => {
        if (policy === logged || success === null || costUsd === null) return
        const truth = truths[policy]!
        const ofNew = newTruths[policy]!
        counts.judged += 1
        if (success.low <= ofNew.success && ofNew.success <= success.high) counts.newSuccess += 1
        if (costUsd.low <= ofNew.costUsd && ofNew.costUsd <= costUsd.high) counts.newCost += 1
        if (success.low <= truth.success && truth.success <= success.high) counts.success += 1
        if (costUsd.low <= truth.costUsd && truth.costUsd <= costUsd.high) counts.cost += 1
        if (verdict !== "saves") return
        counts.claims += 1
        if (truth.costUsd >= truths[logged]!.costUsd) counts.losses += 1
      })
    }
  }, patience)
  return counts
}

const shown = ["random", "type", "price", "size", "user", "drift"] as const

const all: Array<Counts> = []

for (const habit of shown) {
  describe(`of logs whose habit is ${habit} and shows in the log`, () => {
    const counts = played({ habit })
    all.push(counts)

    it("the intervals of success and of cost hold the truth in at least 93 %", () => {
      assert.isAbove(counts.judged, 0.6 * counts.policies)
      assert.isAtLeast(counts.success, 0.93 * counts.judged)
      assert.isAtLeast(counts.cost, 0.93 * counts.judged)
    })

    it("at most 2.5 % of the claimed savings are a loss", () => {
      assert.isAbove(counts.claims, 25)
      assert.isAtMost(counts.losses, 0.025 * counts.claims)
    })
  })
}

it("of new calls, which they are made for, the intervals hold the truth in 94 to 98 %", () => {
  const shareOf = (of: "newCost" | "newSuccess") =>
    all.reduce((sum, each) => sum + each[of], 0) / all.reduce((sum, { judged }) => sum + judged, 0)
  for (const share of [shareOf("newSuccess"), shareOf("newCost")]) {
    assert.isAtLeast(share, 0.94)
    assert.isAtMost(share, 0.98)
  }
})

describe("of logs with labels on a part of the rows, by task type, and bills on another", () => {
  const counts = played({ habit: "random", labelled: 0.7, billed: 0.6, isLabelledByType: true })

  it("the intervals of success and of cost hold the truth in at least 93 %", () => {
    assert.isAbove(counts.judged, 0.6 * counts.policies)
    assert.isAtLeast(counts.success, 0.93 * counts.judged)
    assert.isAtLeast(counts.cost, 0.93 * counts.judged)
  })
})

describe("of logs whose bills vary five times as much as their mean", () => {
  const counts = played({ habit: "type", spread: 1.8 })

  it("the intervals of success and of cost hold the truth in at least 93 %", () => {
    assert.isAbove(counts.judged, 0.6 * counts.policies)
    assert.isAtLeast(counts.success, 0.93 * counts.judged)
    assert.isAtLeast(counts.cost, 0.93 * counts.judged)
  })

  it("at most 2.5 % of the claimed savings are a loss", () => {
    assert.isAbove(counts.claims, 25)
    assert.isAtMost(counts.losses, 0.025 * counts.claims)
  })
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

  it("no policy but that model's own is judged, and no saving is claimed", () => {
    assert.strictEqual(counts.judged, worlds)
    assert.strictEqual(counts.claims, 0)
  })
})

describe("of logs whose author chose by a cause that is not logged", () => {
  const counts = played({ habit: "hidden" })

  it("the intervals of success hold the truth in fewer than 93 %, whence the assumption is printed", () => {
    assert.isBelow(counts.success, 0.93 * counts.judged)
  })
})
