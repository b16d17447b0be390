/* `sextant-client run`: runs a coding agent on the model that the service names, and reports the run. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { ask, askedRow, type Pick, report } from "../../agents/Ask.ts"
import { runSession, runVariable } from "../../agents/Codex.ts"
import { isFields, parsed, textAt, textOfFile } from "../../agents/Json.ts"
import { NoAnswer } from "../../agents/Post.ts"
import {
  addressOf, homeOf, keyPath, type Settings, settingsOf, settingsPath
} from "../../agents/Settings.ts"
import { remember } from "../../agents/State.ts"
import { isTask } from "../../agents/TaskText.ts"
import { toolOf } from "../agents/Tools.ts"
import { runCommand } from "../Command.ts"
import { connectionOf, oneLine, Stop } from "../Service.ts"
import { type Launch, launchable, launchOf } from "./Launch.ts"
import { type RunOptions, runOptionsOf, runUsage } from "./Options.ts"
import { usedOf } from "./Usage.ts"

/** Time limit of the question before a run, ms. A run takes minutes, so its question may take seconds. */
const questionMs = 2_000
/** Maximum size of an agent's output that is kept to read the usage from, in bytes. */
const printedMax = 64_000_000

/**
 * Returns the settings, or one line about a problem. Address and key come from environment variables first,
 * then from the installed files. The installed key is sent only to the installed address.
 */
const settingsFor = (): Settings | string => {
  const { env: environment } = process
  const home = homeOf()
  const given = parsed(textOfFile(settingsPath(home)) ?? "{}")
  const url = textAt(given, "url")
  const named = environment["SEXTANT_URL"] || url
  const isInstalled = addressOf(named) === addressOf(url)
  const connection = connectionOf({
    SEXTANT_URL: named,
    SEXTANT_KEY: environment["SEXTANT_KEY"] || environment["SEXTANT_API_KEY"]
      || (isInstalled ? textOfFile(keyPath(home)) ?? "" : "")
  })
  if (typeof connection === "string") return connection
  const { apiKey, baseUrl } = connection
  return settingsOf({ ...isFields(given) ? given : {}, url: baseUrl }, apiKey, settingsPath(home))
}

/** Signals that stop this command and the program that it runs. */
const stops: ReadonlyArray<NodeJS.Signals> = ["SIGINT", "SIGTERM", "SIGHUP"]

/** Exit codes of a gate that did not run, or not to its end, and therefore says nothing. */
const notRun: ReadonlyArray<number | null> = [null, 126, 127]

interface Ended {
  /** The exit code; null if a signal stopped the program or this command. */
  readonly code: number | null
  readonly printed: string
}

/** Runs a program. If `isRead` is true, the program's output is printed and also returned. */
const runProgram = (
  [program, ...args]: readonly [string, ...ReadonlyArray<string>],
  options: { readonly isRead: boolean; readonly isShell?: boolean; readonly run?: string }
): Promise<Ended> =>
  new Promise((resolve) => {
    let isStopped = false
    const stop = (signal: NodeJS.Signals): void => {
      isStopped = true
      // A terminal sends SIGINT to the agent too, so the signal is not sent twice.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal)
    }
    // The listeners are added before the program starts, because a signal may arrive at once.
    for (const signal of stops) process.on(signal, stop)
    const child = spawn(program, args, {
      shell: options.isShell === true,
      // A gate's output goes to standard error, because it is not part of the agent's answer.
      stdio: options.isShell ? ["ignore", 2, 2] : ["inherit", options.isRead ? "pipe" : "inherit", "inherit"],
      env: options.run === undefined ? process.env : { ...process.env, [runVariable]: options.run }
    })
    const end = (ended: Ended): void => {
      for (const signal of stops) process.off(signal, stop)
      resolve(ended)
    }
    const chunks: Array<Buffer> = []
    let bytes = 0
    child.stdout?.on("data", (chunk: Buffer) => {
      process.stdout.write(chunk)
      bytes += chunk.length
      if (bytes <= printedMax) chunks.push(chunk)
    })
    child.once("error", (error) => {
      console.error(`sextant: ${program} did not start (${oneLine(error.message)})`)
      end({ code: 127, printed: "" })
    })
    child.once("close", (code) =>
      end({ code: isStopped ? null : code, printed: Buffer.concat(chunks).toString("utf8") }))
  })

