import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { defaults } from "../../src/engine/Settings.ts"
import { trackBudget, noSpend } from "../../src/stats/BudgetState.ts"
import {
  billsPerEstimate, forecastOf, leastAfter, perRequest, periodAt, requestsBetween, shiftAfter
} from "../../src/stats/BudgetPacing.ts"

const rule = defaults.pacing
const hourMs = 3_600_000
const Usd = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e6 }))
const Cents = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.1 }))
const Shift = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 25 }))
const Requests = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e7 }))
const after = (shift: number, costUsd: number, perRequestUsd: number, requestsLeft = 100) =>
  shiftAfter(rule, shift, { costUsd, perRequestUsd, requestsLeft })

describe("the multiplier after a request", () => {
  // epsilon = 6 / sqrt(100) = 0.6.
  it("rises by epsilon for a request of twice its share, and falls by it for a free one", () => {
    assert.closeTo(after(5, 0.02, 0.01), 5.6, 1e-12)
    assert.closeTo(after(5, 0, 0.01), 4.4, 1e-12)
    assert.strictEqual(after(5, 0.01, 0.01), 5)
  })

  it("is the highest where nothing is left and the request costs, and stays for a free one", () => {
    assert.strictEqual(after(3, 1e-9, 0), 25)
    assert.strictEqual(after(3, 0, 0), 3)
    assert.strictEqual(after(3, 1, NaN), 25)
  })

  it.prop("stays within its range, and is no lower after a dearer request", {
    shift: Shift, one: Usd, other: Usd, rho: Usd, left: Requests
  }, ({ left, one, other, rho, shift }) => {
    const [low, high] = [Math.min(one, other), Math.max(one, other)]
    const [afterLow, afterHigh] = [after(shift, low, rho, left), after(shift, high, rho, left)]
    assert.isAtLeast(afterLow, 0)
    assert.isAtMost(afterHigh, 25)
    assert.isAtMost(afterLow, afterHigh)
  })
})

describe("the forecast of requests", () => {
  const flat = (perHour: number, hours: number, hourShare = 0) =>
    forecastOf(rule, {
      hourly: [perHour * hourShare, ...Array.from({ length: hours }, () => perHour)], knownHours: hours,
      hourOfDay: 10, hourShare
    })

  it("expects of a steady week what it had", () => {
    const forecast = flat(60, 168, 0.5)
    assert.closeTo(requestsBetween(forecast, 10.5 * hourMs, 24 * hourMs), 13.5 * 60, 10)
    assert.closeTo(requestsBetween(forecast, 10.5 * hourMs, (24 * 3 + 10.5) * hourMs), 3 * 24 * 60, 30)
  })

  it("expects at each hour of the day what the week had at it", () => {
    // 100 requests between 12 and 13 on each of 7 days, asked at midnight.
    const hourly = Array.from({ length: 169 }, (_, ago) => (24 * 8 - ago) % 24 === 12 ? 100 : 0)
    const forecast = forecastOf(rule, { hourly, knownHours: 168, hourOfDay: 0, hourShare: 0 })
    assert.isAtLeast(requestsBetween(forecast, 12 * hourMs, 13 * hourMs), 85)
    assert.isAtMost(requestsBetween(forecast, 13 * hourMs, 14 * hourMs), 5)
  })

  it("follows a last day of twice the week's level", () => {
    const hourly = Array.from({ length: 169 }, (_, ago) => ago < 24 ? 120 : 60)
    const forecast = forecastOf(rule, { hourly, knownHours: 168, hourOfDay: 0, hourShare: 0.99 })
    const day = requestsBetween(forecast, 0, 24 * hourMs)
    assert.isAtLeast(day, 24 * 95)
    assert.isAtMost(day, 24 * 125)
  })

  it("expects a burst of the last hour to go on for a while, and nothing of a quiet hour", () => {
    const hourly = Array.from({ length: 169 }, (_, ago) => ago === 1 ? 600 : 60)
    const burst = forecastOf(rule, { hourly, knownHours: 168, hourOfDay: 0, hourShare: 0 })
    assert.isAtLeast(burst.surge, 500)
    assert.isAtMost(flat(60, 168).surge, 5)
  })

  it("has a number before the first request", () => {
    const forecast = forecastOf(rule, { hourly: [0], knownHours: 0, hourOfDay: 0, hourShare: 0 })
    assert.isAbove(requestsBetween(forecast, 0, 24 * hourMs), 0)
    assert.strictEqual(requestsBetween(forecast, 24 * hourMs, 24 * hourMs), 0)
    assert.strictEqual(requestsBetween(forecast, 25 * hourMs, 24 * hourMs), 0)
  })
})

