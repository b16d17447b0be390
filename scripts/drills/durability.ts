/*
 * Drill: kills the service, its embedded PostgreSQL, or both under load, and prints what was kept:
 * `npm run drill:durability -- --rounds 200 [--kinds service,postgresql,both] [--seed 13] [--clients 4]
 * [--per-round 5] [--pause-ms 300] [--directory DIR]`. It keeps a directory that you give.
 */
import { Effect } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { durabilityDrill, type Kind, kinds, type Round } from "../../test/process/durability.ts"
import { temporaryDirectory } from "../../test/support/Databases.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "30" },
    kinds: { type: "string", default: kinds.join() },
    seed: { type: "string", default: "13" },
    clients: { type: "string", default: "4" },
    "per-round": { type: "string", default: "5" },
    "pause-ms": { type: "string", default: "300" },
    directory: { type: "string" }
  }
})

const isKind = (name: string): name is Kind => kinds.some((kind) => kind === name)

const chosen = values.kinds.split(",").filter(isKind)
if (chosen.length === 0) throw new Error(`--kinds takes some of ${kinds.join()}`)

const rounds = Number(values.rounds)
const planned = Array.from({ length: rounds }, (_, n) => chosen[n % chosen.length] ?? "both")

const sorted = (of: ReadonlyArray<number>) => [...of].sort((a, b) => a - b)
const at = (of: ReadonlyArray<number>, share: number) =>
  sorted(of)[Math.min(of.length - 1, Math.floor(of.length * share))] ?? NaN

const beganMs = performance.now()
let count = 0
const tell = ({ acknowledged, kind, recoveredMs }: Round) => {
  if (++count % 10 !== 0 && count !== rounds) return
  const elapsed = Math.round((performance.now() - beganMs) / 1000)
  console.error(`${count} of ${rounds} kills, ${elapsed} s: ${acknowledged} outcomes acknowledged; the last was of `
    + `${kind}, and ${recoveredMs} ms`)
}

const directory = values.directory === undefined
  ? temporaryDirectory
  : Effect.sync(() => mkdtempSync(join(values.directory ?? tmpdir(), "drill-")))

const drill = await Effect.runPromise(Effect.scoped(Effect.flatMap(directory, (path) =>
  durabilityDrill(path, {
    kinds: planned,
    clients: Number(values.clients),
    perRound: Number(values["per-round"]),
    pauseMs: Number(values["pause-ms"]),
    seed: Number(values.seed),
    onRound: tell
  }))))

const { counted, crashes, heard, kept, warnedKept } = drill
const disagreement = Math.max(
  Math.abs(counted.observations - counted.decisions),
  Math.abs(counted.records - counted.decisions),
  Math.abs(counted.lanes - counted.recalled)
)
console.log([
  `## ${rounds} kills (SIGKILL) under load, over one data directory, seed ${values.seed}`,
  "",
  `${values.clients} clients ask and report; ${Math.round((performance.now() - beganMs) / 1000)} s in all.`,
  "",
  "| killed | times | until an outcome is acknowledged again: median, ms | longest, ms |",
  "|---|---|---|---|",
  ...chosen.map((kind) => {
    const times = drill.rounds.filter((round) => round.kind === kind).map(({ recoveredMs }) => recoveredMs)
    return `| ${kind} | ${times.length} | ${at(times, 0.5)} | ${at(times, 1)} |`
  }),
  "",
  "| what | count |",
  "|---|---|",
  `| outcomes acknowledged | ${heard.acknowledged.size} |`,
  `| of these lost, or answered differently when sent again | ${kept.lost.length} |`,
  `| recommendations acknowledged as written down | ${heard.recommended.size} |`,
  `| of these without a row | ${kept.forgotten.length} |`,
  `| recommendations that warned that they were not written down yet | ${heard.unwritten} |`,
  `| of these with a row in the end | ${warnedKept} |`,
  `| outcomes counted twice or not at all | ${kept.twice} |`,
  `| largest disagreement of observations, records and lane numbers with the ledger | ${disagreement} |`,
  `| answers with 500 | ${crashes.length} |`,
  ...[...heard.statuses].sort().map(([kind, n]) => `| ${kind} | ${n} |`)
].join("\n"))

if (kept.lost.length + kept.forgotten.length + kept.twice + disagreement + crashes.length > 0) process.exitCode = 1
