/** Worlds in which an account spends: its traffic, its tasks, its models, and when bills come. */
import { generator, normal } from "../../../src/stats/Generator.ts"
import { sigmoid } from "../../../src/stats/Logit.ts"

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** One request: predictions and estimates of each model, as the engine has them. */
export interface Ask {
  readonly atMs: number
  readonly success: ReadonlyArray<number>
  readonly estimateUsd: ReadonlyArray<number>
  /** The true bill of a call with each model, USD. */
  readonly billUsd: ReadonlyArray<number>
  /** When its bill is reported, ms; null for never. */
  readonly reportAtMs: number | null
}

export interface World {
  readonly name: string
  /** Requests an hour on average, count. */
  readonly perHour: number
  /** Days before the ones that count, and the days that do. */
  readonly historyDays: number
  readonly days: number
  /** Requests relative to the mean, by day and hour of the day. */
  readonly shape: (day: number, hour: number) => number
  /** Factor on all prices in truth, and in the estimates. */
  readonly price?: (day: number, hour: number) => number
  readonly estimatedPrice?: (day: number, hour: number) => number
  /** Bills over estimates on average. */
  readonly bias?: number
  /** Mean delay of a report, hours; null for no reports. */
  readonly reportHours: number | null
  readonly processes?: number
  readonly minQuality?: number
}

/** Abilities, logit, and prices of a task of mean size, USD: the dearer the better, with diminishing returns. */
const models = [
  { ability: 0.4, usd: 0.0002 }, { ability: 1.2, usd: 0.001 }, { ability: 1.8, usd: 0.004 },
  { ability: 2.4, usd: 0.015 }, { ability: 2.9, usd: 0.05 }
] as const

/** Quiet nights and busy days; the mean over a day is 1. */
export const daily = (hour: number): number => 0.15 + 1.7 * Math.max(0, Math.sin(Math.PI * (hour - 5) / 16)) ** 2

const poisson = (mean: number, uniform: () => number): number => {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(uniform)))
  let [count, product] = [0, uniform()]
  for (const limit = Math.exp(-mean); product > limit; product *= uniform()) count++
  return count
}

/** The requests of an hour, in time order. */
const asksOf = (world: World, day: number, hour: number, uniform: () => number): ReadonlyArray<Ask> => {
  const count = poisson(world.perHour * world.shape(day, hour), uniform)
  const times = Array.from({ length: count }, () => (day * 24 + hour + uniform()) * hourMs).sort((a, b) => a - b)
  const price = world.price?.(day, hour) ?? 1
  const estimated = world.estimatedPrice?.(day, hour) ?? price
  return times.map((atMs) => {
    const difficulty = normal(uniform)
    const size = Math.exp(0.8 * normal(uniform) - 0.32)
    const estimateUsd = models.map(({ usd }) => usd * size * estimated)
    return {
      atMs,
      success: models.map(({ ability }) => sigmoid(ability - difficulty + 0.3 * normal(uniform))),
      estimateUsd,
      billUsd: estimateUsd.map((usd) =>
        usd / estimated * price * (world.bias ?? 1) * Math.exp(0.4 * normal(uniform) - 0.08)),
      reportAtMs: world.reportHours === null ? null : atMs - Math.log(1 - uniform()) * world.reportHours * hourMs
    }
  })
}

/** Every request of the world, in time order; time 0 is the first midnight of its history. */
export const requestsOf = (world: World, seed: number): ReadonlyArray<Ask> => {
  const uniform = generator(seed)
  const asks: Array<Ask> = []
  for (let day = 0; day < world.historyDays + world.days; day++) {
    for (let hour = 0; hour < 24; hour++) asks.push(...asksOf(world, day, hour, uniform))
  }
  return asks
}

const steady = (_day: number, hour: number): number => daily(hour)
const week = { historyDays: 7, days: 3, perHour: 150, reportHours: 0.05 } as const

/** The worlds of the table. Days count from the first that is judged. */
export const worlds: ReadonlyArray<World> = [
  { ...week, name: "quiet nights", shape: steady },
  {
    ...week, name: "bursts: 3 hours of 8 times the traffic, at any time",
    shape: (day, hour) => daily(hour) * ((hour + 5 * day) % 24 < 3 && day >= 7 ? 8 : 1)
  },
  {
    ...week, name: "a burst in the day's last 2 hours, 20 times",
    shape: (day, hour) => daily(hour) * (day >= 7 && hour >= 22 ? 20 : 1)
  },
  { ...week, name: "growth: 30 % a day", shape: (day, hour) => daily(hour) * 1.3 ** (day - 7) },
  {
    ...week, name: "all prices triple at noon, estimates too", shape: steady,
    price: (day, hour) => day > 8 || (day === 8 && hour >= 12) ? 3 : 1
  },
  {
    ...week, name: "all prices triple at noon, estimates do not know", shape: steady,
    price: (day, hour) => day > 8 || (day === 8 && hour >= 12) ? 3 : 1, estimatedPrice: () => 1
  },
  { ...week, name: "reports 6 hours late, bills 1.3 times the estimates", shape: steady, reportHours: 6, bias: 1.3 },
  { ...week, name: "no reports", shape: steady, reportHours: null },
  { ...week, name: "two processes, quiet nights", shape: steady, processes: 2 },
  { ...week, name: "a young account: no history", shape: steady, historyDays: 0 },
  { ...week, name: "few requests: 5 an hour", shape: steady, perHour: 5 },
  { ...week, name: "min_quality 0.7", shape: steady, minQuality: 0.7 }
]
