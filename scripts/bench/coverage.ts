/**
 * Compares reports with simulated worlds of known truth: how often each interval holds the truth, and how far each
 * estimate is off (`--worlds`, `--rows`). First the savings of followed advice, also on recorded outcomes
 * (`--data`, `--only followed`); then policy values, and what exploring costs and gains.
 */
import { parseArgs } from "node:util"
import { type Coverage, coverage } from "../../test/simulation/coverage.ts"
import { argmin, epsilonSoftmax, type LogOptions } from "../../test/simulation/world.ts"
import { table } from "./harness/figures.ts"
import { followedTable } from "./harness/followed.ts"

const { values } = parseArgs({
  options: {
    worlds: { type: "string", default: "200" },
    rows: { type: "string", default: "2000" },
    data: { type: "string", default: "../shared/data/outcomes" },
    only: { type: "string" }
  }
})
const worlds = Number(values.worlds)
const rows = Number(values.rows)

console.log(`The savings of followed advice, ${worlds} ledgers each`)
console.log(followedTable(worlds, values.data))
if (values.only === "followed") process.exit()

const logs: Readonly<Record<string, LogOptions>> = {
  "epsilon-softmax, epsilon 0.03 (the service's own)": { rows, logging: epsilonSoftmax(0.03) },
  "epsilon-softmax, epsilon 0.2": { rows, logging: epsilonSoftmax(0.2) },
  "epsilon 0.03, callers override 10 to 60 % by cluster": {
    rows,
    logging: epsilonSoftmax(0.03),
    override: (cluster) => 0.1 + cluster * 0.1
  },
  "argmin: nothing is ever explored": { rows, logging: argmin },
  "argmin, callers override 10 to 60 % by cluster": {
    rows,
    logging: argmin,
    override: (cluster) => 0.1 + cluster * 0.1
  }
}

const head = [
  "policy", "truth", "covered", "bias", "rmse", "rmse ips", "rmse direct", "width", "ess", "cost bias",
  "basis"
]
const line = (of: Coverage): ReadonlyArray<string> => [
  of.policy,
  of.truth.toFixed(3),
  of.policy === "regret" ? "" : `${(100 * of.covered).toFixed(1)} %`,
  of.bias.toFixed(4),
  of.error.toFixed(4),
  of.basis === "" ? "" : of.errorOfIps.toFixed(4),
  of.basis === "" ? "" : of.errorOfDirect.toFixed(4),
  of.policy === "regret" ? "" : of.width.toFixed(3),
  of.basis === "" ? "" : of.effectiveSampleSize.toFixed(0),
  of.basis === "" ? "" : `${(100 * of.costBias).toFixed(1)} %`,
  of.basis
]

for (const [name, options] of Object.entries(logs)) {
  const began = performance.now()
  const lines = coverage(worlds, options).map(line)
  console.log(`\n${name}: ${worlds} worlds of ${rows} rows, ${Math.round(performance.now() - began)} ms`)
  console.log(table(head, lines))
}

/*
 * Tasks have a difficulty that the dear models' predictions do not see: a log without exploration then shows
 * the dear models on hard tasks only. What is paid for exploring, and what it buys for a policy that would
 * pick them more often.
 */
const judged = "slider-10"
const priced = [0, 0.01, 0.03, 0.1, 0.3].map((epsilon) => {
  const logging = epsilon === 0 ? argmin : epsilonSoftmax(epsilon)
  const all = coverage(worlds / 2, { rows: 2 * rows, logging, hiddenDifficulty: 2 })
  return { epsilon, of: (policy: string) => all.find((each) => each.policy === policy)! }
})
const [base] = priced
console.log(`\nExploring: ${worlds / 2} worlds of ${2 * rows} rows, hidden difficulty; ${judged} is judged`)
console.log(table(
  ["epsilon", "success", "change", "USD/call", "change", "bias", "rmse", "covered", "width", "ess", "basis"],
  priced.map(({ epsilon, of }) => {
    const paid = of("deployed")
    const bought = of(judged)
    return [
      epsilon.toString(),
      paid.truth.toFixed(4),
      (paid.truth - base!.of("deployed").truth).toFixed(4),
      paid.costUsd.toFixed(4),
      `${(100 * (paid.costUsd / base!.of("deployed").costUsd - 1)).toFixed(1)} %`,
      bought.bias.toFixed(4),
      bought.error.toFixed(4),
      `${(100 * bought.covered).toFixed(1)} %`,
      bought.width.toFixed(3),
      bought.effectiveSampleSize.toFixed(0),
      bought.basis
    ]
  })
))
