/**
 * What an account that asks for far more than the service can give costs the others: how long a small
 * account waits that comes at a rate of its own, alone and beside the large one, each counted from when it
 * was due. The guide's goal (S43): beside one at ten times its rate, the others' p99 grows by 20 % at most.
 *
 *     bench:fairness [--rate 10] [--seconds 20]
 *
 * PostgreSQL is the one of DATABASE_URL or a throwaway cluster. The small account has a lane of 10,000
 * outcomes, the large one none. It comes at ten times the small one's rate, then with 128 connections that
 * ask as soon as they are answered.
 */
import { parseArgs } from "node:util"
import { recommendations } from "./bench/asks.ts"
import { machine, median, quantile, table } from "./bench/figures.ts"
import { key } from "./bench/history.ts"
import type { Load } from "./bench/load.ts"
import { put, type Server, service, stop } from "./bench/processes.ts"
import { namespace, openStore } from "./bench/store.ts"
import type { Loaded } from "./bench/tally.ts"

const { values: options } = parseArgs({
  options: {
    rate: { type: "string", default: "10" },
    seconds: { type: "string", default: "20" }
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

const small = ({ port }: Server): Promise<Loaded> =>
  put({
    ports: [port], key, connections: 64, traffic,
    pace: { kind: "open", perSecond: rate, seconds, seed: 1, patienceMs }
  })

const large = ({ port }: Server, connections: number, pace: Load["pace"]): Promise<Loaded> =>
  put({ ports: [port], key: largeKey, connections, traffic, pace })

const cells = (name: string, { latenciesMs: { recommend }, statuses }: Loaded): ReadonlyArray<string> => [
  name, median(recommend).toFixed(1), quantile(recommend, 0.99).toFixed(1),
  quantile(recommend, 1).toFixed(0), JSON.stringify(statuses)
]

const beside = async (served: Server, connections: number, pace: Load["pace"]) => {
  const [mine, theirs] = await Promise.all([small(served), large(served, connections, pace)])
  const perSecond = theirs.latenciesMs.recommend.length / theirs.seconds
  return { mine, theirs: `${perSecond.toFixed(0)}/s answered, ${JSON.stringify(theirs.statuses)}` }
}

const measure = async (served: Server) => {
  const warm: Load["pace"] = { kind: "closed", seconds: 60, requestsMax: 2_000 }
  await large(served, 32, warm)
  await put({ ports: [served.port], key, connections: 32, traffic, pace: warm })
  const alone = await small(served)
  const tenfold = await beside(served, 64, {
    kind: "open", perSecond: rate * times, seconds, seed: 2, patienceMs
  })
  const greedy = await beside(served, greedyConnections, { kind: "closed", seconds, requestsMax })
  console.log(`${machine()}\nPostgreSQL, a small account at ${rate} recommendations/s for ${seconds} s\n`)
  console.log(table(["the small account", "p50 ms", "p99 ms", "max ms", "answers", "the large one"], [
    [...cells("alone", alone), ""],
    [...cells(`beside ${times} times its rate`, tenfold.mine), tenfold.theirs],
    [...cells(`beside ${greedyConnections} greedy connections`, greedy.mine), greedy.theirs]
  ]))
}

const store = await openStore(false, laneSize)
try {
  const served = await service({ ...store.environment, SEXTANT_BOOTSTRAP_KEYS: `${key},${largeKey}` }, [])
  await measure(served).finally(() => stop(served))
} finally {
  await store.close()
}
