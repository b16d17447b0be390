/**
 * Measures which requests are refused when the service lacks processor time: it has a quarter of a core, and
 * more callers ask than that can answer. Feedback is refused last: none of it should be refused here.
 *
 *     bench:starved [--cores 0.25] [--seconds 30] [--connections 64]
 *
 * Three accounts ask with so many connections each, which never wait, for the mix of `bench/harness/traffic.ts`.
 * PostgreSQL is the one of DATABASE_URL or a throwaway cluster, and is not short of time.
 */
import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import { kinds } from "./harness/asks.ts"
import { machine, median, quantile, table } from "./harness/figures.ts"
import { key } from "./harness/history.ts"
import { put, service, stop } from "./harness/processes.ts"
import { starve } from "./harness/starve.ts"
import { namespace, openStore } from "./harness/store.ts"

const { values: options } = parseArgs({
  options: {
    cores: { type: "string", default: "0.25" },
    seconds: { type: "string", default: "30" },
    connections: { type: "string", default: "64" }
  }
})
const cores = Number(options.cores)
const seconds = Number(options.seconds)
const connections = Number(options.connections)
const laneSize = 1_000
const keys = [key, ...["one", "two"].map((name) => `sxt_${name}_k1_${"s".repeat(32)}`)]

const store = await openStore(false, laneSize)
try {
  const served = await service({ ...store.environment, SEXTANT_BOOTSTRAP_KEYS: keys.join() }, [])
  const warm = { kind: "closed", seconds: 30, requestsMax: 500 } as const
  const mix = (seed: number) => ({ kind: "mix", namespace, seed, reads: true }) as const
  for (const [seed, each] of keys.entries()) {
    await put({ ports: [served.port], key: each, connections: 8, traffic: mix(seed), pace: warm })
  }
  const starved = starve(served.pid, cores)
  const loaded = await Promise.all(keys.map((each, seed) =>
    put({
      ports: [served.port], key: each, connections, traffic: mix(seed + keys.length),
      pace: { kind: "closed", seconds, requestsMax: null }
    })))
  await stop(served)
  starved.end()
  console.log(`${machine()}, load averages ${loadavg().map((value) => value.toFixed(1)).join(" ")}\n`
    + `${cores} cores by ${starved.how}, ${keys.length} accounts with ${connections} connections for ${seconds} s\n`)
  console.log(table(["", "answered", "429", "503", "other", "p50 ms", "p99 ms"], kinds.map((kind) => {
    const count = (status: number) =>
      loaded.reduce((sum, { statusesByKind }) => sum + (statusesByKind[kind][status] ?? 0), 0)
    const all = loaded.reduce((sum, { statusesByKind }) =>
      sum + Object.values(statusesByKind[kind]).reduce((total, each) => total + each, 0), 0)
    const latencies = loaded.flatMap(({ latenciesMs }) => latenciesMs[kind])
    return [
      kind, String(count(200)), String(count(429)), String(count(503)),
      String(all - count(200) - count(429) - count(503)), median(latencies).toFixed(0),
      quantile(latencies, 0.99).toFixed(0)
    ]
  })))
} finally {
  await store.close()
}
