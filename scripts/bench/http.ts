/**
 * Speed of the whole service with a lane of 10,000 outcomes, beside a bare Node server that answers the same
 * bytes under the same load, in turns. It first measures the highest rate: 32 connections, each of which asks
 * again once it is answered, and one caller alone.
 *
 *     bench:http [--only recommend,alone,feedback] [--embedded] [--processes 1] [--copies 1]
 *                [--seconds 10] [--rounds 3] [--profile DIRECTORY]
 *
 * PostgreSQL is the one of DATABASE_URL or a throwaway cluster; `--embedded` takes the embedded database. With
 * `--processes 2` the service is two processes on one port; with `--copies 2` two services on two ports share a
 * PostgreSQL and the connections.
 *
 * "of bare" is the service's rate as a share of the bare server's in the same rounds, and "goal" that share with one
 * process and with two, or another figure. Processor time is per request: that of all Node processes of the service,
 * of PostgreSQL with its children where it runs here, and of the load generator.
 */
import { parseArgs } from "node:util"
import { closedTable } from "./harness/closedRounds.ts"
import { machine } from "./harness/figures.ts"
import { type Server, service, stop } from "./harness/processes.ts"
import { openStore } from "./harness/store.ts"
import { isLoadName, loadKinds, makeLoads } from "./harness/subjects.ts"

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    embedded: { type: "boolean", default: false },
    processes: { type: "string", default: "1" },
    copies: { type: "string", default: "1" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    profile: { type: "string" }
  }
})
const laneSize = 10_000
const names = (options.only ?? Object.keys(loadKinds).join(",")).split(",").filter(isLoadName)
const seconds = Number(options.seconds)
const processes = Number(options.processes)
const copies = Number(options.copies)
if (names.length === 0) throw new Error(`--only takes some of ${Object.keys(loadKinds).join(", ")}`)

const store = await openStore(options.embedded, laneSize)
const servers: Array<Server> = []
try {
  const profiling = options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`]
  // One after another: the first brings the schema up to date.
  const environment = { ...store.environment, SEXTANT_PROCESSES: options.processes }
  for (let i = 0; i < copies; i++) servers.push(await service(environment, profiling))
  const ours = { servers, processes, postgres: store.postgres }
  const loads = makeLoads(ours)
  const database = options.embedded ? "embedded" : "PostgreSQL"
  const shape = `${processes} service process(es) on ${copies} port(s)`
  console.log(`${machine()}\n${database}, ${shape}, lane of ${laneSize} outcomes`)
  console.log(`\nAs fast as they are answered, median of ${options.rounds} rounds of ${seconds} s\n`)
  console.log(await closedTable(ours, loads, names, { seconds, rounds: Number(options.rounds) }))
} finally {
  for (const server of servers) await stop(server)
  await store.close()
}
