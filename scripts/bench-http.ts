/**
 * Requests per second of the whole service with a lane of 10,000 outcomes at 32 connections, beside a bare
 * Node server that answers the same bytes under the same load, in turns.
 *
 *     bench:http [--embedded] [--seconds 10] [--rounds 3] [--profile DIRECTORY]
 *
 * PostgreSQL is the one of DATABASE_URL or a throwaway cluster; `--embedded` takes the embedded database.
 */
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as CatalogFile from "../src/catalog/CatalogFile.ts"
import { Settings } from "../src/engine/Settings.ts"
import * as EmbedderLexical from "../src/memory/EmbedderLexical.ts"
import * as MemorySql from "../src/memory/MemorySql.ts"
import { withAccount } from "../src/sql/AccountScope.ts"
import * as Database from "../src/sql/Database.ts"
import { setup } from "../test/support/globalSetup.ts"
import { machine, median, quantile, table } from "./bench/figures.ts"
import { caller, fill, key } from "./bench/history.ts"
import type { Loaded } from "./bench/load.ts"
import { bare, processorMs, put, type Server, service, stop } from "./bench/processes.ts"
import { asked } from "./bench/prompts.ts"

const { values: options } = parseArgs({
  options: {
    embedded: { type: "boolean", default: false },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    profile: { type: "string" }
  }
})
const connections = 32
const laneSize = 10_000
const pageSize = 500
/** By number, not by time: a slow machine must not measure code that is not yet compiled. */
const warmUpRequests = 2_000
const warmUpSecondsMax = 60
const namespace = "bench"

/** Through the Memory port, many outcomes to a transaction: the same rows as feedback writes, sooner. */
const fillLane = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (let from = 0; from < laneSize; from += pageSize) {
    yield* fill(namespace, from, from + pageSize).pipe(
      withAccount(caller.accountId),
      Effect.provideService(SqlClient.SqlClient, sql)
    )
  }
  yield* sql`analyze`
})

const filled = (database: typeof Database.layerMemory | ReturnType<typeof Database.layerEmbedded>) =>
  fillLane.pipe(Effect.provide(
    MemorySql.layer({ endpoint: "postgresql" }).pipe(
      Layer.provide(EmbedderLexical.layer),
      Layer.provideMerge(database),
      Layer.merge(CatalogFile.layerBundled.pipe(Layer.provide(NodeServices.layer))),
      Layer.merge(Settings.layer())
    )
  ))

const recommendations = asked.map((task) => JSON.stringify({ task: { task }, namespace }))

/** A feedback for every recommendation that was made, in mixed outcomes. */
const feedbacksOf = ({ beginnings }: Loaded): ReadonlyArray<string> =>
  beginnings.flatMap((beginning, i) => {
    const [, recommendation_id, chosen_model_id] =
      /"recommendation_id":"([^"]+)","recommended_model":\{"model_id":"([^"]+)"/.exec(beginning) ?? []
    if (recommendation_id === undefined) return []
    const outcome = i % 4 === 0 ? "failure" : "success"
    return JSON.stringify({
      recommendation_id, chosen_model_id, outcome, evidence_source: "gate",
      input_tokens: 400, output_tokens: 300 + i % 500, actual_cost_usd: 0.002, latency_ms: 900 + i % 700
    })
  })

const noLoad: Loaded = { requests: 0, seconds: 0, failures: 0, latenciesMs: [], beginnings: [], answer: "" }

/** As long as most answers to feedback. */
const feedbackAnswer = JSON.stringify({
  accepted: true, record_id: "0".repeat(36), reinforced_entry_ids: Array(4).fill("0".repeat(36)),
  updated_confidence: 0.5, reflection_triggered: false, lesson_promoted: false, step_outcomes_recorded: 0,
  warnings: []
})

interface Round {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly processorUs: number
}

interface Ask {
  readonly path: string
  readonly bodies: ReadonlyArray<string>
  readonly isOnce: boolean
  readonly seconds?: number
}

