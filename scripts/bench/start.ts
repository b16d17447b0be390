/**
 * Measures how long a start takes and what the processes hold then: wall time and CPU to the ready line, and
 * memory (PSS, so that what processes share counts once) of the service and of its database, for an empty data
 * directory and for an existing one. Beside it, the CPU of the command line that prints its help. Linux only.
 *
 *     bench:start [--rounds 5] [--at DIRECTORY]…
 *
 * `--at` measures other checkouts beside this one, each with its own `node_modules`.
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { machine, median, table } from "./harness/figures.ts"

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, at: { type: "string", multiple: true, default: [] } }
})
const rounds = Number(options.rounds)
/** Clock ticks of /proc in a second, on every Linux that Node runs on. */
const ticks = 100

/** What follows a command's name in /proc/PID/stat: state, parent, … */
const statOf = (pid: number): ReadonlyArray<string> =>
  readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").map(Number).filter((child) => child > 0))

const familyOf = (pid: number): ReadonlyArray<number> => [pid, ...childrenOf(pid).flatMap(familyOf)]

/** CPU of a process, of its threads, and of children that have ended, s. */
const cpuOf = (pid: number): number =>
  statOf(pid).slice(11, 15).reduce((sum, text) => sum + Number(text), 0) / ticks

const pssOf = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, each) => all + each, 0)

interface Start {
  readonly wallS: number
  readonly cpuS: number
  readonly serviceMb: number
  readonly databaseMb: number
}

/** Starts the service of a checkout as `npm start` does, and stops it when it has said that it is ready. */
const measure = (checkout: string, directory: string): Promise<Start> =>
  new Promise((done, failed) => {
    const { scripts } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as
      { readonly scripts: Readonly<Record<string, string>> }
    const words = (scripts["start"] ?? "").replace(/^exec node /, "").split(" ")
    const beganMs = performance.now()
    const child = spawn(join(checkout, "node_modules/.bin/node"), words, {
      cwd: checkout,
      env: { PATH: process.env["PATH"], PORT: "0", SEXTANT_CATALOG_REFRESH: "off", SEXTANT_DATA_DIR: directory },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let said = ""
    let start: Start | null = null
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk
      const pid = child.pid
      if (start !== null || pid === undefined || !/^Sextant is ready/m.test(said)) return
      const [service = pid, ...database] = familyOf(pid)
      start = {
        wallS: (performance.now() - beganMs) / 1_000,
        cpuS: sum([service, ...database].map(cpuOf)),
        serviceMb: pssOf(service),
        databaseMb: sum(database.map(pssOf))
      }
      child.kill("SIGTERM")
    })
    child.once("close", (code) => start === null ? failed(new Error(`It ended with ${code}: ${said}`)) : done(start))
  })

/** CPU of `sextant --help` of a checkout, s; the program says it itself as it ends. */
const helpCpu = (checkout: string, directory: string): number => {
  const preload = join(directory, "cpu.mjs")
  writeFileSync(preload, "process.on('exit', () => { const { user, system } = process.cpuUsage();"
    + " process.stderr.write(`\\n${(user + system) / 1e6}`) })")
  const { status, stderr } = spawnSync(
    join(checkout, "node_modules/.bin/node"), ["--import", preload, "src/cli/launch.ts", "--help"],
    { cwd: checkout, encoding: "utf8" }
  )
  if (status !== 0) throw new Error(`--help ended with ${status}: ${stderr}`)
  return Number(stderr.split("\n").at(-1))
}

const shown = (starts: ReadonlyArray<Start>): ReadonlyArray<string> => [
  median(starts.map(({ wallS }) => wallS)).toFixed(2),
  median(starts.map(({ cpuS }) => cpuS)).toFixed(2),
  median(starts.map(({ serviceMb }) => serviceMb)).toFixed(0),
  median(starts.map(({ databaseMb }) => databaseMb)).toFixed(0),
  median(starts.map(({ databaseMb, serviceMb }) => databaseMb + serviceMb)).toFixed(0)
]

const rows: Array<ReadonlyArray<string>> = []
for (const checkout of [resolve(import.meta.dirname, "../.."), ...options.at.map((path) => resolve(path))]) {
  const [empty, existing]: [Array<Start>, Array<Start>] = [[], []]
  const help: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const directory = mkdtempSync(join(tmpdir(), "sextant-start-"))
    try {
      empty.push(await measure(checkout, join(directory, "data")))
      existing.push(await measure(checkout, join(directory, "data")))
      help.push(helpCpu(checkout, directory))
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
  rows.push([checkout, "empty", ...shown(empty)], ["", "existing", ...shown(existing)])
  rows.push(["", "help", "", median(help).toFixed(2)])
}
console.log(`${machine()}; medians of ${rounds}\n`)
console.log(table(
  ["checkout", "directory", "ready s", "CPU s", "service MB", "database MB", "all MB"], rows
))
