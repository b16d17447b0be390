/**
 * Measures `sextant import` and `sextant backtest` as processes, on logs of the demo's made-up calls: rows a second,
 * wall and processor time, and the most memory that a process held.
 *
 *     bench:logs [--import 20000] [--backtest 50000,100000,1000000]
 *
 * An import works on an embedded database of its own, whose processor time is not in the figures. Processor time is the
 * figure to compare where other programs share the machine.
 */
import { spawn } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { aligned, fixed, numbersIn } from "./arena/table.ts"
import { machine } from "./harness/figures.ts"
import { demoLog } from "../demo/log.ts"

const { values: options } = parseArgs({
  options: {
    import: { type: "string", default: "20000" },
    backtest: { type: "string", default: "50000,100000,1000000" }
  }
})
const sizesOf = (text: string): ReadonlyArray<number> => text === "" ? [] : text.split(",").flatMap(numbersIn)

const dayMs = 86_400_000
/** Time that a log takes, ms, until yesterday: rows without a label are kept that long. */
const spanMs = 27 * dayMs
/** Rows that are written at once, count. */
const chunkRows = 5_000

/** Writes a log of so many rows: the demo's, again and again with other ids and words, in the order of time. */
const writeLog = (path: string, rows: number): void => {
  const demo = demoLog()
  const beginsMs = Date.now() - dayMs - spanMs
  const rowAt = (i: number): string => {
    const row = demo[i % demo.length]!
    const round = Math.floor(i / demo.length)
    const at = new Date(beginsMs + spanMs * i / rows).toISOString()
    return `${JSON.stringify({ ...row, id: `${row.id}-${round}`, at, prompt: `${row.prompt} (${round})` })}\n`
  }
  const file = openSync(path, "w")
  for (let from = 0; from < rows; from += chunkRows) {
    const count = Math.min(chunkRows, rows - from)
    writeSync(file, Array.from({ length: count }, (_, i) => rowAt(from + i)).join(""))
  }
  closeSync(file)
}

/** What a process took: seconds of the clock and of processors, and the most memory that it held, MB. */
interface Taken {
  readonly wallS: number
  readonly processorS: number
  readonly peakMb: number
}

/** A module that says at a process's end what it took. */
const usage = "data:text/javascript," + encodeURIComponent(
  "import { isMainThread } from 'node:worker_threads';"
  + "if (isMainThread) process.on('exit', () => console.error('usage ' + JSON.stringify(process.resourceUsage())))"
)

const run = (args: ReadonlyArray<string>, environment: Record<string, string>): Promise<Taken> => {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", usage, "src/cli/main.ts", ...args], {
      env: { ...process.env, ...environment }, stdio: ["ignore", "ignore", "pipe"]
    })
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => { said += text })
    child.on("error", reject)
    child.on("close", (code) => {
      const [, json] = /^usage (.*)$/m.exec(said) ?? []
      if (code !== 0 || json === undefined) return reject(new Error(`sextant ${args.join(" ")}: ${said}`))
      const { maxRSS, systemCPUTime, userCPUTime } = JSON.parse(json) as NodeJS.ResourceUsage
      resolve({
        wallS: (performance.now() - began) / 1e3, processorS: (userCPUTime + systemCPUTime) / 1e6, peakMb: maxRSS / 1e3
      })
    })
  })
}

const folder = mkdtempSync(join(tmpdir(), "sextant-bench-logs-"))
const log = join(folder, "log.jsonl")

const lineOf = (work: string, rows: number, { peakMb, processorS, wallS }: Taken): ReadonlyArray<string> => [
  work, String(rows), fixed(statSync(log).size / 1e6, 0), fixed(wallS, 1), fixed(processorS, 1),
  fixed(rows / wallS, 0), fixed(rows / processorS, 0), fixed(peakMb, 0)
]

const lines: Array<ReadonlyArray<string>> = [[
  "", "rows", "MB", "wall s", "processor s", "rows per s", "rows per processor s", "peak MB"
]]
try {
  for (const rows of sizesOf(options.import)) {
    writeLog(log, rows)
    const command = ["import", log, "--instance", "bench"]
    const data = { SEXTANT_DATA_DIR: join(folder, `data-${rows}`) }
    lines.push(lineOf("import, a look", rows, await run([...command, "--dry-run"], data)))
    lines.push(lineOf("import", rows, await run(command, data)))
    lines.push(lineOf("import again", rows, await run(command, data)))
  }
  for (const rows of sizesOf(options.backtest)) {
    writeLog(log, rows)
    lines.push(lineOf("backtest", rows, await run(["backtest", log, "--json", "-"], {})))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(machine())
console.log(aligned(lines))
