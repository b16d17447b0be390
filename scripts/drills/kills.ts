/* Runs the drill of kills, and prints what was kept; the process ends with 1 if anything was not. */
import { Effect } from "effect"
import { killDrill, type KillOptions, problemsOf, type Round, type Target, targets } from "../../test/cluster/kills.ts"
import type { Topology } from "../../test/cluster/topology.ts"
import { table } from "../bench/harness/figures.ts"

/** The options of the commands that kill, with their defaults. */
export const killFlags = {
  rounds: { type: "string", default: "30" },
  seed: { type: "string", default: "13" },
  clients: { type: "string", default: "4" },
  "per-round": { type: "string", default: "5" },
  "pause-ms": { type: "string", default: "300" }
} as const

type Flags = Readonly<Record<keyof typeof killFlags, string>>

/** The targets that a list names, in its order. */
export const targetsIn = (list: string): ReadonlyArray<Target> => {
  const chosen = targets.filter((target) => list.split(",").includes(target))
  if (chosen.length === 0) throw new Error(`--kinds takes some of ${targets.join()}`)
  return chosen
}

const timesOf = (rounds: ReadonlyArray<Round>, target: Target): ReadonlyArray<number> =>
  rounds.filter((round) => round.target === target).map(({ recoveredMs }) => recoveredMs).toSorted((a, b) => a - b)

/** Hits the targets in turns, as often as the flags say, and prints two tables. */
export const printKills = async (topology: Topology, chosen: ReadonlyArray<Target>, flags: Flags) => {
  const rounds = Number(flags.rounds)
  const beganMs = performance.now()
  const elapsedS = () => Math.round((performance.now() - beganMs) / 1000)
  let count = 0
  const options: KillOptions = {
    targets: Array.from({ length: rounds }, (_, n) => chosen[n % chosen.length]!),
    clients: Number(flags.clients),
    perRound: Number(flags["per-round"]),
    pauseMs: Number(flags["pause-ms"]),
    seed: Number(flags.seed),
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
      const times = timesOf(drill.rounds, target)
      return [target, times.length, times[times.length >> 1] ?? NaN, times.at(-1) ?? NaN].map(String)
    })),
    "",
    table(["what", "count"], figures.map((row) => row.map(String))),
    ...problems
  ].join("\n"))
  if (problems.length > 0) process.exitCode = 1
}
