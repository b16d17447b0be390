/**
 * Simulates accounts with a budget of so many USD a day: what they spend against it, and the success that they
 * get, beside the one threshold for the day that somebody who knows the day would choose, and no pacing.
 * `--seeds`: worlds of each kind. `--ledger 250000` measures in its place what reading the spending of an account
 * with so many decisions in a month takes of PostgreSQL. `--burst 1200` sends so many requests at once to services
 * of one and of four processes, and measures what they cost.
 */
import { parseArgs } from "node:util"
import { measureBursts } from "./budget/burst.ts"
import { figuresOf } from "./budget/figures.ts"
import { measureLedger } from "./budget/ledger.ts"
import { worlds } from "./budget/world.ts"
import { table } from "./harness/figures.ts"

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "5" }, ledger: { type: "string" }, burst: { type: "string" } }
})
if (values.ledger !== undefined) {
  await measureLedger(Number(values.ledger), 100)
  process.exit()
}
if (values.burst !== undefined) {
  await measureBursts(Number(values.burst))
  process.exit()
}
const seeds = Number(values.seeds)
/** Budgets over what an average day costs without pacing. */
const shares = [2, 1, 0.7, 0.4, 0.15, 0.05]

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`
const head = [
  "world", "budget / unpaced", "spent", "highest", "least possible", "highest over", "success", "oracle", "unpaced"
]
let [over, days] = [0, 0]
const lines = worlds.flatMap((world) =>
  shares.map((share) => {
    const of = figuresOf(world, share, seeds)
    over += of.overDays
    days += of.days
    return [
      world.name, String(share), percent(of.spent), percent(of.spentMost), percent(of.least),
      percent(of.overMost - 1), percent(of.success), percent(of.oracle), percent(of.unpaced)
    ]
  }))
console.log(table(head, lines))
console.log(`${over} of ${days} days were more than 5 % over their budget, or over the least possible`)
