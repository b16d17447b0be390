/**
 * Measures processor time of advice and of feedback, and that of a gateway which carries the call, in one run. It
 * counts all processes of each side with PostgreSQL's. It counts until no reflection is due and PostgreSQL rests, so
 * that work after the answers counts. Every prompt has a number of its own, and the tables are fresh: nothing is
 * analysed.
 *
 *     bench:peer [--lanes 300,10000] [--requests 5000] [--rounds 3]
 *
 * The gateway (Portkey's, from npm, in a folder of its own) and the provider behind it run on loopback. *Short* asks
 * with `detail: "short"` and three candidates. Feedback: a verdict of a gate at once; of other decisions the usage
 * first, and then their verdicts, of which a quarter are failures.
 */
import { ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { parseArgs } from "node:util"
import { fixed } from "./arena/table.ts"
import { type Ask, type Decision, numbered, usage, verdict } from "./harness/asks.ts"
import { machine, median, table } from "./harness/figures.ts"
import { startGateway } from "./harness/gateway.ts"
import { allAnswered, bare, stop } from "./harness/processes.ts"
import { perAnswerUs, round, spent, type Subject } from "./harness/round.ts"
import { namespace, withService } from "./harness/store.ts"

const { values: options } = parseArgs({
  options: {
    lanes: { type: "string", default: "300,10000" },
    requests: { type: "string", default: "5000" },
    rounds: { type: "string", default: "3" }
  }
})
const requests = Number(options.requests)
const rounds = Number(options.rounds)
const connections = 32
const secondsMax = 600
const short = { detail: "short", constraints: { candidate_models: ["gpt-5-nano", "gpt-5-mini", "gpt-5"] } }

// Every lane has a cluster of its own.
delete process.env["DATABASE_URL"]

let prompts = 0
/** Requests for a round, with texts that were never sent. */
const asksOf = (ask: (index: number) => Ask): ReadonlyArray<Ask> =>
  Array.from({ length: requests }, () => ask(prompts++))

const put = async (subject: Subject, asks: ReadonlyArray<Ask>) => {
  const { figures, loaded } = await round(subject, {
    connections, traffic: { kind: "given", asks },
    pace: { kind: "closed", seconds: secondsMax, requestsMax: asks.length }
  })
  return { figures, decisions: allAnswered(loaded).decisions, answer: loaded.answers.recommend ?? "" }
}

interface Figures {
  readonly serverUs: number
  readonly postgresUs: number
  readonly perSecond: number
  readonly p99Ms: number
}

/** Medians of the rounds of a load, after one that is not counted. */
const measured = async (subject: Subject, rest: () => Promise<void>, asks: () => Promise<ReadonlyArray<Ask>>) => {
  const all: Array<Figures> = []
  for (let i = 0; i <= rounds; i++) {
    const next = await asks()
    await rest()
    const before = spent(subject)
    const { figures } = await put(subject, next)
    await rest()
    const after = spent(subject)
    if (i === 0) continue
    const { answers, p99Ms, perSecond } = figures
    all.push({
      serverUs: perAnswerUs(before.server, after.server, answers) ?? 0,
      postgresUs: perAnswerUs(before.postgres, after.postgres, answers) ?? 0,
      perSecond, p99Ms
    })
  }
  const of = (field: keyof Figures) => median(all.map((each) => each[field]))
  return { serverUs: of("serverUs"), postgresUs: of("postgresUs"), perSecond: of("perSecond"), p99Ms: of("p99Ms") }
}

const none = async () => {}
const gateway = await startGateway()
const rows: Array<ReadonlyArray<string>> = []
let gatewayUs = 0
const note = (title: string, { p99Ms, perSecond, postgresUs, serverUs }: Figures, goal: string): void => {
  const allUs = serverUs + postgresUs
  rows.push([title, fixed(perSecond, 0), fixed(p99Ms, 1), fixed(serverUs, 0), fixed(postgresUs, 0),
    (allUs / gatewayUs).toFixed(2), goal])
}

try {
  const theirs: Subject = { server: gateway.server, postmaster: null }
  const figures = await measured(theirs, none, async () => asksOf(gateway.call))
  gatewayUs = figures.serverUs
  note("gateway, a call", figures, "")
} finally {
  await gateway.close()
}

/** PostgreSQL rests when it takes under 1 % of a core for so long, ms. */
const restMs = 3_000

const measureLane = (laneSize: number, goals: ReadonlyArray<string>) =>
  withService(laneSize, { isAnalysed: false }, async (server, { database, postmaster }) => {
    const runtime = ManagedRuntime.make(database)
    const ours: Subject = { server, postmaster }
    const rest = async () => {
      for (;;) {
        const before = spent(ours).postgres ?? 0
        await new Promise((resolve) => setTimeout(resolve, restMs))
        const [due] = await runtime.runPromise(SqlClient.SqlClient.use((sql) =>
          sql<{ readonly count: number }>`select count(*)::int4 as count from reflection where reflected_at is null`))
        if (due?.count === 0 && (spent(ours).postgres ?? 0) - before < restMs / 100) return
      }
    }
    const load = async (title: string, goal: string, asks: () => Promise<ReadonlyArray<Ask>>) => {
      note(`${title}, lane of ${laneSize}`, await measured(ours, rest, asks), goal)
    }
    const recommend = (index: number) => numbered(namespace, index)
    await load("recommend", goals[0] ?? "", async () => asksOf(recommend))
    await load("short, three candidates", goals[1] ?? "", async () =>
      asksOf((index) => numbered(namespace, index, short)))
    const decide = async (): Promise<ReadonlyArray<Decision>> => (await put(ours, asksOf(recommend))).decisions
    await load("feedback, a verdict", goals[2] ?? "", async () => (await decide()).map(verdict))
    const later: Array<ReadonlyArray<Decision>> = []
    await load("feedback, usage first", goals[2] ?? "", async () => {
      const used = await decide()
      later.push(used)
      return used.map(usage)
    })
    await load("feedback, its verdict later", goals[2] ?? "", async () => (later.shift() ?? []).map(verdict))
    const { answer } = await put(ours, asksOf(recommend))
    const plain = await bare(answer)
    note(`bare node:http, ${answer.length} bytes`,
      await measured({ server: plain, postmaster: null }, none, async () => asksOf(recommend)), "")
    await stop(plain)
    await runtime.dispose()
  })

const goalsOf = (laneSize: number) => laneSize <= 300 ? ["0.90", "0.50", "0.70"] : ["1.20", "0.50", "0.70"]
console.log(`${machine()}\nPostgreSQL, ${requests} requests a round, median of ${rounds} rounds\n`)
for (const laneSize of options.lanes.split(",").map(Number)) await measureLane(laneSize, goalsOf(laneSize))
console.log(table(
  ["", "requests/s", "p99 ms", "server us", "PostgreSQL us", "of the gateway", "goal"], rows
))
