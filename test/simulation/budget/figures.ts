/** Figures of a budget in a world, over seeds: the share of it that is spent, and the success beside other pacers. */
import { floor, oracle, paced, unpaced } from "./run.ts"
import { dayMs, requestsOf, type World } from "./world.ts"

/** Shares of the budget and of success, in [0, 1] but for spending; each a mean over the judged days. */
export interface Figures {
  readonly spent: number
  /** The highest of a day. */
  readonly spentMost: number
  /** The day's cost at the lowest tau over the budget, which is the least that pacing can reach. */
  readonly least: number
  /** The highest of a day's spending over its budget, or over that least where the budget is below it. */
  readonly overMost: number
  /** Days that were more than 5 % over that, and all days, count. */
  readonly overDays: number
  readonly days: number
  readonly success: number
  readonly oracle: number
  readonly unpaced: number
}

/** The figures of a budget of that share of what an average day costs without pacing. */
export const figuresOf = (world: World, share: number, seeds: number): Figures => {
  let [n, spent, spentMost, least, overMost, overDays, success, ideal, plain] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  for (let seed = 1; seed <= seeds; seed++) {
    const asks = requestsOf(world, seed)
    const days = Array.from({ length: world.days }, (_, day) =>
      asks.filter(({ atMs }) => Math.floor(atMs / dayMs) === world.historyDays + day))
    const freely = days.map((each) => unpaced(world, each))
    const usd = share * freely.reduce((sum, each) => sum + each.usd, 0) / days.length
    paced(world, asks, { usd, period: "day" }).forEach((got, day) => {
      const asked = days[day]!
      const leastUsd = floor(world, asked).usd
      const over = got.usd / Math.max(usd, leastUsd)
      n++
      spent += got.usd / usd
      spentMost = Math.max(spentMost, got.usd / usd)
      least += leastUsd / usd
      overMost = Math.max(overMost, over)
      overDays += over > 1.05 ? 1 : 0
      success += got.success
      ideal += oracle(world, asked, usd).success
      plain += freely[day]!.success
    })
  }
  return {
    spent: spent / n, spentMost, least: least / n, overMost, overDays, days: n, success: success / n,
    oracle: ideal / n, unpaced: plain / n
  }
}