describe("bills per estimate", () => {
  it("is 1 without bills, and near 2 where nearly all bills are twice their estimate", () => {
    assert.strictEqual(billsPerEstimate(rule, noSpend), 1)
    const { billedEstimateUsd, billedUsd } = { billedEstimateUsd: 99, billedUsd: 198 }
    assert.closeTo(billsPerEstimate(rule, { billedEstimateUsd, billedUsd, waitingUsd: 1 }), 1.98, 0.01)
  })

  it.prop("stays within its range, whatever was billed", {
    billedUsd: Usd, billedEstimateUsd: Usd, waitingUsd: Usd
  }, (sums) => {
    const ratio = billsPerEstimate(rule, sums)
    assert.isTrue(ratio >= rule.ratioMin && ratio <= rule.ratioMax)
  })
})

it("a budget per request is 0 where nothing is left, and counts one where none is expected", () => {
  assert.strictEqual(perRequest(-1, 10), 0)
  assert.strictEqual(perRequest(6, 12), 0.5)
  assert.strictEqual(perRequest(6, 0.001), 6)
})

it("the mean of least costs begins with the first, and then moves by one part in its memory", () => {
  assert.strictEqual(leastAfter(rule, null, 4), 4)
  assert.closeTo(leastAfter(rule, 4, 4 + rule.leastMemory), 5, 1e-12)
})

it("days and months begin at midnight UTC, and the end of one is the start of the next", () => {
  const newYear = Date.UTC(2027, 0, 1)
  assert.deepStrictEqual(periodAt("day", newYear - 1), { startMs: newYear - 24 * hourMs, endMs: newYear })
  assert.deepStrictEqual(periodAt("month", newYear - 1), { startMs: Date.UTC(2026, 11, 1), endMs: newYear })
  assert.strictEqual(periodAt("month", newYear).startMs, newYear)
  assert.strictEqual(periodAt("month", Date.UTC(2028, 1, 29)).endMs, Date.UTC(2028, 2, 1))
})

