/*
 * Runs a command that checks an answer. It needs Node, Bun or Deno, whose module is loaded with the first
 * command.
 */
import { attempt } from "../ForeignValues.ts"

export interface CommandOptions {
  /** The command's folder; by default the program's. */
  readonly cwd?: string | undefined
  /** All variables of the command; by default the program's, with its keys. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Time limit in ms; 300,000 by default. A slower command is killed and has failed. */
  readonly timeoutMs?: number | undefined
}

interface Running extends CommandOptions {
  readonly signal?: AbortSignal | undefined
}

/** The used part of Node's child process. A program may lack its types. */
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

/** A name that no bundler resolves, because programs for other runtimes never load it. */
const moduleName = "node:child_process"

/**
 * Runs a command with `input` as its standard input. The shell runs a text; a list runs without one. Returns
 * the exit code, or null after a signal. Rejects if the command could not run.
 */
export const exitCodeOf = async (
  command: string | ReadonlyArray<string>,
  input: string,
  { cwd, env, signal, timeoutMs = 300_000 }: Running
): Promise<number | null> => {
  const { spawn }: ChildProcess = await import(/* webpackIgnore: true */ /* @vite-ignore */ moduleName)
  const shell = typeof command === "string"
  const [file = "", ...args] = shell ? [command] : command
  // The command has its own process group, so that its children end with it.
  const options = { cwd, env, shell, detached: true, windowsHide: true, stdio: ["pipe", "ignore", "ignore"] }
  const code = await new Promise<unknown>((resolve, reject) => {
    const child = spawn(file, args, options)
    const kill = () => {
      const { process } = globalThis as unknown as Process
      if (!attempt(() => process.kill(-Number(child.pid), "SIGKILL"), false)) child.kill("SIGKILL")
    }
    const timer = setTimeout(kill, timeoutMs)
    signal?.addEventListener("abort", kill)
    if (signal?.aborted) kill()
    child.on("error", reject)
    child.on("exit", (exitCode) => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", kill)
      resolve(exitCode)
    })
    // A command may end before it has read its input.
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })
  if (code === 126 || code === 127) throw new Error(`gates.tests: ${file} could not be run (${code})`)
  return typeof code === "number" ? code : null
}
