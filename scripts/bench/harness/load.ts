/**
 * The load generator, a process of its own. Reads a {@link Load} on standard input and writes a {@link
 * Loaded} on standard output.
 */
import { text } from "node:stream/consumers"
import { type ClosedPace, closedLoop } from "./closedLoop.ts"
import { openLoop, type OpenPace } from "./openLoop.ts"
import { type Loaded, Tally } from "./tally.ts"
import { type TrafficPlan, trafficOf } from "./traffic.ts"

export interface Load {
  /** Of the servers that share the connections. */
  readonly ports: ReadonlyArray<number>
  readonly key: string
  readonly connections: number
  readonly traffic: TrafficPlan
  readonly pace: ClosedPace | OpenPace
}

const run = async (load: Load): Promise<Loaded> => {
  const { pace } = load
  const tally = new Tally()
  const traffic = trafficOf(load.traffic)
  const used = process.cpuUsage()
  const beganMs = performance.now()
  const { lateMsP99 } = pace.kind === "open"
    ? await openLoop({ ...load, pace }, traffic, tally)
    : await closedLoop({ ...load, pace }, traffic, tally).then(() => ({ lateMsP99: 0 }))
  const seconds = (performance.now() - beganMs) / 1_000
  const { system, user } = process.cpuUsage(used)
  return { ...tally, seconds, lateMsP99, processorMs: (system + user) / 1_000 }
}

const load: Load = JSON.parse(await text(process.stdin))
process.stdout.write(JSON.stringify(await run(load)))
