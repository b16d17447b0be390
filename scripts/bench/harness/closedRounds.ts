/* Rounds of a closed loop on the service and on a bare server in turns, as a table. */
import { fixed } from "../arena/table.ts"
import { median, table } from "./figures.ts"
import { bare, stop } from "./processes.ts"
import { type Round, round, type Subject } from "./round.ts"
import { loadKinds, type LoadName, type Loads } from "./subjects.ts"

interface Rounds {
  readonly seconds: number
  readonly rounds: number
}

const head = [
  "", "requests/s", "p50 ms", "p99 ms", "server us", "PostgreSQL us", "generator us", "not 200", "degraded",
  "bare is", "of bare", "goal"
]

/** Most feedbacks per second that are made ready. A round that runs out of them ends sooner. */
const feedbacksPerSecondMax = 2_500

const medianOf = (values: ReadonlyArray<number | null>): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : median(known)
}

const cells = (rounds: ReadonlyArray<Round>): ReadonlyArray<string> => {
  const of = (field: keyof Round) => medianOf(rounds.map((each) => each[field]))
  return [
    fixed(of("perSecond"), 0), fixed(of("p50Ms"), 1), fixed(of("p99Ms"), 1), fixed(of("serverUs"), 0),
    fixed(of("postgresUs"), 0), fixed(of("generatorUs"), 0)
  ]
}

/** Rounds of the service and of a bare server in turns, each connection asking as soon as it is answered. */
const rowsOf = async (ours: Subject, loads: Loads, name: LoadName, { rounds, seconds }: Rounds) => {
  const { connections, goal, title } = loadKinds[name]
  const plain = await bare(await loads.warmUp(name))
  const theirs: Subject = { servers: [plain], postgres: null }
  const put = async (subject: Subject, isOurs: boolean) => {
    const most = seconds * feedbacksPerSecondMax
    const requestsMax = isOurs && name === "feedback" ? most : null
    const traffic = await loads.planOf(name, most, isOurs)
    return round(subject, { connections, traffic, pace: { kind: "closed", seconds, requestsMax } })
  }
  const mine: Array<Round> = []
  const bares: Array<Round> = []
  let degraded = 0
  try {
    for (let i = 0; i < rounds; i++) {
      const { figures, loaded } = await put(ours, true)
      if (loadKinds[name].kind === "recommend") loads.keep(loaded.decisions)
      if (loaded.complaint !== "") console.error(`${title}: ${loaded.complaint}`)
      mine.push(figures)
      degraded += loaded.degraded
      bares.push((await put(theirs, false)).figures)
    }
  } finally {
    await stop(plain)
  }
  const ratio = median(bares.map((each) => each.perSecond)) / median(mine.map((each) => each.perSecond))
  const refused = mine.reduce((sum, { answers, served }) => sum + answers - served, 0)
  return [
    [
      title, ...cells(mine), String(refused), String(degraded), `${ratio.toFixed(1)}x`, (1 / ratio).toFixed(3), goal
    ],
    ["  bare node:http", ...cells(bares)]
  ]
}

/** A table of the most that the service does of each kind. */
export const closedTable = async (
  ours: Subject,
  loads: Loads,
  names: ReadonlyArray<LoadName>,
  rounds: Rounds
): Promise<string> => {
  const rows: Array<ReadonlyArray<string>> = []
  for (const name of names) rows.push(...await rowsOf(ours, loads, name, rounds))
  return table(head, rows.map((row) => head.map((_, column) => row[column] ?? "")))
}
