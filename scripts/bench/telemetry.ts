/**
 * Measures what telemetry costs: processor time of the service's process per recommendation, without telemetry and
 * with it under several samplings, in turns. Wall time would also measure the machine's other work. "us more" is the
 * median over the rounds of what a request took more than without telemetry in the same round; its goal at sampling
 * 0.1 is at most 60 us.
 *
 *     bench:telemetry [--requests 1000] [--rounds 5] [--warm-up 1500]
 *
 * PostgreSQL is the one of DATABASE_URL or a throwaway cluster. The collector accepts everything and keeps nothing.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { openServer } from "../../test/support/PostgresCluster.ts"
import { recommendations } from "./harness/asks.ts"
import { machine, median, table } from "./harness/figures.ts"
import { key } from "./harness/history.ts"
import { allAnswered, type Server, service, stop } from "./harness/processes.ts"
import { round } from "./harness/round.ts"

const { values: options } = parseArgs({
  options: {
    requests: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    "warm-up": { type: "string", default: "1500" }
  }
})
const requests = Number(options.requests)
const connections = 8
const warmUpRequests = Number(options["warm-up"])
const secondsMax = 120

const collector = async () => {
  let bytes = 0
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => bytes += chunk.length)
    request.once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()))
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("The collector has no port")
  return { url: `http://127.0.0.1:${address.port}`, bytes: () => bytes, close: () => server.close() }
}

const sampled = (share: number) => ({
  OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: String(share)
})

const traffic = { kind: "given", asks: recommendations("bench") } as const

/** Processor microseconds per request. */
const spentUs = async (server: Server, count: number): Promise<number> => {
  const { figures, loaded } = await round({ servers: [server], postgres: null }, {
    connections, traffic, pace: { kind: "closed", seconds: secondsMax, requestsMax: count }
  })
  allAnswered(loaded)
  if (figures.serverUs === null) throw new Error("This system does not say what a process has used")
  return figures.serverUs
}

const run = async (directory: string, url: string) => {
  const sink = await collector()
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_METRIC_EXPORT_INTERVAL: "15000" }
  const modes = [
    ["off", {}],
    ["metrics and logs alone", { ...on, OTEL_TRACES_EXPORTER: "none" }],
    ["sampling 0.1", { ...on, ...sampled(0.1) }],
    ["sampling 1", { ...on, ...sampled(1) }]
  ] as const
  const services: Array<Server> = []
  try {
    for (const [, environment] of modes) {
      services.push(await service({
        PORT: "0", SEXTANT_CATALOG_REFRESH: "off", SEXTANT_BOOTSTRAP_KEYS: key, SEXTANT_DATA_DIR: directory,
        SEXTANT_RECALL_TIMEOUT_MS: "10000", DATABASE_URL: url, ...environment
      }, []))
    }
    for (const each of services) await spentUs(each, warmUpRequests)
    const rounds: Array<Array<number>> = modes.map(() => [])
    const sentBytes: Array<number> = modes.map(() => 0)
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [i, each] of services.entries()) {
        const before = sink.bytes()
        const us = await spentUs(each, requests)
        console.error(`round ${round + 1}, ${modes[i]?.[0]}: ${us.toFixed(0)} us`)
        rounds[i]?.push(us)
        sentBytes[i] = (sentBytes[i] ?? 0) + sink.bytes() - before
      }
    }
    const base = median(rounds[0] ?? [])
    console.log(`${machine()}\nPOST /v1/recommend, ${connections} connections, PostgreSQL, `
      + `median of ${options.rounds} rounds of ${requests} requests each\n`)
    const head = ["telemetry", "us/request", "lowest", "highest", "us more", "of off", "KB sent/request"]
    console.log(table(head, modes.map(([name], i) => {
      const own = rounds[i] ?? []
      const more = own.map((us, round) => us - (rounds[0]?.[round] ?? 0))
      return [
        name, median(own).toFixed(0), Math.min(...own).toFixed(0), Math.max(...own).toFixed(0),
        median(more).toFixed(0), `${(median(own) / base).toFixed(2)}x`,
        ((sentBytes[i] ?? 0) / 1_024 / requests / Number(options.rounds)).toFixed(1)
      ]
    })))
  } finally {
    for (const each of services) await stop(each)
    sink.close()
  }
}

const directory = mkdtempSync(join(tmpdir(), "sextant-bench-"))
const postgres = await openServer()
if (postgres === null) throw new Error("No PostgreSQL here")
await run(directory, postgres.url).finally(async () => {
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
})
