/* Rounds of an open loop at several rates on the service and on a bare server in turns, as a table. */
import { arrivals } from "./arrivals.ts"
import { fixed } from "../arena/table.ts"
import { table } from "./figures.ts"
import type { OpenPace } from "./openLoop.ts"
import { bare, stop } from "./processes.ts"
import { round, type Subject } from "./round.ts"
import { loadKinds, type LoadName, type Loads } from "./subjects.ts"
import type { TrafficPlan } from "./traffic.ts"

/** Requests under way at once; what is due beyond them waits, and its waiting is counted. Chosen. */
export const openConnections = 128

/** How long after the last arrival answers are waited for, ms. Chosen. */
export const openPatienceMs = 10_000

const head = [
  "", "offered/s", "200/s", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "429", "503", "failed", "unanswered",
  "degraded", "server us", "PostgreSQL us", "late p99 ms"
]

/** The same arrivals for the service and the bare server. */
const seed = 20_261_122

const rowOf = async (title: string, subject: Subject, pace: OpenPace, traffic: TrafficPlan) => {
  const { figures, loaded } = await round(subject, { connections: openConnections, traffic, pace })
  const { degraded, lateMsP99, statuses, unanswered } = loaded
  const [busy, unavailable] = [statuses[429] ?? 0, statuses[503] ?? 0]
  const failed = figures.answers - figures.served - busy - unavailable
  if (failed > 0) console.error(`${title}: ${loaded.complaint}`)
  return [
    title, fixed((figures.answers + unanswered) / pace.seconds, 0), fixed(figures.perSecond, 0),
    ...[figures.p50Ms, figures.p90Ms, figures.p99Ms, figures.p999Ms].map((ms) => fixed(ms, 1)),
    ...[busy, unavailable, failed, unanswered, degraded].map(String),
    fixed(figures.serverUs, 0), fixed(figures.postgresUs, 0), fixed(lateMsP99, 1)
  ]
}

/**
 * A table of how long callers wait who come at a rate of their own, the service and a bare server in turns.
 */
export const openTable = async (
  ours: Subject,
  loads: Loads,
  names: ReadonlyArray<LoadName>,
  { rates, seconds }: { readonly rates: ReadonlyArray<number>; readonly seconds: number }
): Promise<string> => {
  const rows: Array<ReadonlyArray<string>> = []
  for (const name of names) {
    const plain = await bare(await loads.warmUp(name))
    try {
      for (const perSecond of rates) {
        const pace: OpenPace = { kind: "open", perSecond, seconds, seed, patienceMs: openPatienceMs }
        const due = arrivals(perSecond, seconds, seed).length
        const traffic = await loads.planOf(name, due, true)
        rows.push(await rowOf(loadKinds[name].title, ours, pace, traffic))
        const theirs: Subject = { servers: [plain], postgres: null }
        rows.push(await rowOf("  bare node:http", theirs, pace, await loads.planOf(name, due, false)))
      }
    } finally {
      await stop(plain)
    }
  }
  return table(head, rows)
}
