/**
 * Measures what each report costs over a ledger of 250,000 decisions of one account, over HTTP and never twice
 * for the same window, and what recommendations cost meanwhile. The processor time of the service and of PostgreSQL
 * is the mean per report: it says more than the clock on a busy machine. The goal is 400 ms each.
 *
 *     bench:reports [--embedded] [--rows 250000] [--rounds 7] [--seconds 10]
 *
 * PostgreSQL is the one of DATABASE_URL or a throwaway cluster; `--embedded` takes the embedded database.
 */
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { layerEmbedded } from "../../src/postgres/embedded/EmbeddedDatabase.ts"
import * as Database from "../../src/sql/Database.ts"
import { setup } from "../../test/support/globalSetup.ts"
import { recommendations } from "./harness/asks.ts"
import { machine, median, quantile, table } from "./harness/figures.ts"
import { accountId, key } from "./harness/history.ts"
import { fillLedger } from "./harness/ledger.ts"
import { beside, besideEmbedded, type Postgres } from "./harness/postgres.ts"
import { allAnswered, put, type Server, service, stop } from "./harness/processes.ts"
import { processorMsOfFamily, processorMsOfService } from "./harness/processor.ts"

const { values: options } = parseArgs({
  options: {
    embedded: { type: "boolean", default: false },
    rows: { type: "string", default: "250000" },
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "10" },
    profile: { type: "string" }
  }
})
const rows = Number(options.rows)
const connections = 4

const reports = [
  "savings", "savings?group_by=cluster", "savings?group_by=lane", "calibration", "policy-value", "dashboard"
]

let asks = 0
/** One report that no cache knows: a window that is some seconds longer than any before. */
const ask = async ({ port }: Server, report: string): Promise<number> => {
  asks += 1
  const url = `http://127.0.0.1:${port}/v1/${report}${report.includes("?") ? "&" : "?"}days=${90 + asks / 10_000}`
  const beganMs = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text}`)
  return performance.now() - beganMs
}

/** Processor milliseconds so far. */
const spent = ({ pid }: Server, postgres: Postgres) => {
  const postmaster = postgres.postmaster()
  return {
    server: processorMsOfService(pid) ?? 0,
    postgres: postmaster === null ? 0 : processorMsOfFamily(postmaster) ?? 0
  }
}

const measureReports = async (served: Server, postgres: Postgres) => {
  const rounds = Number(options.rounds)
  const measured = reports.map((report) => ({ report, ms: [] as Array<number>, server: 0, postgres: 0 }))
  for (const report of reports) await ask(served, report)
  for (let round = 0; round < rounds; round++) {
    for (const each of measured) {
      const before = spent(served, postgres)
      each.ms.push(await ask(served, each.report))
      const after = spent(served, postgres)
      each.server += after.server - before.server
      each.postgres += after.postgres - before.postgres
    }
  }
  const cells = measured.map(({ ms, postgres, report, server }) => [
    `GET /v1/${report}`, quantile(ms, 0).toFixed(0), median(ms).toFixed(0), Math.max(...ms).toFixed(0),
    (server / rounds).toFixed(0), (postgres / rounds).toFixed(0)
  ])
  console.log(table(["", "least ms", "p50 ms", "max ms", "server CPU ms", "PostgreSQL CPU ms"], cells))
}

const traffic = { kind: "given", asks: recommendations("bench") } as const
const load = async ({ port }: Server, seconds: number) => {
  const loaded = await put({
    ports: [port], key, connections, traffic, pace: { kind: "closed", seconds, requestsMax: null }
  })
  return allAnswered(loaded).latenciesMs.recommend
}

const measureRecommends = async (served: Server) => {
  const seconds = Number(options.seconds)
  await load(served, seconds)
  const alone = await load(served, seconds)
  let isOver = false
  let made = 0
  const loop = async () => {
    for (; !isOver; made++) await ask(served, reports[made % reports.length] ?? "savings")
  }
  const looping = loop()
  const beside = await load(served, seconds)
  isOver = true
  await looping
  const cells = [["alone", alone, ""] as const, ["beside reports", beside, `${made}`] as const].map(
    ([name, latenciesMs, reportsMade]) => [
      name, (latenciesMs.length / seconds).toFixed(0), median(latenciesMs).toFixed(1),
      quantile(latenciesMs, 0.99).toFixed(1), quantile(latenciesMs, 1).toFixed(0), reportsMade
    ])
  console.log(`\n${connections} connections that ask for recommendations, ${seconds} s\n`)
  console.log(table(["", "requests/s", "p50 ms", "p99 ms", "max ms", "reports"], cells))
}

const run = async (directory: string, url: string | undefined) => {
  if (!options.embedded && url === undefined) throw new Error("No PostgreSQL here; try --embedded")
  const database = url === undefined
    ? layerEmbedded(directory)
    : Database.layerPostgres(Redacted.make(url))
  const beganMs = performance.now()
  await Effect.runPromise(Effect.provide(fillLedger(accountId, rows), database))
  console.log(`${machine()}\n${options.embedded ? "embedded" : "PostgreSQL"}, ${rows} decisions, written in `
    + `${((performance.now() - beganMs) / 1_000).toFixed(0)} s; ${options.rounds} rounds\n`)
  const served = await service({
    PORT: "0",
    SEXTANT_CATALOG_REFRESH: "off",
    SEXTANT_BOOTSTRAP_KEYS: key,
    SEXTANT_DATA_DIR: directory,
    ...(url === undefined ? {} : { DATABASE_URL: url })
  }, options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`])
  const postgres = url === undefined ? besideEmbedded(directory) : await beside(url)
  await measureReports(served, postgres).then(() => measureRecommends(served)).finally(async () => {
    await postgres.close()
    await stop(served)
  })
}

const directory = mkdtempSync(join(tmpdir(), "sextant-bench-"))
const close = options.embedded ? () => {} : await setup()
const url = options.embedded ? undefined : process.env["SEXTANT_TEST_DATABASE_URL"]
await run(directory, url).finally(async () => {
  await close()
  rmSync(directory, { recursive: true, force: true })
})
