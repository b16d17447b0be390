/* Runs a command that checks an answer. It needs Node, Bun or Deno, and loads their part when one runs. */
import { attempt } from "../ForeignValues.ts"

export interface CommandOptions {
  /** The folder in which the command runs; by default that of the program. */
  readonly cwd?: string | undefined
  /** All variables that the command gets; by default those of the program, with its keys. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** How long it may take, in ms; 300,000 by default. One that takes longer is killed, and has failed. */
  readonly timeoutMs?: number | undefined
}

interface Running extends CommandOptions {
  /** Kills the command when it is aborted. */
  readonly signal?: AbortSignal | undefined
}

/** The used part of Node's child process, whose types a program may lack. */
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

/** A name that no bundler resolves: a program for another runtime never gets here. */
const moduleName = "node:child_process"

/**
 * Runs a command, a text by the shell and a list without one, with `input` as its standard input. Yields its
 * exit code; null where a signal ended it. Rejects where it could not be run.
 */
export const exitCodeOf = async (
  command: string | ReadonlyArray<string>,
  input: string,
  { cwd, env, signal, timeoutMs = 300_000 }: Running
): Promise<number | null> => {
  const { spawn }: ChildProcess = await import(/* webpackIgnore: true */ /* @vite-ignore */ moduleName)
  const shell = typeof command === "string"
  const [file = "", ...args] = shell ? [command] : command
  // It has its own process group, so that its children end with it.
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
    // A command that does not read its input may end before it is written.
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })
  if (code === 126 || code === 127) throw new Error(`gates.tests: ${file} could not be run (${code})`)
  return typeof code === "number" ? code : null
}
