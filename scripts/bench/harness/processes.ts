/* Starts and stops the processes of a benchmark: services, bare servers and load generators. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import type { Load } from "./load.ts"
import type { Loaded } from "./tally.ts"

const root = new URL("../../..", import.meta.url).pathname

export interface Server {
  readonly port: number
  readonly pid: number
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
    if (port !== 0) return { port, pid: child.pid ?? 0, child }
  }
  throw new Error(`${args.join(" ")} ended before it was ready: ${said}`)
}

/** The service itself, as `npm start` has it. */
export const service = (environment: Readonly<Record<string, string>>): Promise<Server> =>
  serving(["src/cli/main.ts", "serve"], environment, "", /^Sextant is ready at http:\S+:(\d+) /m)

/** A bare server that answers `answer` to everything. */
export const bare = (answer: string): Promise<Server> =>
  serving(["scripts/bench/harness/bare.ts"], {}, answer, /^(\d+)$/m)

export const stop = async ({ child }: Server): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, "exit")
  child.kill("SIGTERM")
  await closed
}

/** Runs one load in a process of its own. */
export const put = async (load: Load): Promise<Loaded> => {
  const child = spawn(process.execPath, ["scripts/bench/harness/load.ts"], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"]
  })
  child.stdin.end(JSON.stringify(load))
  return JSON.parse(await text(child.stdout))
}

/** Fails unless everything was answered with 200. */
export const allAnswered = (loaded: Loaded): Loaded => {
  const others = Object.entries(loaded.statuses).filter(([status]) => status !== "200")
  if (others.length === 0 && loaded.unanswered === 0) return loaded
  throw new Error(`Not everything was answered with 200: ${JSON.stringify(loaded.statuses)}, `
    + `${loaded.unanswered} not at all. ${loaded.complaint}`)
}
