/*
 * Drill: kills the service of one of two cells, its PostgreSQL, the balancer, or that PostgreSQL for good with a failover
 * to its replica, and prints what was kept and what the other cell's account noticed:
 * `npm run drill:cells -- --rounds 20 [--kinds service,postgresql,balancer,failover] [--clients 4]`. A failover is the last
 * round. It needs HAProxy and PostgreSQL's programs.
 */
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { cellKillDrill, type CellRound, cellTargets } from "../../test/cluster/cellKills.ts"
import { table } from "../bench/harness/figures.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    kinds: { type: "string", default: cellTargets.join() },
    clients: { type: "string", default: "4" }
  }
})

const kinds = values.kinds.split(",")
const chosen = cellTargets.filter((target) => kinds.includes(target) && target !== "failover")
const last = kinds.includes("failover") ? ["failover" as const] : []
const targets = [
  ...Array.from({ length: Number(values.rounds) - last.length }, (_, round) => chosen[round % chosen.length]!), ...last
]
const { other, own, rounds } = await Effect.runPromise(Effect.scoped(
  cellKillDrill(targets, Number(values.clients), ({ recoveredMs, target }) =>
    console.error(`${target}: an outcome was acknowledged again after ${recoveredMs} ms`))
))

const rowOf = (target: string, hits: ReadonlyArray<CellRound>) => {
  const times = hits.map(({ recoveredMs }) => recoveredMs).toSorted((a, b) => a - b)
  const sum = (of: (hit: CellRound) => number) => hits.reduce((total, hit) => total + of(hit), 0)
  return [
    target, hits.length, times[times.length >> 1] ?? NaN, times.at(-1) ?? NaN, sum((hit) => hit.others),
    sum((hit) => hit.othersFailed)
  ].map(String)
}
console.log(table(
  ["killed", "times", "median ms until an outcome is acknowledged again", "longest", "requests of the other cell", "failed"],
  cellTargets.map((target) => rowOf(target, rounds.filter((round) => round.target === target)))
))
console.log()
console.log(table(["what", "the hit cell", "the other"], [
  ["outcomes acknowledged", own.heard.acknowledged.size, other.heard.acknowledged.size],
  ["of these lost, or answered differently when sent again", own.kept.lost.length, other.kept.lost.length],
  ["recommendations without a row", own.kept.forgotten.length, other.kept.forgotten.length],
  ["open recommendations that took no report in the end", own.kept.closed.length, other.kept.closed.length],
  ["outcomes counted twice or not at all", own.kept.twice, other.kept.twice]
].map((row) => row.map(String))))
const isKept = [own, other].every(({ kept: { closed, forgotten, lost, twice } }) =>
  lost.length + forgotten.length + closed.length + twice === 0)
const isUnnoticed = rounds.every(({ othersFailed, target }) => target === "balancer" || othersFailed === 0)
if (!isKept || !isUnnoticed) process.exitCode = 1
