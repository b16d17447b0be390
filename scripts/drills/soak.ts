/**
 * Drill: half an hour of mixed load at a steady rate, and what it does to the process: memory, event loop, handles.
 *
 *     soak [--minutes 30] [--rate 100] [--embedded] [--no-reads] [--out FILE]
 *
 * The load is open: requests come as Poisson arrivals at `--rate`, and latencies count from when each was
 * due. A lane grows with every outcome up to its cap of 20,000; beyond it, between the cap and 5 % above, the
 * outcomes of least weight are dropped. The lane has 20,000 outcomes before the load begins and then gets far
 * more than the 5 %, so that this growth is not taken for a leak; its memory moves within 1 MB. The ledger
 * keeps growing, and so does what reports read of it; `--no-reads` leaves reports out.
 *
 * Memory and delay count from the sixth minute on (after a quarter of a shorter run). Every 10 s
 * `bench/harness/inside.ts` takes a sample in the process; a full collection once a minute (at every sample of a run
 * under 10 minutes). `--out` keeps all samples and a summary as JSON lines. It exits with 1 if
 * anything but a refusal (429, 503) failed, or if the ledger does not hold exactly the acknowledged feedback. It
 * may hold some refused feedback, because 503 is also the answer when the ledger took too long.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { machine } from "../bench/harness/figures.ts"
import { accountId } from "../bench/harness/history.ts"
import type { Inside } from "../bench/harness/inside.ts"
import type { Postgres } from "../bench/harness/postgres.ts"
import { type Server, service, stop } from "../bench/harness/processes.ts"
import { round } from "../bench/harness/round.ts"
import { type Beside, faultsOf, type Kept, type Soaked, soakReport } from "../bench/harness/soakReport.ts"
import { namespace, openStore, type Store } from "../bench/harness/store.ts"

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "100" },
    embedded: { type: "boolean", default: false },
    "no-reads": { type: "boolean", default: false },
    out: { type: "string" }
  }
})
const minutes = Number(options.minutes)
const perSecond = Number(options.rate)
const seconds = minutes * 60
const settlingSeconds = Math.min(300, seconds / 4)
const sampleSeconds = 10
const collectEvery = minutes < 10 ? 1 : 6
const seed = 7

/** Counts connections until it is stopped. */
const watch = (postgres: Postgres): () => ReadonlyArray<Beside> => {
  const besides: Array<Beside> = []
  const look = async () => {
    const connections = await postgres.clients()
    if (connections !== null) besides.push({ kind: "beside", connections, atMs: Date.now() })
  }
  const timer = setInterval(() => void look().catch(console.error), sampleSeconds * 1_000)
  void look().catch(console.error)
  return () => {
    clearInterval(timer)
    return besides
  }
}

const load = async (served: Server, store: Store) => {
  const ended = watch(store.postgres)
  // One sample of the service at rest before the load, and one after.
  await sleep((sampleSeconds + 1) * 1_000)
  const beganAtMs = Date.now()
  const { loaded } = await round({ servers: [served], postgres: store.postgres }, {
    connections: 128,
    traffic: { kind: "mix", namespace, seed, reads: !options["no-reads"] },
    pace: { kind: "open", perSecond, seconds, seed, patienceMs: 10_000 }
  })
  const endedAtMs = Date.now()
  await sleep((sampleSeconds + 1) * 1_000)
  return { besides: ended(), loaded, beganAtMs, endedAtMs, settledAtMs: beganAtMs + settlingSeconds * 1_000 }
}

const keptSince = (atMs: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<Kept>`select count(*)::int4 as decisions, count(feedback_at)::int4 as feedbacks
      from decision where account_id = ${accountId} and created_at >= ${new Date(atMs)}`
    return row ?? { decisions: 0, feedbacks: 0 }
  }).pipe(withAccount(accountId))

const samplesIn = (file: string): ReadonlyArray<Inside> =>
  existsSync(file)
    ? readFileSync(file, "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
    : []

const run = async (store: Store, file: string): Promise<Soaked> => {
  const served = await service({
    ...store.environment,
    BENCH_INSIDE: file,
    BENCH_INSIDE_SECONDS: String(sampleSeconds),
    BENCH_INSIDE_COLLECT: String(collectEvery),
    BENCH_INSIDE_SETTLED: String(settlingSeconds + sampleSeconds)
  }, ["--import", "./scripts/bench/harness/inside.ts"])
  const { beganAtMs, ...soaked } = await load(served, store).finally(() => stop(served))
  // The embedded database can be opened once the service has left it.
  const kept = await Effect.runPromise(Effect.provide(keptSince(beganAtMs), store.database))
  return { ...soaked, perSecond, seconds, kept, insides: samplesIn(file) }
}

const keep = (file: string, { besides, insides, loaded, ...rest }: Soaked) => {
  writeFileSync(file, "")
  for (const sample of [...insides, ...besides].toSorted((one, other) => one.atMs - other.atMs)) {
    appendFileSync(file, `${JSON.stringify(sample)}\n`)
  }
  const { answers: _, decisions: __, latenciesMs: ___, ...counts } = loaded
  appendFileSync(file, `${JSON.stringify({ kind: "summary", ...rest, loaded: counts })}\n`)
}

const directory = mkdtempSync(join(tmpdir(), "sextant-soak-"))
const store = await openStore(options.embedded, memorySettings.laneObservationsMax)
try {
  const database = options.embedded ? "embedded" : "PostgreSQL"
  console.log(`${machine()}\n${database}, ${minutes} minutes at ${perSecond}/s, lane of `
    + `${memorySettings.laneObservationsMax} outcomes, from its cap on\n`)
  const soaked = await run(store, join(directory, "inside.jsonl"))
  if (options.out !== undefined) keep(options.out, soaked)
  console.log(soakReport(soaked))
  if (faultsOf(soaked).length > 0) process.exitCode = 1
} finally {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
}
