/**
 * Measures the speed of the whole service with a lane of 10,000 outcomes. A bare Node server answers the same bytes
 * under the same load, in turns with the service. 32 connections, or one, ask again once they are answered.
 *
 *     bench:http [--only recommend,alone,feedback] [--processes 1] [--seconds 10] [--rounds 3]
 *
 * PostgreSQL is the one of DATABASE_URL or a throwaway cluster. With `--processes 2` the service is two processes on one
 * port.
 *
 * "of bare" is the service's rate as a share of the bare server's in the same rounds. "goal" is that share with one
 * process and with two, or another figure. Processor time is per request: of all Node processes of the service, of a
 * PostgreSQL on this machine with its children, and of the load generator.
 */
import { parseArgs } from "node:util"
import { fixed } from "./arena/table.ts"
import { type Ask, type Decision, feedback, recommendations } from "./harness/asks.ts"
import { machine, median, table } from "./harness/figures.ts"
import { bare, stop } from "./harness/processes.ts"
import { type Round, round, type Subject } from "./harness/round.ts"
import { namespace, withService } from "./harness/store.ts"

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "recommend,alone,feedback" },
    processes: { type: "string", default: "1" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" }
  }
})
const laneSize = 10_000
const seconds = Number(options.seconds)
const rounds = Number(options.rounds)

/**
 * The loads. Warm-up is a number of requests, not a time, because a slow machine must not measure code that is not
 * compiled yet.
 */
const loads = {
  recommend: { title: "POST /v1/recommend", kind: "recommend", connections: 32, warmUp: 12_000, goal: "0.10; 0.15" },
  alone: { title: "one caller alone", kind: "recommend", connections: 1, warmUp: 500, goal: "p50 2 ms" },
  feedback: { title: "POST /v1/feedback", kind: "feedback", connections: 32, warmUp: 500, goal: "1500/s" }
} as const
/** Most feedbacks per second that are made ready. A round that runs out of them ends sooner. */
const feedbacksPerSecondMax = 2_500
const preparingSeconds = 300

const put = (subject: Subject, asks: ReadonlyArray<Ask>, connections: number, lasts: number, requestsMax: number | null) =>
  round(subject, {
    connections, traffic: { kind: "given", asks }, pace: { kind: "closed", seconds: lasts, requestsMax }
  })

const head = [
  "", "requests/s", "p50 ms", "p99 ms", "server us", "PostgreSQL us", "generator us", "not 200", "degraded", "of bare",
  "goal"
]

const medianOf = (values: ReadonlyArray<number | null>): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : median(known)
}

const cells = (all: ReadonlyArray<Round>): ReadonlyArray<string> => {
  const of = (field: keyof Round) => medianOf(all.map((each) => each[field]))
  return [
    fixed(of("perSecond"), 0), fixed(of("p50Ms"), 1), fixed(of("p99Ms"), 1), fixed(of("serverUs"), 0),
    fixed(of("postgresUs"), 0), fixed(of("generatorUs"), 0)
  ]
}

/** Decisions that wait for their one report. */
const unreported: Array<Decision> = []

const asksOf = async (ours: Subject, kind: "recommend" | "feedback", count: number): Promise<ReadonlyArray<Ask>> => {
  if (kind === "recommend") return recommendations(namespace)
  const missing = count - unreported.length
  if (missing > 0) {
    const { loaded } = await put(ours, recommendations(namespace), 32, preparingSeconds, missing)
    unreported.push(...loaded.decisions)
  }
  return unreported.splice(0, count).map(feedback)
}

/** Rounds of the service and of a bare server in turns. */
const rowsOf = async (ours: Subject, { connections, goal, kind, title, warmUp }: typeof loads[keyof typeof loads]) => {
  const warm = warmUp * Number(options.processes)
  const { loaded: warmed } = await put(ours, await asksOf(ours, kind, warm), connections, preparingSeconds, warm)
  const answer = warmed.answers[kind]
  if (answer === undefined) throw new Error(`${title} was never answered with 200: ${warmed.complaint}`)
  const plain = await bare(answer)
  const theirs: Subject = { server: plain, postmaster: null }
  const mine: Array<Round> = []
  const bares: Array<Round> = []
  let degraded = 0
  try {
    for (let i = 0; i < rounds; i++) {
      const most = kind === "feedback" ? seconds * feedbacksPerSecondMax : null
      const asks = await asksOf(ours, kind, most ?? 0)
      const { figures, loaded } = await put(ours, asks, connections, seconds, most)
      if (loaded.complaint !== "") console.error(`${title}: ${loaded.complaint}`)
      mine.push(figures)
      degraded += loaded.degraded
      bares.push((await put(theirs, asks, connections, seconds, null)).figures)
    }
  } finally {
    await stop(plain)
  }
  const share = median(mine.map((each) => each.perSecond)) / median(bares.map((each) => each.perSecond))
  const refused = mine.reduce((sum, { answers, served }) => sum + answers - served, 0)
  return [
    [title, ...cells(mine), String(refused), String(degraded), share.toFixed(3), goal],
    ["  bare node:http", ...cells(bares), "", "", "", ""]
  ]
}

await withService(laneSize, { environment: { SEXTANT_PROCESSES: options.processes } }, async (server, { postmaster }) => {
  console.log(`${machine()}\nPostgreSQL, ${options.processes} service process(es), lane of ${laneSize} outcomes`)
  console.log(`\nAs fast as they are answered, median of ${rounds} rounds of ${seconds} s\n`)
  const rows: Array<ReadonlyArray<string>> = []
  for (const [name, load] of Object.entries(loads)) {
    if (options.only.split(",").includes(name)) rows.push(...await rowsOf({ server, postmaster }, load))
  }
  console.log(table(head, rows))
})
