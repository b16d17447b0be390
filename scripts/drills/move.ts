/*
 * Drill: moves an account between two cells under load, and prints what was kept and how long feedback was refused:
 * `npm run drill:move -- --moves 50 [--clients 8] [--kills 2] [--seed 13]`, where each command is killed that often
 * before it is run to its end. It needs HAProxy, and PostgreSQL's programs or DATABASE_URL.
 */
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { scopedCluster } from "../../test/support/PostgresCluster.ts"
import { table } from "../bench/harness/figures.ts"

const { values } = parseArgs({
  options: {
    moves: { type: "string", default: "50" },
    clients: { type: "string", default: "8" },
    kills: { type: "string", default: "0" },
    seed: { type: "string", default: "13" }
  }
})

const drill = Effect.gen(function*() {
  process.env["SEXTANT_TEST_DATABASE_URL"] ??= (yield* scopedCluster()).url
  // Which database there is, is read when this is loaded.
  const { moveDrill } = yield* Effect.promise(() => import("../../test/cluster/moves.ts"))
  return yield* moveDrill({
    moves: Number(values.moves), clients: Number(values.clients), kills: Number(values.kills), seed: Number(values.seed),
    onMove: (move, frozenMs) => console.error(`move ${move + 1}: feedback was refused for ${frozenMs} ms`)
  })
})

const { frozenMs, heard, kept, others } = await Effect.runPromise(Effect.scoped(drill))
const sorted = frozenMs.toSorted((a, b) => a - b)
const figures: ReadonlyArray<readonly [string, number]> = [
  ["outcomes acknowledged", heard.acknowledged.size],
  ["of these lost, or answered differently when sent again", kept.lost.length],
  ["recommendations without a row", kept.forgotten.length],
  ["open recommendations that took no report in the end", kept.closed.length],
  ["outcomes counted twice or not at all", kept.twice],
  ["recommendations answered with `memory_unavailable`", heard.warned.size],
  ["median freeze, ms", sorted[sorted.length >> 1] ?? NaN],
  ["longest freeze, ms", sorted.at(-1) ?? NaN],
  ...[...heard.statuses].toSorted(),
  ...[...others].toSorted().map(([kind, count]) => [`${kind}, of the account that stayed`, count] as const)
]
console.log(`${values.moves} moves under ${values.clients} clients, each killed ${values.kills} times before\n`)
console.log(table(["what", "count"], figures.map((row) => row.map(String))))
const isBad = ([kind]: readonly [string, number]) => !kind.endsWith(" 200") && kind !== "/v1/feedback 503"
if (kept.lost.length + kept.forgotten.length + kept.closed.length + kept.twice > 0
  || [...heard.statuses].some(isBad) || [...others.keys()].some((kind) => !kind.endsWith(" 200"))) {
  process.exitCode = 1
}
