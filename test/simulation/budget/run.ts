/** Runs a world under a tracker, without one, and under one that knows the whole day. */
import { threshold } from "../../../src/engine/policies/Criteria.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import {
  type BudgetTerms, type LedgerSpend, trackBudget, noSpend, type ReservedCost, type SpendSums
} from "../../../src/stats/BudgetState.ts"
import { periodAt, weekHours } from "../../../src/stats/BudgetPacing.ts"
import { type Ask, dayMs, hourMs, type World } from "./world.ts"

/** Time between two questions to the ledger, ms, and the slider of every request. */
const refreshMs = 3_000
const slider = 7
const { costHighRatio: highRatio } = defaults

type Choose = (ask: Ask) => number

/** The cheapest that reaches the bar; where none does, the likeliest. */
export const pickAt = ({ estimateUsd, success }: Ask, bar: number): number => {
  let [best, likeliest] = [-1, 0]
  for (let model = 0; model < success.length; model++) {
    if (success[model]! > success[likeliest]!) likeliest = model
    if (success[model]! >= bar && (best === -1 || estimateUsd[model]! < estimateUsd[best]!)) best = model
  }
  return best === -1 ? likeliest : best
}

/** The bar at that many slider units below the requests' slider. */
const barAt = (shift: number, minQuality: number): number => threshold(defaults, slider - shift, minQuality)

export interface Totals {
  readonly usd: number
  readonly success: number
  readonly n: number
}

const totalsOf = (asks: ReadonlyArray<Ask>, choose: Choose): Totals => {
  let [usd, success] = [0, 0]
  for (const ask of asks) {
    const model = choose(ask)
    usd += ask.billUsd[model]!
    success += ask.success[model]!
  }
  return { usd, success: success / Math.max(1, asks.length), n: asks.length }
}

export const unpaced = (world: World, asks: ReadonlyArray<Ask>): Totals =>
  totalsOf(asks, (ask) => pickAt(ask, barAt(0, world.minQuality ?? 0)))

/** Spending at the lowest threshold, which is the least that pacing can reach. */
export const floor = (world: World, asks: ReadonlyArray<Ask>): Totals =>
  totalsOf(asks, (ask) => pickAt(ask, world.minQuality ?? 0))

/** The one shift for the whole day with which it would have met the budget, mixed with the next smaller one. */
export const oracle = (world: World, asks: ReadonlyArray<Ask>, budgetUsd: number): Totals => {
  const at = (shift: number) => totalsOf(asks, (ask) => pickAt(ask, barAt(shift, world.minQuality ?? 0)))
  if (at(0).usd <= budgetUsd) return at(0)
  let [low, high] = [0, defaults.pacing.shiftMax]
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2
    if (at(middle).usd <= budgetUsd) high = middle
    else low = middle
  }
  const [under, over] = [at(high), at(low)]
  const share = over.usd > under.usd ? Math.max(0, Math.min(1, (budgetUsd - under.usd) / (over.usd - under.usd))) : 0
  return {
    usd: under.usd + share * (over.usd - under.usd), n: under.n,
    success: under.success + share * (over.success - under.success)
  }
}

