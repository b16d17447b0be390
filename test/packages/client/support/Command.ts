// The built program `sextant-client` as a child process, under each Node of the machine.
import { execFileSync, spawn } from "node:child_process"
import { cpSync, existsSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { builtClient } from "./Installed.ts"

/** This Node, and the machine's own where it is another, by version. */
export const nodes: ReadonlyMap<string, string> = new Map(
  [process.execPath, "/usr/bin/node", "/usr/local/bin/node"].filter((path) => existsSync(path))
    .map((node) => [execFileSync(node, ["--version"], { encoding: "utf8" }).trim(), node])
)

export interface Built {
  /** A folder that looks like the installed package. */
  readonly directory: string
  /** The file that `sextant-client` runs. */
  readonly program: string
}

/** The package in a folder of its own. */
export const buildCommand = (): Built => {
  const directory = temporaryFolder()
  cpSync(builtClient(), directory, { recursive: true })
  const { bin } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    readonly bin: { readonly "sextant-client": string }
  }
  return { directory, program: join(directory, bin["sextant-client"]) }
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly node?: string
  /** The whole environment, beside PATH and the folder of compiled code. */
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  readonly directory?: string
}

/** Runs a program until it ends; its input is `input`, and ends then. */
export const runProgram = (
  program: string,
  args: ReadonlyArray<string>,
  { directory, environment = {}, input = "", node = process.execPath }: RunOptions = {}
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(node, [program, ...args], {
      cwd: directory ?? tmpdir(),
      env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...environment }
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout += chunk)
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr += chunk)
    // The program may end before it has read all of its input.
    child.stdin.on("error", () => {})
    child.stdin.end(input)
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })

/** The modules of the commands that need no process of their own. */
const modules = { agents: "agents/Agents.js", init: "init/Init.js" } as const

/** Replaces the variables of this process, which `os.homedir` reads too. */
const setVariables = (variables: NodeJS.ProcessEnv): void => {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, variables)
}

/**
 * Runs a built command in this process, which saves the start of one. The process has the command's folder and
 * variables until it ends, and nothing else may run meanwhile that reads them.
 */
export const runCommand = async (
  { directory: package_ }: Built,
  name: keyof typeof modules,
  args: ReadonlyArray<string>,
  directory: string,
  environment: Readonly<Record<string, string>>
): Promise<Ended> => {
  const { version } = JSON.parse(readFileSync(join(package_, "package.json"), "utf8")) as { readonly version: string }
  const module = await import(pathToFileURL(join(package_, "dist/command", modules[name])).href) as
    Readonly<Record<string, (args: ReadonlyArray<string>, version: string) => Promise<number>>>
  const before = { variables: { ...process.env }, directory: process.cwd(), log: console.log, error: console.error }
  let [stdout, stderr] = ["", ""]
  try {
    setVariables(environment)
    process.chdir(directory)
    console.log = (line: string) => stdout += `${line}\n`
    console.error = (line: string) => stderr += `${line}\n`
    const code = await module[name]?.(args, version)
    return { code: code ?? null, stdout, stderr }
  } finally {
    Object.assign(console, { log: before.log, error: before.error })
    process.chdir(before.directory)
    setVariables(before.variables)
  }
}
