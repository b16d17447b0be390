/* `sextant-client run`: one run of a coding agent on the model that the service names, and its report. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { ask, askedRow, type Pick, report } from "../../agents/Ask.ts"
import { runSession, runVariable } from "../../agents/Codex.ts"
import { isFields, parsed, textOfFile } from "../../agents/Json.ts"
import { NoAnswer } from "../../agents/Post.ts"
import {
  homeOf, keyPath, readSettings, type Settings, settingsOf, settingsPath
} from "../../agents/Settings.ts"
import { remember } from "../../agents/State.ts"
import { isTask } from "../../agents/TaskText.ts"
import { toolOf } from "../agents/Tools.ts"
import { connectionOf, oneLine } from "../Service.ts"
import { type Launch, launchable, launchOf } from "./Launch.ts"
import { type RunOptions, runOptionsOf, runUsage } from "./Options.ts"
import { usedOf } from "./Usage.ts"

/** What the command sees of its process. */
export interface RunProcess {
  readonly environment: NodeJS.ProcessEnv
  readonly print: (line: string) => void
  readonly say: (line: string) => void
  /** Writes what an agent printed. */
  readonly write: (chunk: Uint8Array) => void
}

/** A run takes minutes, and its question may take seconds; in ms. */
const questionMs = 2_000
/** Most of what an agent prints that is read for its usage, in bytes. */
const printedMax = 64_000_000

/**
 * The service that the variables name, else the one that was installed; or one line that says what is wrong.
 */
const settingsFor = (environment: NodeJS.ProcessEnv): Settings | string => {
  const home = homeOf()
  const installed = readSettings(home, environment)
  if (!environment["SEXTANT_URL"] && typeof installed !== "string") return installed
  const given = parsed(textOfFile(settingsPath(home)) ?? "{}")
  const connection = connectionOf({ SEXTANT_KEY: textOfFile(keyPath(home)) ?? undefined, ...environment })
  if (typeof connection === "string") return connection
  const { apiKey, baseUrl } = connection
  return settingsOf({ ...isFields(given) ? given : {}, url: baseUrl }, apiKey, settingsPath(home))
}

interface Ended {
  /** The exit code; null after a signal. */
  readonly code: number | null
  readonly printed: string
}

/** Runs a program until it ends; what it prints is passed on, and kept if it is to be read. */
const runProgram = (
  [program, ...args]: readonly [string, ...ReadonlyArray<string>],
  { environment, say, write }: RunProcess,
  options: { readonly isRead: boolean; readonly isShell?: boolean; readonly run?: string }
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      shell: options.isShell === true,
      // What a gate prints is no answer of the agent.
      stdio: options.isShell ? ["ignore", 2, 2] : ["inherit", options.isRead ? "pipe" : "inherit", "inherit"],
      env: options.run === undefined ? environment : { ...environment, [runVariable]: options.run }
    })
    const chunks: Array<Buffer> = []
    let bytes = 0
    child.stdout?.on("data", (chunk: Buffer) => {
      write(chunk)
      bytes += chunk.length
      if (bytes <= printedMax) chunks.push(chunk)
    })
    child.once("error", (error) => {
      say(`sextant: ${program} did not start (${oneLine(error.message)})`)
      resolve({ code: 127, printed: "" })
    })
    child.once("close", (code) => resolve({ code, printed: Buffer.concat(chunks).toString("utf8") }))
  })

/** The agent as it was typed. */
const runAsAsked = async ({ command }: RunOptions, process: RunProcess, why: string): Promise<number> => {
  process.say(`sextant: as you typed it (${why})`)
  return (await runProgram(command, process, { isRead: false })).code ?? 1
}

