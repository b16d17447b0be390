/**
 * Measures what a greedy account costs a small one. The small account asks at a fixed rate, alone and while the greedy
 * one asks. Each request's latency counts from when it was due. The probes are timed meanwhile. Goals: an account at
 * ten times its rate at most doubles the small account's p99. Connections that never wait leave its p99, and every
 * probe, at 100 ms at most.
 *
 *     bench:fairness [--rate 10] [--seconds 20] [--only alone,greedy,steps]
 *
 * PostgreSQL is the one of DATABASE_URL or a throwaway cluster. The small account has a lane of 10,000 outcomes, the
 * greedy one none. The greedy account first asks at ten times the small one's rate. Then 128 connections ask again once
 * they are answered, for recommendations and then for workflows of 100 steps. `--only` names some.
 */
import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import { recommendations, workflow } from "./harness/asks.ts"
import { machine, median, quantile, table } from "./harness/figures.ts"
import { key } from "./harness/history.ts"
import type { Load } from "./harness/load.ts"
import { type Probed, probing } from "./harness/probes.ts"
import { put, type Server } from "./harness/processes.ts"
import { namespace, withService } from "./harness/store.ts"
import type { Loaded } from "./harness/tally.ts"

const { values: options } = parseArgs({
  options: {
    rate: { type: "string", default: "10" },
    seconds: { type: "string", default: "20" },
    only: { type: "string", default: "alone,tenfold,greedy,steps" }
  }
})
const rate = Number(options.rate)
const seconds = Number(options.seconds)
const laneSize = 10_000
const times = 10
const greedyConnections = 128
/** More than are ever asked: the load ends by time. */
const requestsMax = 1e9
const patienceMs = 10_000
const largeKey = `sxt_large_k1_${"l".repeat(32)}`

const traffic = { kind: "given", asks: recommendations(namespace) } as const
const stepsMax = 100
const workflows: Load["traffic"] = {
  kind: "given", asks: Array.from({ length: 10 }, (_, index) => workflow(namespace, index * stepsMax, stepsMax))
}

const small = ({ port }: Server): Promise<Loaded> =>
  put({
    port, key, connections: 64, traffic,
    pace: { kind: "open", perSecond: rate, seconds, seed: 1, patienceMs }
  })

const large = (
  { port }: Server,
  connections: number,
  pace: Load["pace"],
  asked: Load["traffic"] = traffic
): Promise<Loaded> => put({ port, key: largeKey, connections, traffic: asked, pace })

interface Measured {
  readonly mine: Loaded
  readonly theirs: Loaded | null
  readonly probed: Probed
}

const cells = (name: string, { mine, probed, theirs }: Measured): ReadonlyArray<string> => {
  const { latenciesMs: { recommend }, statuses } = mine
  const others = theirs === null
    ? ""
    : `${((theirs.latenciesMs.recommend.length + theirs.latenciesMs.workflow.length) / theirs.seconds).toFixed(1)}/s`
      + ` answered, ${JSON.stringify(theirs.statuses)}`
  return [
    name, median(recommend).toFixed(1), quantile(recommend, 0.95).toFixed(1), quantile(recommend, 0.99).toFixed(1), quantile(recommend, 1).toFixed(0),
    JSON.stringify(statuses), quantile(probed.latenciesMs, 0.99).toFixed(1), quantile(probed.latenciesMs, 1).toFixed(0),
    String(probed.others), others
  ]
}

const measured = async (served: Server, other: () => Promise<Loaded> | null): Promise<Measured> => {
  const theirs = other()
  const both = Promise.all([small(served), theirs])
  const [[mine, loaded], probed] = await Promise.all([both, probing(served.port, both)])
  return { mine, theirs: loaded, probed }
}

const measure = async (served: Server) => {
  const warm: Load["pace"] = { kind: "closed", seconds: 60, requestsMax: 2_000 }
  await large(served, 32, warm)
  await put({ port: served.port, key, connections: 32, traffic, pace: warm })
  const loadBefore = loadavg()
  const never: Load["pace"] = { kind: "closed", seconds, requestsMax }
  const greedily = (asked?: Load["traffic"]) => () => large(served, greedyConnections, never, asked)
  const cases = {
    alone: ["alone", () => null],
    tenfold: [`beside ${times} times its rate`, () =>
      large(served, 64, { kind: "open", perSecond: rate * times, seconds, seed: 2, patienceMs })],
    greedy: [`beside ${greedyConnections} greedy connections`, greedily()],
    steps: [`beside as many with ${stepsMax} steps each`, greedily(workflows)]
  } as const
  const rows: Array<ReadonlyArray<string>> = []
  for (const [id, [name, other]] of Object.entries(cases)) {
    if (options.only.split(",").includes(id)) rows.push(cells(name, await measured(served, other)))
  }
  const averages = (values: ReadonlyArray<number>) => values.map((value) => value.toFixed(1)).join(" ")
  console.log(`${machine()}\nPostgreSQL, a small account at ${rate} recommendations/s for ${seconds} s; load`
    + ` averages of the machine ${averages(loadBefore)} before and ${averages(loadavg())} after\n`)
  console.log(table([
    "the small account", "p50 ms", "p95 ms", "p99 ms", "max ms", "answers", "probes p99 ms", "max ms", "not 200",
    "the large one"
  ], rows))
}

await withService(laneSize, { environment: { SEXTANT_BOOTSTRAP_KEYS: `${key},${largeKey}` } }, measure)
