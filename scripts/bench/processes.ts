import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import type { Load, Loaded } from "./load.ts"

const root = new URL("../..", import.meta.url).pathname

export interface Server {
  readonly port: number
  readonly child: ChildProcess
}

/** Starts a Node program that says its port on standard output. */
const serving = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  input: string,
  ready: RegExp
): Promise<Server> => {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...environment },
    stdio: ["pipe", "pipe", "inherit"]
  })
  child.stdin.end(input)
  let said = ""
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    said += chunk
    const port = Number(ready.exec(said)?.[1] ?? 0)
    if (port !== 0) return { port, child }
  }
  throw new Error(`${args.join(" ")} ended before it was ready: ${said}`)
}

/** The service itself; `nodeOptions` come before its program. */
export const service = (
  environment: Readonly<Record<string, string>>,
  nodeOptions: ReadonlyArray<string>
): Promise<Server> =>
  serving([...nodeOptions, "src/cli.ts", "serve"], environment, "", /^Sextant is ready at http:\S+:(\d+) /m)

/** A bare server that answers `answer` to everything. */
export const bare = (answer: string): Promise<Server> =>
  serving(["scripts/bench/bare.ts"], {}, answer, /^(\d+)$/m)

export const stop = async ({ child }: Server): Promise<void> => {
  if (child.exitCode !== null) return
  const closed = once(child, "exit")
  child.kill("SIGTERM")
  await closed
}

/** Runs one load in a process of its own. */
export const put = async (load: Load): Promise<Loaded> => {
  const child = spawn(process.execPath, ["scripts/bench/load.ts"], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"]
  })
  child.stdin.end(JSON.stringify(load))
  const loaded: Loaded = JSON.parse(await text(child.stdout))
  if (loaded.failures > 0) throw new Error(`${loaded.failures} answers were not 200: ${loaded.answer}`)
  return loaded
}

/** Processor milliseconds that the process has used so far; null where the system does not say. */
export const processorMs = ({ child }: Server): number | null => {
  if (process.platform !== "linux") return null
  // Fields 14 and 15, in hundredths of a second; the name before them may hold spaces.
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