const runAsAsked = async ({ command }: RunOptions, why: string): Promise<number> => {
  console.error(`sextant: as you typed it (${why})`)
  return (await runProgram(command, { isRead: false })).code ?? 1
}

const attempt = async (
  { command: [program, ...args], gate }: RunOptions,
  launch: Launch,
  settings: Settings,
  pick: Pick
): Promise<{ readonly code: number; readonly hasPassed: boolean | null }> => {
  const session = crypto.randomUUID()
  const isJson = args.some((arg) => ["--json", "json", "--format=json"].includes(arg))
  const startedAt = Date.now()
  const { code, printed } = await runProgram([program, ...launch.withPick(pick, session)], {
    isRead: isJson && launch.tool !== "claude-code", run: session
  })
  const latencyMs = Date.now() - startedAt
  const hasRun = code !== null && code !== 127
  const checked = gate === null || !hasRun
    ? null
    : await runProgram([gate], { isRead: false, isShell: true })
  const hasPassed = checked === null || notRun.includes(checked.code) ? null : checked.code === 0
  if (checked !== null && hasPassed === null) console.error("sextant: the gate did not run, and says nothing")
  const home = homeOf()
  const used = usedOf(launch.tool, home, session, process.env, printed)
  const ran = {
    ...used, hasPassed, latencyMs, modelId: used.modelId || pick.modelId.replace(/#.*/, ""),
    effort: pick.effort === null ? null : used.effort ?? pick.effort,
    // A run that was stopped or never began says nothing against the model.
    isBroken: used.isBroken === true || !hasRun, isStopped: code === null
  }
  try {
    const told = await report(settings, pick.recommendationId, ran)
    console.error(`sextant: reported ${String(told["outcome"])}`)
    if (existsSync(settingsPath(home))) {
      remember(home, runSession(session), { kind: "reported", tool: launch.tool, ...told })
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    console.error(`sextant: not reported (${error.reason})`)
  }
  return { code: code !== 0 || checked === null ? code ?? 1 : checked.code ?? 1, hasPassed }
}

const runWith = async (
  options: RunOptions,
  launch: Launch,
  settings: Settings
): Promise<number> => {
  const { isRetried, maxAttempts } = options
  const own = settings.tool(launch.tool)
  const usual = Object.keys(own.models).length > 0 ? own.models : toolOf(launch.tool).models
  const models = options.models ?? usual
  if (models === null || Object.keys(models).length === 0) {
    console.error(`sextant-client run: ${launch.tool} needs --models: those that may run, as it names them`)
    return 2
  }
  if (launch.kept !== null) return runAsAsked(options, launch.kept)
  const { prompt } = launch
  if (prompt === null || !isTask(prompt)) return runAsAsked(options, "the command line has no task")
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
      if (failed.length === 0) return runAsAsked(options, error.reason)
      console.error(`sextant: no further attempt (${error.reason})`)
      return last
    }
    if (failed.length > 0 && !pick.isWorthTrying) {
      console.error("sextant: no further attempt is worth it")
      return last
    }
    if (pick.effort !== null && launch.efforts?.includes(pick.effort) === false) {
      return runAsAsked(options, `${launch.tool} has no effort ${oneLine(pick.effort)}`)
    }
    console.error(`sextant: ${pick.model}${pick.effort === null ? "" : ` at ${pick.effort}`}`
      + (pick.predictedSuccess === null ? "" : `, success ${pick.predictedSuccess.toFixed(2)}`))
    if (existsSync(settingsPath(homeOf()))) {
      remember(homeOf(), runSession(session), askedRow(launch.tool, pick, true, startedAt))
    }
    const { code, hasPassed } = await attempt(options, launch, settings, pick)
    failed.push(pick.recommendationId)
    if (!isRetried || hasPassed !== false || failed.length >= maxAttempts) return code
    last = code
  }
}

export const run = (args: ReadonlyArray<string>): Promise<number> =>
  runCommand("run", runUsage, () => runOptionsOf(args), async (options) => {
    const [program, ...rest] = options.command
    const launch = launchOf(program, rest)
    if (launch === null) throw new Stop(2, `the agents are ${launchable.join(", ")}; --help lists the flags`)
    const settings = settingsFor()
    // If settings such as the API key are missing, the agent still runs, because a CI job may have no key.
    if (typeof settings === "string") return runAsAsked(options, settings)
    return runWith(options, launch, settings)
  })
