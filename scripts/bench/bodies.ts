/**
 * Measures what a body of a megabyte costs beyond the same request with small texts: processor time and memory of the
 * service, for every text, array and object of every request, derived from the schemas. The goal is at most
 * 60 ms of processor time and 64 MB.
 *
 *     bench:bodies [--only feedback] [--what "long text"] [--repeats 3] [--memory]
 *
 * Each figure is the least of `--repeats` runs. Memory is the highest rise of the process's resident set (Linux).
 * With `--memory` the requests go to the memory's own server.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { Api } from "../../src/api/Api.ts"
import { MemoryApi } from "../../src/api/memory/MemoryApi.ts"
import { type Case, casesOf } from "./harness/cases.ts"
import { machine, table } from "./harness/figures.ts"
import { key } from "./harness/history.ts"
import { memoryService, type Server, service, stop } from "./harness/processes.ts"
import { processorMs } from "./harness/processor.ts"
import { openStore } from "./harness/store.ts"

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    what: { type: "string", default: "" },
    repeats: { type: "string", default: "3" },
    memory: { type: "boolean", default: false }
  }
})
const repeats = Number(options.repeats)
const processorMsMax = 60
const memoryMbMax = 64
/** Kernel time is counted in hundredths of a second: so many requests are counted together. */
const together = 3

const post = async ({ port }: Server, path: string, text: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: text
  })
  return { status: response.status, text: await response.text() }
}

/** A line of /proc/pid/status, in MB. */
const residentMb = (pid: number, name: "VmHWM" | "VmRSS"): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

interface Cost {
  readonly status: number
  readonly processorMs: number
  readonly memoryMb: number
}

/** A feedback is about a decision of its own, so that all of it is done. */
const bodyOf = async (served: Server, path: string, body: unknown): Promise<string> => {
  if (path !== "/v1/feedback" || typeof body !== "object" || body === null) return JSON.stringify(body)
  const { text } = await post(served, "/v1/recommend", JSON.stringify({ task: { task: "x" } }))
  const { recommendation_id: id, recommended_model: model } = JSON.parse(text)
  return JSON.stringify({
    ...body,
    ...("recommendation_id" in body && String(body.recommendation_id).length < 10 ? { recommendation_id: id } : {}),
    ...("chosen_model_id" in body && body.chosen_model_id === "x" ? { chosen_model_id: model.model_id } : {})
  })
}

const costOf = async (served: Server, path: string, body: unknown): Promise<Cost> => {
  const texts = await Promise.all(Array.from({ length: together }, () => bodyOf(served, path, body)))
  // The highest resident set counts from here on.
  writeFileSync(`/proc/${served.pid}/clear_refs`, "5")
  const before = { mb: residentMb(served.pid, "VmRSS"), ms: processorMs(served.pid) ?? NaN }
  let status = 0
  for (const text of texts) status = (await post(served, path, text)).status
  return {
    status,
    processorMs: ((processorMs(served.pid) ?? NaN) - before.ms) / together,
    memoryMb: residentMb(served.pid, "VmHWM") - before.mb
  }
}

const least = async (served: Server, path: string, body: unknown): Promise<Cost> => {
  const costs: Array<Cost> = []
  for (let i = 0; i < repeats; i++) costs.push(await costOf(served, path, body))
  return {
    status: costs[0]?.status ?? 0,
    processorMs: Math.min(...costs.map((cost) => cost.processorMs)),
    memoryMb: Math.min(...costs.map((cost) => cost.memoryMb))
  }
}

const measured = async (served: Server, { body, field, path, small, what }: Case) => {
  const plain = await least(served, path, small)
  const large = await least(served, path, body)
  const extraMs = large.processorMs - (body === small ? 0 : plain.processorMs)
  const extraMb = large.memoryMb - Math.max(0, plain.memoryMb)
  const isOver = extraMs > processorMsMax || extraMb > memoryMbMax
  return [
    `${path} ${field}`, what, String(plain.status), String(large.status), plain.processorMs.toFixed(0),
    extraMs.toFixed(0), extraMb.toFixed(0), isOver ? "OVER" : ""
  ]
}

const store = await openStore(false, 100)
try {
  const begin = options.memory ? memoryService : service
  const served = await begin(store.environment, [])
  const rows: Array<ReadonlyArray<string>> = []
  const cases = casesOf(options.memory ? MemoryApi : Api)
    .filter(({ path, what }) => path.includes(options.only) && what.includes(options.what))
  for (const { path, small } of cases) await costOf(served, path, small)
  for (const each of cases) rows.push(await measured(served, each))
  await stop(served)
  console.log(`${machine()}; least of ${repeats} repeats, processor time of ${together} requests each\n`)
  console.log(table(
    ["field", "what is sent", "small", "large", "small ms", "ms more", "MB more", ""],
    rows
  ))
  const over = rows.filter((row) => row.at(-1) !== "").length
  console.log(`\n${rows.length} bodies; ${over} over ${processorMsMax} ms or ${memoryMbMax} MB`)
} finally {
  await store.close()
}
