/* Runs a command that checks an answer, in Node, Bun or Deno. */
import { attempt } from "../ForeignValues.ts"
import { timerMaxMs } from "../Transport.ts"

export interface CommandOptions {
  readonly cwd?: string | undefined
  /** The command's environment. By default the command gets the program's variables, including API keys. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Time limit, ms, up to 24 days; 300,000 by default. A command over the time limit is killed and fails. */
  readonly timeoutMs?: number | undefined
}

interface Running extends CommandOptions {
  readonly signal?: AbortSignal | undefined
}

/** Types of `node:child_process` are declared here, because a program may not have Node's types. */
interface Child {
  readonly pid?: number
  readonly kill: (signal: string) => boolean
  readonly on: (event: string, listener: (value: unknown) => void) => void
  readonly stdin: { readonly on: Child["on"]; readonly end: (text: string) => void }
}
interface ChildProcess {
  readonly spawn: (file: string, args: ReadonlyArray<string>, options: object) => Child
}
interface Process {
  readonly process: { readonly kill: (pid: number, signal: string) => boolean }
}

/** The module's name is in a variable, so that no bundler resolves it and browser programs can be built. */
const moduleName = "node:child_process"

/** Returns the exit code; null if a signal ended the command. Rejects if the command could not be run. */
export const exitCodeOf = async (
  command: string | ReadonlyArray<string>,
  input: string,
  { cwd, env, signal, timeoutMs = 300_000 }: Running
): Promise<number | null> => {
  const { spawn }: ChildProcess = await import(/* webpackIgnore: true */ /* @vite-ignore */ moduleName)
  const shell = typeof command === "string"
  const [file = "", ...args] = shell ? [command] : command
  // The command gets its own process group, so that a kill also ends the command's children.
  const options = { cwd, env, shell, detached: true, windowsHide: true, stdio: ["pipe", "ignore", "ignore"] }
  const code = await new Promise<unknown>((resolve, reject) => {
    const child = spawn(file, args, options)
    const kill = () => {
      const { process } = globalThis as unknown as Process
      if (!attempt(() => process.kill(-Number(child.pid), "SIGKILL"), false)) child.kill("SIGKILL")
    }
    const timer = setTimeout(kill, Math.min(timeoutMs, timerMaxMs))
    signal?.addEventListener("abort", kill)
    if (signal?.aborted) kill()
    child.on("error", reject)
    child.on("exit", (exitCode) => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", kill)
      resolve(exitCode)
    })
    // A command may end before it has read its input, and the failed write does not matter.
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })
  if (code === 126 || code === 127) throw new Error(`gates.tests: ${file} could not be run (${code})`)
  return typeof code === "number" ? code : null
}
