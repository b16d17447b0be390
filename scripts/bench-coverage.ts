/**
 * The policy-value report against simulated worlds whose truth is known: how often each interval holds it,
 * and how far each estimate is off. `--worlds`, `--rows`; then what exploring costs and buys.
 */
import { parseArgs } from "node:util"
import { type Coverage, coverage } from "../test/simulation/coverage.ts"
import { argmin, epsilonSoftmax, type LogOptions } from "../test/simulation/world.ts"
import { table } from "./bench/figures.ts"

const { values } = parseArgs({
  options: { worlds: { type: "string", default: "200" }, rows: { type: "string", default: "2000" } }
})
const worlds = Number(values.worlds)
const rows = Number(values.rows)

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
  "policy", "truth", "covered", "bias", "rmse", "rmse ips", "rmse direct", "width", "ess", "cost bias", "basis"
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
