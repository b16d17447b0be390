/*
 * Drill: kills the service, its PostgreSQL, or both under load, and prints what was kept:
 * `npm run drill:durability -- --rounds 200 [--kinds service,postgresql,both] [--database own] [--copies 2]
 * [--processes 2] [--seed 13]`. A kind may also be
 * `outage`, with a database of its own, or `restart`. TMPDIR says on which disk all lies. It ends with 1
 * if anything was lost or counted twice.
 */
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { killDrill, type KillOptions, problemsOf, targets } from "../../test/cluster/kills.ts"
import type { Topology } from "../../test/cluster/topology.ts"
import { median, quantile, table } from "../bench/harness/figures.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "30" },
    kinds: { type: "string", default: "service,postgresql,both" },
    database: { type: "string", default: "embedded" },
    copies: { type: "string", default: "1" },
    processes: { type: "string", default: "1" },
    seed: { type: "string", default: "13" }
  }
})
const chosen = targets.filter((target) => values.kinds.split(",").includes(target))
if (chosen.length === 0) throw new Error(`--kinds takes some of ${targets.join()}`)
const rounds = Number(values.rounds)
const topology: Topology = {
  database: values.database === "own" ? "own" : "embedded",
  copies: Number(values.copies),
  processes: Number(values.processes)
}
const beganMs = performance.now()
const elapsedS = () => Math.round((performance.now() - beganMs) / 1000)
let count = 0
const options: KillOptions = {
  targets: Array.from({ length: rounds }, (_, n) => chosen[n % chosen.length]!),
  clients: 4,
  perRound: 5,
  pauseMs: 300,
  seed: Number(values.seed),
  onRound: ({ acknowledged, recoveredMs, target }) => {
    if (++count % 10 !== 0 && count !== rounds) return
    console.error(`${count} of ${rounds}, ${elapsedS()} s: ${acknowledged} outcomes acknowledged; the last was of `
      + `${target}, and ${recoveredMs} ms`)
  }
}
const drill = await Effect.runPromise(Effect.scoped(killDrill(topology, options)))
const { crashes, heard, kept, unwritten } = drill
const problems = problemsOf(topology, options, drill)
const figures: ReadonlyArray<readonly [string, number]> = [
  ["outcomes acknowledged", heard.acknowledged.size],
  ["of these lost, or answered differently when sent again", kept.lost.length],
  ["recommendations acknowledged as written down", heard.recommended.size],
  ["of these without a row", kept.forgotten.length],
  ["of these open ones that took no report in the end", kept.closed.length],
  ["recommendations that warned that they were not written down yet", heard.warned.size],
  ["of these without a row in the end", unwritten.length],
  ["outcomes counted twice or not at all", kept.twice],
  ["answers with 500", crashes.length],
  ...[...heard.statuses].toSorted()
]
console.log([
  `${rounds} kills under load, seed ${options.seed}: ${JSON.stringify(topology)}`,
  `${options.clients} clients ask and report; ${elapsedS()} s in all.`,
  "",
  table(["killed", "times", "median ms until an outcome is acknowledged again", "longest"], chosen.map((target) => {
    const times = drill.rounds.filter((round) => round.target === target).map(({ recoveredMs }) => recoveredMs)
    return [target, times.length, median(times), quantile(times, 1)].map(String)
  })),
  "",
  table(["what", "count"], figures.map((row) => row.map(String))),
  ...problems
].join("\n"))
if (problems.length > 0) process.exitCode = 1