describe("a tracker", () => {
  const terms = { usd: 24, period: "day" } as const
  const nowMs = Date.UTC(2026, 10, 23, 12)
  const hourly = Array.from({ length: 169 }, (_, ago) => ago === 0 ? 0 : 100)
  const found = (over: object = {}) => ({
    period: periodAt("day", nowMs), spend: { ...noSpend, requests: 1_200, waitingUsd: 12 }, lastDay: noSpend,
    hourly, knownHours: 168, shift: null, ...over
  })
  const cost = { estimateUsd: 0.02, marginUsd: 0 }

  it("moves down the slider while requests cost twice their share, and back when they cost less", () => {
    const tracker = trackBudget(rule)
    tracker.end(found(), nowMs)
    // 12 USD are left for 1,200 requests: a cent each.
    assert.closeTo(tracker.state(terms, nowMs).perRequestUsd, 0.01, 0.001)
    for (let i = 0; i < 20; i++) tracker.hold(terms, nowMs, cost, 0).release("written")
    const { shift } = tracker.state(terms, nowMs)
    assert.isAbove(shift, 2)
    for (let i = 0; i < 100; i++) tracker.hold(terms, nowMs, { ...cost, estimateUsd: 0 }, 0).release("written")
    assert.strictEqual(tracker.state(terms, nowMs).shift, 0)
  })

  it("goes by the period that the ledger has begun while this process's clock is behind it", () => {
    const tracker = trackBudget(rule)
    tracker.end(found(), nowMs - 24 * hourMs)
    assert.deepInclude(tracker.state(terms, nowMs - 24 * hourMs), { spentUsd: 12, period: periodAt("day", nowMs) })
    tracker.hold(terms, nowMs - 24 * hourMs, cost, 0).release("written")
    assert.strictEqual(Number(tracker.state(terms, nowMs).spentUsd.toFixed(6)), 12.02)
  })

  it("adds its own decisions to the ledger's once, and keeps those of a look-up that fails", () => {
    const tracker = trackBudget(rule)
    tracker.end(found(), nowMs)
    const spent = () => Number(tracker.state(terms, nowMs).spentUsd.toFixed(6))
    tracker.hold(terms, nowMs, cost, 0).release("written")
    assert.strictEqual(spent(), 12.02)
    tracker.begin()
    tracker.hold(terms, nowMs, cost, 0).release("written")
    assert.strictEqual(spent(), 12.04)
    // That look-up failed; the next one sees both.
    tracker.begin()
    assert.strictEqual(spent(), 12.04)
    tracker.end(found({ spend: { ...noSpend, requests: 1_202, waitingUsd: 12.04 } }), nowMs)
    assert.strictEqual(spent(), 12.04)
  })

  it("counts a decision being written through a look-up that may not see it, with its margin", () => {
    const tracker = trackBudget(rule)
    tracker.end(found(), nowMs)
    const spent = () => Number(tracker.state(terms, nowMs).spentUsd.toFixed(6))
    const held = tracker.hold(terms, nowMs, { estimateUsd: 0.02, marginUsd: 0.005 }, 0)
    assert.closeTo(held.reservedUsd, 0.025, 1e-12)
    assert.closeTo(held.state.spentUsd, 12.025, 1e-9)
    tracker.begin()
    tracker.end(found(), nowMs)
    assert.strictEqual(spent(), 12.025)
    held.release("written")
    assert.strictEqual(spent(), 12.025)
    // The next look-up sees it.
    tracker.begin()
    tracker.end(found(), nowMs)
    assert.strictEqual(spent(), 12)
    tracker.hold(terms, nowMs, cost, 0).release("dropped")
    assert.strictEqual(spent(), 12)
  })

  it("counts a decision that waits to be written until a later one is written and seen", () => {
    const tracker = trackBudget(rule)
    const spent = () => Number(tracker.state(terms, nowMs).spentUsd.toFixed(6))
    const look = () => {
      tracker.begin()
      tracker.end(found(), nowMs)
      return spent()
    }
    assert.strictEqual(look(), 12)
    tracker.hold(terms, nowMs, cost, 0).release("waiting")
    assert.strictEqual(look(), 12.02)
    assert.strictEqual(look(), 12.02)
    tracker.hold(terms, nowMs, cost, 0).release("written")
    assert.strictEqual(spent(), 12.04)
    assert.strictEqual(look(), 12)
  })

  it("keeps what it knows of the new period when a decision of the old one has been written", () => {
    const tracker = trackBudget(rule)
    const late = tracker.hold(terms, nowMs, cost, 0)
    const next = nowMs + 12 * hourMs
    tracker.hold(terms, next, cost, 0).release("written")
    late.release("written")
    assert.closeTo(tracker.state(terms, next).spentUsd, 0.02, 1e-12)
  })

  it("is due to look once a two-hundredth of the budget is reserved, until nothing is left", () => {
    const tracker = trackBudget(rule)
    tracker.end(found(), nowMs)
    const isDue = () => tracker.isDue(terms, tracker.state(terms, nowMs))
    // 0.12 USD.
    tracker.hold(terms, nowMs, { ...cost, marginUsd: 0.09 }, 0)
    assert.isFalse(isDue())
    tracker.hold(terms, nowMs, cost, 0)
    assert.isTrue(isDue())
    tracker.begin()
    assert.isFalse(isDue())
    tracker.hold(terms, nowMs, { ...cost, estimateUsd: 24 }, 0)
    assert.isFalse(isDue())
  })

  it.prop("counts as spent what it holds, whatever is released in between", {
    costs: Schema.Array(Schema.Struct({ estimateUsd: Cents, marginUsd: Cents, isReleased: Schema.Boolean }))
  }, ({ costs }) => {
    const tracker = trackBudget(rule)
    let sum = 0
    for (const { isReleased, ...each } of costs) {
      const { release } = tracker.hold(terms, nowMs, each, 0)
      sum += each.estimateUsd + each.marginUsd
      if (isReleased) release("written")
    }
    assert.closeTo(tracker.state(terms, nowMs).spentUsd, sum, 1e-9)
  })

  it("begins a new period with nothing spent, before the ledger was read in it", () => {
    const tracker = trackBudget(rule)
    tracker.end(found(), nowMs)
    tracker.hold(terms, nowMs, cost, 0).release("written")
    const next = tracker.state(terms, nowMs + 12 * hourMs)
    assert.strictEqual(next.spentUsd, 0)
    assert.strictEqual(next.period.startMs, Date.UTC(2026, 10, 24))
  })

  it("takes the multiplier of the account's other processes, within its range", () => {
    const tracker = trackBudget(rule)
    tracker.end(found({ shift: 7 }), nowMs)
    assert.strictEqual(tracker.state(terms, nowMs).shift, 7)
    tracker.end(found({ shift: 1e9 }), nowMs)
    assert.strictEqual(tracker.state(terms, nowMs).shift, 25)
  })

  it("paces nothing under a budget of 1e9, and everything that costs anything under 0 and 1e-9", () => {
    for (const [usd, isPaced] of [[1e9, false], [0, true], [1e-9, true]] as const) {
      const tracker = trackBudget(rule)
      tracker.end(found({ spend: noSpend }), nowMs)
      tracker.hold({ usd, period: "day" }, nowMs, cost, 0)
      assert.strictEqual(tracker.state({ usd, period: "day" }, nowMs).shift > 0, isPaced, String(usd))
    }
  })
})
