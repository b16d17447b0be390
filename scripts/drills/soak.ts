/**
 * Drill: puts a mixed load on the service at a steady rate, prints its memory and open files, and checks that the ledger
 * keeps everything.
 *
 *     soak [--minutes 30] [--rate 100]
 *
 * The load is open: requests come as Poisson arrivals at `--rate`, and latencies count from when each was due. The lane
 * has 20,000 outcomes before the load begins, its cap, so that its growth is not taken for a leak. Memory and open
 * files are those of the process, read every 10 s, and shown in sixths of the time. It exits with 1 if anything but a
 * refusal (429, 503) failed, or if the ledger does not hold exactly the acknowledged feedback. It may hold some refused
 * feedback, because 503 is also the answer when the ledger took too long.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { fixed } from "../bench/arena/table.ts"
import { kinds } from "../bench/harness/asks.ts"
import { machine, quantile, quantiles, table } from "../bench/harness/figures.ts"
import { accountId } from "../bench/harness/history.ts"
import { stop } from "../bench/harness/processes.ts"
import { round } from "../bench/harness/round.ts"
import { namespace, withService } from "../bench/harness/store.ts"
import type { Loaded } from "../bench/harness/tally.ts"

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "100" }
  }
})
const minutes = Number(options.minutes)
const perSecond = Number(options.rate)
const sampleMs = 10_000
const seed = 7

interface Sample {
  readonly residentMb: number
  readonly files: number
}

/** Memory and open files of a process now; null if the system does not say. */
const sampleOf = (pid: number): Sample | null => {
  if (process.platform !== "linux") return null
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return { residentMb: Number(kilobytes) / 1_024, files: readdirSync(`/proc/${pid}/fd`).length }
}

/** The parts of a run in their order, six of them. */
const sixths = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: 6 }, (_, i) => all.slice(Math.floor(i * all.length / 6), Math.floor((i + 1) * all.length / 6)))

/** Rows of the ledger that were written since the load began. */
interface Kept {
  readonly decisions: number
  readonly feedbacks: number
}

const keptSince = (atMs: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<Kept>`select count(*)::int4 as decisions, count(feedback_at)::int4 as feedbacks
      from decision_figures where account_id = ${accountId} and created_at >= ${new Date(atMs)}`
    return row ?? { decisions: 0, feedbacks: 0 }
  }).pipe(withAccount(accountId))

/** The broken promises; slowness is none. */
const faultsOf = ({ accepted, complaint, statuses, unanswered, unsure, written }: Loaded, kept: Kept) => {
  const failures = Object.entries(statuses).filter(([status]) => !["200", "429", "503"].includes(status))
  const isKept = accepted <= kept.feedbacks && kept.feedbacks <= accepted + unsure
  return [
    ...failures.map(([status, count]) => `${count} answers with ${status}: ${complaint}`),
    ...(unanswered > 0 ? [`${unanswered} requests without an answer`] : []),
    ...(isKept ? [] : [`${accepted} feedbacks acknowledged, ${kept.feedbacks} in the ledger`]),
    ...(written > kept.decisions ? [`${written} decisions said to be written, ${kept.decisions} in the ledger`] : [])
  ]
}

const report = (loaded: Loaded, samples: ReadonlyArray<Sample>, kept: Kept): string => {
  const { accepted, decided, degraded, latenciesMs, seconds, statuses, unanswered, unsure } = loaded
  const refused = (statuses[429] ?? 0) + (statuses[503] ?? 0)
  const recommended = sixths(latenciesMs.recommend)
  const parts = sixths(samples).map((own, i) => {
    const of = (field: keyof Sample) => fixed(quantile(own.map((each) => each[field]), 1), 0)
    const [p50 = 0, p99 = 0] = quantiles(recommended[i] ?? [], [0.5, 0.99])
    return [String(i + 1), of("residentMb"), of("files"), fixed(p50, 1), fixed(p99, 1)]
  })
  const rows = kinds.map((kind) =>
    [kind, String(latenciesMs[kind].length), ...quantiles(latenciesMs[kind], [0.5, 0.99, 1]).map((ms) => fixed(ms, 1))])
  return [
    table(["sixth", "most resident MB", "most files", "recommend p50 ms", "p99 ms"], parts),
    table(["", "answers", "p50 ms", "p99 ms", "max ms"], rows),
    `${perSecond}/s offered, ${((statuses[200] ?? 0) / seconds).toFixed(1)}/s answered with 200, `
    + `refused ${refused}, unanswered ${unanswered}, degraded ${degraded}\n`
    + `decisions: ${decided} answered, ${kept.decisions} in the ledger; `
    + `feedback: ${accepted} acknowledged, ${unsure} refused, ${kept.feedbacks} in the ledger`
  ].join("\n\n")
}

await withService(memorySettings.laneObservationsMax, {}, async (served, { database, postmaster }) => {
  console.log(`${machine()}\nPostgreSQL, ${minutes} minutes at ${perSecond}/s, lane of ${
    memorySettings.laneObservationsMax} outcomes, from its cap on\n`)
  const beganAtMs = Date.now()
  const samples: Array<Sample> = []
  const timer = setInterval(() => {
    const sample = sampleOf(served.pid)
    if (sample !== null) samples.push(sample)
  }, sampleMs)
  const { loaded } = await round({ server: served, postmaster }, {
    connections: 128,
    traffic: { kind: "mix", namespace, seed },
    pace: { kind: "open", perSecond, seconds: minutes * 60, seed, patienceMs: 10_000 }
  }).finally(() => clearInterval(timer))
  // What its buffer holds is written when it stops.
  await stop(served)
  const kept = await Effect.runPromise(Effect.provide(keptSince(beganAtMs), database))
  const faults = faultsOf(loaded, kept)
  console.log([report(loaded, samples, kept), ...faults.length === 0 ? ["No failure, nothing lost"] : faults].join("\n"))
  if (faults.length > 0) process.exitCode = 1
})
