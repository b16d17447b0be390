import { Effect } from "effect"
import { killDatabase } from "../test/cluster/killDatabase.ts"
import { findBinaries, startCluster } from "../test/support/PostgresCluster.ts"

/*
 * Kills a PostgreSQL of its own under the load of several copies, twenty times unless told otherwise, and prints
 * what became of it: `npm run cluster -- --rounds 20 --copies 2 --clients 8`.
 */
const numberOf = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}

const options = {
  rounds: numberOf("rounds", 20),
  copies: numberOf("copies", 2),
  clients: numberOf("clients", 8),
  perRound: numberOf("per-round", 25),
  outageMs: numberOf("outage-ms", 500)
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

const program = Effect.scoped(Effect.gen(function*() {
  const binaries = findBinaries()
  if (binaries === null) return yield* Effect.fail(new Error("There is no PostgreSQL here"))
  const cluster = yield* Effect.acquireRelease(
    Effect.promise(() => startCluster(binaries)),
    ({ stop }) => Effect.promise(stop)
  )
  const { crashes, heard, kept, rounds } = yield* killDatabase(cluster, options)
  const recovered = rounds.map(({ recoveredMs }) => recoveredMs)
  const lines = [
    `## PostgreSQL killed (SIGKILL to every process) ${rounds.length} times under load`,
    "",
    `${options.copies} copies behind the round-robin proxy, ${options.clients} clients that ask and report.`,
    "",
    "| round | acknowledged so far | database away, ms | until a report is acknowledged again, ms |",
    "|---|---|---|---|",
    ...rounds.map((round, i) => `| ${i + 1} | ${round.acknowledged} | ${round.downMs} | ${round.recoveredMs} |`),
    "",
    "| what | count |",
    "|---|---|",
    `| reports acknowledged | ${heard.acknowledged.size} |`,
    `| of these lost | ${kept.lost.length} |`,
    `| recommendations answered as written down | ${heard.recommended.size} |`,
    `| of these without a row | ${kept.forgotten.length} |`,
    `| outcomes counted twice or not at all | ${kept.twice} |`,
    `| recommendations answered with \`memory_unavailable\` | ${heard.unwritten} |`,
    `| answers with 500 | ${crashes.length} |`,
    ...[...heard.statuses].sort().map(([kind, n]) => `| ${kind} | ${n} |`),
    `| service again, median and longest, ms | ${median(recovered)}, ${Math.max(...recovered)} |`
  ]
  console.log(lines.join("\n"))
  if (kept.lost.length + kept.forgotten.length + kept.twice > 0) process.exitCode = 1
}))

await Effect.runPromise(program)
