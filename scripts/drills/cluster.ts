/*
 * Drill of several copies on one PostgreSQL of its own; prints tables.
 * `npm run cluster -- --rounds 20 --copies 2 --clients 8` kills that PostgreSQL under load, twenty times by
 * default, and shows how two copies behave as one service; `npm run cluster -- --older <revision>` replaces
 * an older build by this one under load, and back.
 */
import { Effect } from "effect"
import { killDatabase } from "../../test/cluster/killDatabase.ts"
import { replicas } from "../../test/cluster/replicas.ts"
import { replaceBuilds } from "../../test/cluster/versions.ts"
import { findBinaries, startCluster } from "../../test/support/PostgresCluster.ts"
import { checkedOut, migrationsIn, thisBuild } from "./cluster/older.ts"

/** Before the database had operators' tables: three migrations older, and without `/readyz`. */
const olderRevision = "14591d4"

const given = (name: string): string | null => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? null : process.argv[at + 1] ?? ""
}

const numberOf = (name: string, otherwise: number): number => Number(given(name) ?? otherwise)

const options = {
  rounds: numberOf("rounds", 20),
  copies: numberOf("copies", 2),
  clients: numberOf("clients", 8),
  perRound: numberOf("per-round", 25),
  outageMs: numberOf("outage-ms", 500)
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

const say = (lines: ReadonlyArray<string>) => Effect.sync(() => console.log(`${lines.join("\n")}\n`))

const cluster = Effect.gen(function*() {
  const binaries = findBinaries()
  if (binaries === null) return yield* Effect.fail(new Error("There is no PostgreSQL here"))
  return yield* Effect.acquireRelease(
    Effect.promise(() => startCluster(binaries, { settings: ["synchronous_commit=off"] })),
    ({ stop }) => Effect.promise(stop)
  )
})

const failed = Effect.sync(() => {
  process.exitCode = 1
})

const replicaTable = Effect.scoped(Effect.gen(function*() {
  const lines = yield* replicas(yield* cluster, options.clients)
  yield* say([
    "## Two copies on one PostgreSQL", "", "| what | result |", "|---|---|",
    ...lines.map(([what, result]) => `| ${what} | ${result} |`)
  ])
}))

const killTable = Effect.scoped(Effect.gen(function*() {
  const { crashes, heard, kept, rounds } = yield* killDatabase(yield* cluster, options)
  const recovered = rounds.map(({ recoveredMs }) => recoveredMs)
  yield* say([
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
  ])
  if (kept.lost.length + kept.forgotten.length + kept.twice > 0) yield* failed
}))

const versionTable = (revision: string) =>
  Effect.scoped(Effect.gen(function*() {
    const older = yield* checkedOut(revision)
    const { again, heard, kept, phases } = yield* replaceBuilds(yield* cluster, {
      olderDirectory: older.directory, clients: options.clients, perPhase: options.perRound
    })
    const refused = phases.reduce((total, phase) => total + phase.refused, 0)
    yield* say([
      `## ${older.name} (${older.migrations} migrations) replaced by this build (${migrationsIn(thisBuild)}), and back`,
      "",
      older.hasOwnPackages
        ? "Its lock file is another: it ran on packages of its own, by `npm ci`."
        : "Its lock file is the same: both ran on the same packages.",
      `${options.clients} clients ask and report through the round-robin proxy all the while.`,
      "",
      "| copies | migrations in the database | requests | not 200 | reports acknowledged |",
      "|---|---|---|---|---|",
      ...phases.map((phase) =>
        `| ${phase.name} | ${phase.migrations} | ${phase.requests} | ${phase.refused} | ${phase.acknowledged} |`),
      "",
      "| what | count |",
      "|---|---|",
      `| reports acknowledged | ${heard.acknowledged.size} |`,
      `| of these lost, or answered differently when sent again | ${kept.lost.length} |`,
      `| recommendations without a row | ${kept.forgotten.length} |`,
      `| outcomes counted twice or not at all | ${kept.twice} |`,
      `| recommendations answered with \`memory_unavailable\` | ${heard.unwritten} |`,
      `| requests sent to another copy, since the first took no connection | ${again} |`,
      ...[...heard.statuses].sort().map(([kind, n]) => `| ${kind} | ${n} |`)
    ])
    if (refused + kept.lost.length + kept.forgotten.length + kept.twice > 0) yield* failed
  }))

const older = given("older")
await Effect.runPromise(older === null
  ? Effect.andThen(replicaTable, killTable)
  : versionTable(older === "" || older.startsWith("--") ? olderRevision : older))
