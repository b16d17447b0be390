import { assert, describe, it } from "@effect/vitest"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { laneOf } from "../../../src/domain/Scope.ts"
import { shadowOf } from "../../../src/reports/savings/Shadow.ts"
import { shadowSums } from "../reference/Shadow.ts"
import { decided, reported } from "../rows.ts"

const report = (...rows: ReadonlyArray<LedgerRow>) => shadowOf(shadowSums(rows, new Set()))

const shadow = { isShadow: true, baselineModelId: "large", costDeclaredUsd: 1 } as const
/** A call of the default, `large`, estimated at 1 USD, where `small`, estimated at 0.25 USD, was the pick. */
const ranDefault = (actualCostUsd: number | null, but: Parameters<typeof reported>[0] = {}) =>
  reported({ chosenModelId: "large", actualCostUsd, ...but }, shadow)
/** A call of the pick itself, outside of shadow. */
const ranPick = (actualCostUsd: number) => reported({ actualCostUsd })

describe("the report on decisions in shadow", () => {
  it("is null without any", () => {
    assert.isNull(report(decided(), ranPick(0.25)))
  })

  it("scales a pick without bills by what the model that ran cost more than was expected", () => {
    // Twice what was estimated: the pick would have cost 0.25 * 2.
    const found = report(ranDefault(2))
    assert.deepInclude(found, {
      n: 1, nFeedback: 1, nBilled: 1, nSameModel: 0, costUsd: 2, costFollowedUsd: 0.5, differenceUsd: 1.5,
      differenceLowUsd: null, differenceHighUsd: null, basis: "estimate"
    })
  })

  it("scales a pick with bills by these, and gives an interval that contains the difference", () => {
    // The pick's bills are 1.2 times its estimates; those of the default are as estimated.
    const bills = Array.from({ length: 40 }, () => ranPick(0.3))
    const found = report(ranDefault(1), ranDefault(1), ...bills)
    assert.strictEqual(found?.basis, "bills")
    assert.closeTo(found?.costFollowedUsd ?? 0, 2 * 0.3, 1e-9)
    assert.closeTo(found?.differenceUsd ?? 0, 1.4, 1e-9)
    assert.isBelow(found?.differenceLowUsd ?? 9, 1.4)
    assert.isAbove(found?.differenceHighUsd ?? 0, 1.4)
    assert.strictEqual(found?.n, 2)
  })

  it("counts exactly no difference where the model that ran is the pick", () => {
    const found = report(reported({ actualCostUsd: 0.4 }, shadow))
    assert.deepInclude(found, {
      nBilled: 1, nSameModel: 1, costUsd: 0.4, costFollowedUsd: 0.4, differenceUsd: 0, differenceLowUsd: 0,
      differenceHighUsd: 0, basis: "same_model"
    })
  })

  it("leaves out of the amounts calls that the infrastructure broke and decisions without a bill", () => {
    const broken = ranDefault(5, { outcome: "failure", errorCause: "infra", teaches: false })
    const found = report(broken, ranDefault(null), decided(shadow))
    assert.deepInclude(found, {
      n: 3, nFeedback: 2, nBilled: 0, costUsd: 0, costFollowedUsd: 0, differenceUsd: 0, basis: "none"
    })
    assert.isNull(found?.differenceLowUsd)
  })

  it("gives the success of the models that ran, with its interval", () => {
    const outcomes = ["success", "success", "partial", "failure"] as const
    const found = report(...outcomes.map((outcome) => ranDefault(1, { outcome })))
    assert.deepInclude(found, { nOutcomes: 4, successRate: 0.625 })
    assert.isBelow(found?.successLow ?? 1, 0.625)
    assert.isAbove(found?.successHigh ?? 0, 0.625)
    assert.isNull(report(decided(shadow))?.successRate)
  })

  it("names the lanes that have any, which savings would leave out", () => {
    const inLane = (namespace: string | null) => decided({ ...shadow, lane: laneOf(namespace) })
    assert.deepStrictEqual(report(inLane("web"), inLane(null), inLane("web"))?.lanes, [
      { lane: "sextant:default", n: 1 }, { lane: "sextant:web", n: 2 }
    ])
  })
})
