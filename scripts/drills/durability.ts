/*
 * Drill: kills the service, its PostgreSQL, or both under load, and prints what was kept:
 * `npm run drill:durability -- --rounds 200 [--kinds service,postgresql,both] [--database own] [--copies 2]
 * [--processes 2] [--replica] [--seed 13] [--clients 4] [--per-round 5] [--pause-ms 300]`. A kind may also be
 * `outage` and `replica`, with a database of its own, or `restart`. TMPDIR says on which disk all lies.
 */
import { parseArgs } from "node:util"
import { killFlags, printKills, targetsIn } from "./kills.ts"

const { values } = parseArgs({
  options: {
    ...killFlags,
    kinds: { type: "string", default: "service,postgresql,both" },
    database: { type: "string", default: "embedded" },
    copies: { type: "string", default: "1" },
    processes: { type: "string", default: "1" },
    replica: { type: "boolean", default: false }
  }
})

await printKills({
  database: values.database === "own" ? "own" : "embedded",
  copies: Number(values.copies),
  processes: Number(values.processes),
  hasReplica: values.replica
}, targetsIn(values.kinds), values)