/** The ledger: sums by hour. */
const makeLedger = () => {
  const hours = new Map<number, { -readonly [K in keyof SpendSums]: number }>()
  const of = (atMs: number) => {
    const hour = Math.floor(atMs / hourMs)
    const known = hours.get(hour) ?? { ...noSpend }
    hours.set(hour, known)
    return known
  }
  const sum = (from: number, to: number): SpendSums => {
    const total = { ...noSpend }
    for (let hour = from; hour <= to; hour++) {
      const each = hours.get(hour)
      if (each === undefined) continue
      for (const name of Object.keys(total) as Array<keyof SpendSums>) total[name] += each[name]
    }
    return total
  }
  let shift: number | null = null
  let first = Infinity
  return {
    decided: (atMs: number, { estimateUsd, marginUsd }: ReservedCost): void => {
      const hour = of(atMs)
      first = Math.min(first, Math.floor(atMs / hourMs))
      hour.requests++
      hour.waitingUsd += estimateUsd
      hour.marginUsd += marginUsd
    },
    reported: (decidedAtMs: number, { estimateUsd, marginUsd }: ReservedCost, billUsd: number): void => {
      const hour = of(decidedAtMs)
      hour.waitingUsd -= estimateUsd
      hour.marginUsd -= marginUsd
      hour.billedEstimateUsd += estimateUsd
      hour.billedUsd += billUsd
    },
    read: (terms: BudgetTerms, nowMs: number, own: number | null): LedgerSpend => {
      if (own !== null) shift = shift === null ? own : (shift + own) / 2
      const period = periodAt(terms.period, nowMs)
      const now = Math.floor(nowMs / hourMs)
      const from = Math.floor(period.startMs / hourMs)
      return {
        period, lastDay: sum(now - 23, now), shift,
        spend: { ...sum(from, now), marginUsd: Math.max(0, sum(Math.max(from, now - 1), now).marginUsd) },
        hourly: Array.from({ length: weekHours + 1 }, (_, ago) => hours.get(now - ago)?.requests ?? 0),
        knownHours: Math.min(weekHours, Math.max(0, now - first - 1))
      }
    }
  }
}

/** A bill that has yet to come. They are sorted again at every 500th request, and none comes earlier. */
interface Bill {
  readonly atMs: number
  readonly decidedAtMs: number
  readonly cost: ReservedCost
  readonly billUsd: number
}

/** Runs the world's requests, with a budget from its first judged day on; yields the figures of each judged day. */
export const paced = (world: World, asks: ReadonlyArray<Ask>, terms: BudgetTerms): ReadonlyArray<Totals> => {
  const ledger = makeLedger()
  const pacers = Array.from({ length: world.processes ?? 1 }, () =>
    ({ tracker: trackBudget(defaults.pacing), readAtMs: -Infinity }))
  const totals = Array.from({ length: world.days }, () => ({ usd: 0, success: 0, n: 0 }))
  const minQuality = world.minQuality ?? 0
  const waiting: Array<Bill> = []
  let next = 0
  asks.forEach((ask, i) => {
    if (i % 500 === 0) {
      waiting.splice(0, next)
      next = 0
      waiting.sort((a, b) => a.atMs - b.atMs)
    }
    for (; next < waiting.length && waiting[next]!.atMs <= ask.atMs; next++) {
      const { billUsd, cost, decidedAtMs } = waiting[next]!
      ledger.reported(decidedAtMs, cost, billUsd)
    }
    const day = Math.floor(ask.atMs / dayMs) - world.historyDays
    const own = pacers[i % pacers.length]!
    const { tracker } = own
    let bar = barAt(0, minQuality)
    if (day >= 0) {
      if (ask.atMs - own.readAtMs >= refreshMs) {
        own.readAtMs = ask.atMs
        tracker.end(ledger.read(terms, ask.atMs, tracker.begin()), ask.atMs)
      }
      const { billsPerEstimate, leftUsd, shift } = tracker.state(terms, ask.atMs)
      bar = barAt(shift, minQuality)
      if (highRatio * ask.estimateUsd[pickAt(ask, bar)]! * billsPerEstimate > leftUsd) bar = minQuality
    }
    const model = pickAt(ask, bar)
    const cost = { estimateUsd: ask.estimateUsd[model]!, marginUsd: 0 }
    if (day >= 0) {
      const state = tracker.state(terms, ask.atMs)
      cost.marginUsd = state.billsPerEstimate * (highRatio - 1) * cost.estimateUsd
      tracker.hold(terms, ask.atMs, cost, ask.estimateUsd[pickAt(ask, minQuality)]!).release("written")
      if (tracker.isDue(terms, state)) own.readAtMs = -Infinity
      const total = totals[day]!
      total.usd += ask.billUsd[model]!
      total.success += ask.success[model]!
      total.n++
    }
    ledger.decided(ask.atMs, cost)
    if (ask.reportAtMs !== null) {
      waiting.push({ atMs: ask.reportAtMs, decidedAtMs: ask.atMs, cost, billUsd: ask.billUsd[model]! })
    }
  })
  return totals.map(({ n, success, usd }) => ({ n, usd, success: success / Math.max(1, n) }))
}
