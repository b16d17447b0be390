/*
 * Drill of two builds on one PostgreSQL of its own: `npm run cluster -- --older <revision>` replaces an older build by
 * this one under load, and back; prints tables.
 */
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { replaceBuilds } from "../../test/cluster/versions.ts"
import { scopedCluster } from "../../test/support/PostgresCluster.ts"
import { checkedOut, migrationsIn, thisBuild } from "./cluster/older.ts"

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "8" },
    "per-round": { type: "string", default: "25" },
    older: { type: "string" }
  }
})

const versionTable = (revision: string) =>
  Effect.scoped(Effect.gen(function*() {
    const older = yield* checkedOut(revision)
    const { again, heard, kept, phases } = yield* replaceBuilds(yield* scopedCluster(), {
      olderDirectory: older.directory, clients: Number(values.clients), perPhase: Number(values["per-round"])
    })
    const refused = phases.reduce((total, phase) => total + phase.refused, 0)
    console.log([
      `## ${older.name} (${older.migrations} files of migrations) replaced by this build (${migrationsIn(thisBuild)}), and back`,
      "",
      older.hasOwnPackages
        ? "Its lock file is another: it ran on packages of its own, by `npm ci`."
        : "Its lock file is the same: both ran on the same packages.",
      `${values.clients} clients ask and report through the round-robin proxy all the while.`,
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
      `| open recommendations that took no report in the end | ${kept.closed.length} |`,
      `| outcomes counted twice or not at all | ${kept.twice} |`,
      `| recommendations answered with \`memory_unavailable\` | ${heard.warned.size} |`,
      `| requests sent to another copy, since the first took no connection | ${again} |`,
      ...[...heard.statuses].sort().map(([kind, n]) => `| ${kind} | ${n} |`)
    ].join("\n"))
    if (refused + kept.lost.length + kept.forgotten.length + kept.closed.length + kept.twice > 0) process.exitCode = 1
  }))

if (values.older === undefined) {
  console.error("Say which build is replaced: npm run cluster -- --older <revision>")
  process.exitCode = 1
} else await Effect.runPromise(versionTable(values.older))