const round = async (server: Server, { seconds = Number(options.seconds), ...ask }: Ask) => {
  const before = processorMs(server) ?? 0
  const loaded = await put({ port: server.port, key, connections, seconds, ...ask })
  const used = (processorMs(server) ?? 0) - before
  const figures: Round = {
    perSecond: loaded.requests / loaded.seconds,
    p50Ms: median(loaded.latenciesMs),
    p99Ms: quantile(loaded.latenciesMs, 0.99),
    processorUs: used * 1_000 / loaded.requests
  }
  return { figures, loaded }
}

const cells = (rounds: ReadonlyArray<Round>): ReadonlyArray<string> => {
  const of = (field: keyof Round) => median(rounds.map((each) => each[field]))
  return [
    of("perSecond").toFixed(0), of("p50Ms").toFixed(1), of("p99Ms").toFixed(1), of("processorUs").toFixed(0)
  ]
}

/** Rounds of the service and of a bare server in turns; `last` is the service's last. */
const compare = async (name: string, served: Server, ask: (isOurs: boolean) => Ask, answer: string) => {
  const plain = await bare(answer)
  const ours: Array<Round> = []
  const theirs: Array<Round> = []
  let last: Loaded = noLoad
  for (let i = 0; i < Number(options.rounds); i++) {
    const { figures, loaded } = await round(served, ask(true))
    ours.push(figures)
    last = loaded
    theirs.push((await round(plain, ask(false))).figures)
  }
  await stop(plain)
  const ratio = median(theirs.map((each) => each.perSecond)) / median(ours.map((each) => each.perSecond))
  const rows = [
    [name, ...cells(ours), ""],
    ["bare node:http", ...cells(theirs), `${ratio.toFixed(1)}x`]
  ]
  return { rows, last }
}

const measure = async (served: Server) => {
  const recommend: Ask = { path: "/v1/recommend", bodies: recommendations, isOnce: false }
  const { loaded: warm } = await round(served, {
    ...recommend,
    bodies: Array.from({ length: warmUpRequests }, (_, i) => recommendations[i % recommendations.length] ?? ""),
    isOnce: true,
    seconds: warmUpSecondsMax
  })
  const asked = await compare("POST /v1/recommend", served, () => recommend, warm.answer)
  const left = [...feedbacksOf(asked.last)]
  const share = Math.floor(left.length / Number(options.rounds))
  const told = await compare("POST /v1/feedback", served, (isOnce) => {
    const bodies = isOnce ? left.splice(0, share) : ["{}"]
    return { path: "/v1/feedback", bodies, isOnce }
  }, feedbackAnswer)
  const head = ["", "requests/s", "p50 ms", "p99 ms", "server us/request", "ratio"]
  console.log(`${machine()}\n${connections} connections, ${options.embedded ? "embedded" : "PostgreSQL"}, `
    + `${laneSize} outcomes, median of ${options.rounds} rounds of ${options.seconds} s\n`)
  console.log(table(head, [...asked.rows, ...told.rows]))
}

const run = async (directory: string, url: string | undefined) => {
  if (!options.embedded && url === undefined) throw new Error("No PostgreSQL here; try --embedded")
  await Effect.runPromise(filled(
    url === undefined ? Database.layerEmbedded(directory) : Database.layerPostgres(Redacted.make(url))
  ))
  const profiling = options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`]
  const served = await service({
    PORT: "0",
    SEXTANT_CATALOG_REFRESH: "off",
    SEXTANT_BOOTSTRAP_KEYS: key,
    SEXTANT_DATA_DIR: directory,
    ...(url === undefined ? {} : { DATABASE_URL: url })
  }, profiling)
  await measure(served).finally(() => stop(served))
}

const directory = mkdtempSync(join(tmpdir(), "sextant-bench-"))
const close = options.embedded ? () => {} : await setup()
const url = options.embedded ? undefined : process.env["SEXTANT_TEST_DATABASE_URL"]
await run(directory, url).finally(async () => {
  await close()
  rmSync(directory, { recursive: true, force: true })
})