/** One attempt with a pick: the agent, its gate, its report. */
const attempt = async (
  { command: [program, ...args], gate }: RunOptions,
  launch: Launch,
  settings: Settings,
  pick: Pick,
  process: RunProcess
): Promise<{ readonly code: number; readonly hasPassed: boolean | null }> => {
  const session = crypto.randomUUID()
  const isJson = args.some((arg) => ["--json", "json", "--format=json"].includes(arg))
  const startedAt = Date.now()
  const { code, printed } = await runProgram([program, ...launch.withPick(pick, session)], process, {
    isRead: isJson && launch.tool !== "claude-code", run: session
  })
  const latencyMs = Date.now() - startedAt
  const checked = gate === null ? null : await runProgram([gate], process, { isRead: false, isShell: true })
  const hasPassed = checked === null ? null : checked.code === 0
  const home = homeOf()
  const used = usedOf(launch.tool, home, session, process.environment, printed)
  const ran = {
    ...used, hasPassed, latencyMs, modelId: used.modelId || pick.modelId.replace(/#.*/, ""),
    effort: pick.effort === null ? null : used.effort ?? pick.effort,
    // Nobody is to be blamed for a run that was stopped, or that never began.
    isBroken: used.isBroken === true || code === null || code === 127
  }
  try {
    const told = await report(settings, pick.recommendationId, ran)
    process.say(`sextant: reported ${String(told["outcome"])}`)
    if (existsSync(settingsPath(home))) {
      remember(home, runSession(session), { kind: "reported", tool: launch.tool, ...told })
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    process.say(`sextant: not reported (${error.reason})`)
  }
  return { code: code !== 0 ? code ?? 1 : checked?.code ?? 0, hasPassed }
}

const runWith = async (
  options: RunOptions,
  launch: Launch,
  settings: Settings,
  process: RunProcess
): Promise<number> => {
  const { isRetried, maxAttempts } = options
  const own = settings.tool(launch.tool)
  const usual = Object.keys(own.models).length > 0 ? own.models : toolOf(launch.tool).models
  const models = options.models ?? usual
  if (models === null || Object.keys(models).length === 0) {
    process.say(`sextant-client run: ${launch.tool} needs --models: those that may run, as it names them`)
    return 2
  }
  if (launch.kept !== null) return runAsAsked(options, process, launch.kept)
  const { prompt } = launch
  if (prompt === null || !isTask(prompt)) return runAsAsked(options, process, "the command line has no task")
  const failed: Array<string> = []
  const session = crypto.randomUUID()
  for (let last = 0;;) {
    const startedAt = Date.now()
    let pick: Pick
    try {
      pick = await ask(settings, {
        tool: launch.tool, agent: "main", prompt, session, models, failed,
        baseline: Object.keys(models).find((id) => models[id] === own.defaultModel) ?? "",
        ...isRetried ? { isRetried, maxAttempts: maxAttempts - failed.length } : {}
      }, questionMs)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      if (failed.length === 0) return runAsAsked(options, process, error.reason)
      process.say(`sextant: no further attempt (${error.reason})`)
      return last
    }
    if (failed.length > 0 && !pick.isWorthTrying) {
      process.say("sextant: no further attempt is worth it")
      return last
    }
    if (pick.effort !== null && launch.efforts?.includes(pick.effort) === false) {
      return runAsAsked(options, process, `${launch.tool} has no effort ${oneLine(pick.effort)}`)
    }
    process.say(`sextant: ${pick.model}${pick.effort === null ? "" : ` at ${pick.effort}`}`
      + (pick.predictedSuccess === null ? "" : `, success ${pick.predictedSuccess.toFixed(2)}`))
    if (existsSync(settingsPath(homeOf()))) {
      remember(homeOf(), runSession(session), askedRow(launch.tool, pick, true, startedAt))
    }
    const { code, hasPassed } = await attempt(options, launch, settings, pick, process)
    failed.push(pick.recommendationId)
    if (!isRetried || hasPassed !== false || failed.length >= maxAttempts) return code
    last = code
  }
}

/** Runs the command; yields its exit code. */
export const run = async (args: ReadonlyArray<string>, process: RunProcess): Promise<number> => {
  const options = runOptionsOf(args)
  if (options === "help") {
    process.print(runUsage)
    return 0
  }
  const refused = (line: string): number => {
    process.say(`sextant-client run: ${oneLine(line)}; --help lists the flags`)
    return 2
  }
  if (typeof options === "string") return refused(options)
  const [program, ...rest] = options.command
  const launch = launchOf(program, rest)
  if (launch === null) return refused(`the agents are ${launchable.join(", ")}`)
  const settings = settingsFor(process.environment)
  // A key that is missing in CI is no reason to do no work.
  if (typeof settings === "string") return runAsAsked(options, process, settings)
  return runWith(options, launch, settings, process)
}
