/* `sextant-client agents`: installs hooks in coding agents, shows their state, and removes them. */
import { cpSync, existsSync, mkdirSync, rmSync, rmdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { defaultGates } from "../../agents/Gates.ts"
import { type Fields, fieldsAt, isFields, parsed } from "../../agents/Json.ts"
import { addressOf, homeOf, keyPath, settingsPath, type ToolName } from "../../agents/Settings.ts"
import { stateFolder } from "../../agents/State.ts"
import { runCommand } from "../Command.ts"
import { defaultUrl, Stop } from "../Service.ts"
import { readText, writeText } from "./Files.ts"
import { withHooks } from "./HookEntries.ts"
import { type AgentsOptions, agentsOptionsOf, agentsUsage } from "./Options.ts"
import { statusLines } from "./Status.ts"
import { type Setup, toolOf } from "./Tools.ts"
import {
  type Installed, isStuck, readWritten, takeOut, withoutTool, type Written, writeWritten
} from "./Written.ts"

/** A copy of the hooks' program, because npm may clear the package's folder. */
const programFolder = (home: string): string => join(home, "agents")

const written = (home: string): Written => {
  const found = readWritten(home)
  if (found === null) throw new Stop(1, `${settingsPath(home)} is no JSON; mend it, or remove it`)
  return found
}

const settingsWith = (
  { settings }: Written,
  tool: ToolName,
  { defaultModel, gates, isShadow, models, rewriteSpawns, taskText, url }: AgentsOptions,
  environment: NodeJS.ProcessEnv
): Fields => {
  const { models: own, needsDefault, title } = toolOf(tool)
  const before = fieldsAt(fieldsAt(settings, "tools"), tool)
  const named = models ?? (isFields(before["models"]) ? before["models"] : own)
  const usual = defaultModel ?? before["defaultModel"]
  if (named === null) throw new Stop(2, `${title} needs --models: those that may run, as it names them`)
  if (needsDefault && !usual) throw new Stop(2, `${title} needs --default: the model that runs otherwise`)
  const given = url ?? environment["SEXTANT_URL"] ?? settings["url"] ?? defaultUrl
  const address = addressOf(String(given))
  if (address === null) throw new Stop(2, "SEXTANT_URL is not an http URL without a user and a password")
  return {
    ...settings, url: address,
    taskText: taskText ?? settings["taskText"] ?? "prompt",
    deadlineMs: settings["deadlineMs"] ?? 400,
    gates: gates.length > 0 ? gates : settings["gates"] ?? defaultGates,
    tools: {
      ...fieldsAt(settings, "tools"),
      [tool]: {
        models: named, ...(usual ? { defaultModel: usual } : {}), shadow: isShadow,
        ...(tool === "codex" ? { rewriteSpawns } : {})
      }
    }
  }
}

const changeOf = (tool: ToolName, { hooks, path, text }: Setup, before: ReadonlyArray<Installed>) => {
  const now = readText(path)
  if (hooks === null) {
    const isOurs = now === null || before.some((one) => one.path === path)
    if (!isOurs) throw new Stop(1, `${path} is there already, and not ours`)
    return { text: text ?? "", installed: { tool, path, pieces: null, created: null } }
  }
  const clean = now ?? "{}\n"
  if (!isFields(parsed(clean))) throw new Stop(1, `${path} is no JSON object, and stays as it is`)
  const added = withHooks(clean, hooks)
  if (added === null) throw new Stop(1, `the hooks in ${path} are not as this tool has them, and stay`)
  const created = now === null ? clean : null
  return { text: added.text, installed: { tool, path, pieces: added.pieces, created } }
}

const install = (tool: ToolName, options: AgentsOptions, version: string): Fields => {
  const { env: environment } = process
  const home = homeOf()
  const found = written(home)
  const key = (environment["SEXTANT_KEY"] || environment["SEXTANT_API_KEY"] || "").trim()
  if (key === "" && !existsSync(keyPath(home))) {
    throw new Stop(2, "SEXTANT_KEY is not set: a key of the service, which begins with sxt_")
  }
  const settings = settingsWith(found, tool, options, environment)
  const program = programFolder(home)
  const setup = toolOf(tool).setup({
    environment, directory: process.cwd(), program, isProject: options.isProject,
    rewriteSpawns: options.rewriteSpawns
  })
  const again = found.installed.filter((one) => one.tool === tool && one.path === setup.path)
  if (options.isDryRun) {
    console.log(`${setup.path} would have`)
    console.log(JSON.stringify(setup.hooks ?? setup.text, null, 2))
    console.log(`${settingsPath(home)} would be\n${JSON.stringify(settings, null, 2)}`)
    return settings
  }
  // `changeOf` throws if the tool's file cannot be changed, so it is tried before anything is written.
  changeOf(tool, setup, found.installed)
  for (const one of again) takeOut(one)
  const change = changeOf(tool, setup, found.installed)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  rmSync(program, { recursive: true, force: true })
  cpSync(fileURLToPath(new URL("../../agents/", import.meta.url)), program, { recursive: true })
  writeText(join(program, "package.json"), `${JSON.stringify({ type: "module", version })}\n`)
  if (key !== "") writeText(keyPath(home), `${key}\n`, 0o600)
  const others = found.installed.filter((one) => !again.includes(one))
  // The record is written before the tool's file, so that the written file always has a record.
  writeWritten(home, settings, [...others, { ...change.installed, folders: [] }])
  const folders = writeText(setup.path, change.text)
  const made = [...again.flatMap((one) => one.folders), ...folders]
  writeWritten(home, settings, [...others, { ...change.installed, folders: made }])
  console.log(`${toolOf(tool).title}: ${setup.path}`)
  for (const note of setup.notes) console.log(`  ${note}`)
  if (options.isShadow) console.log("  In shadow: what would be picked is recorded, and nothing is changed.")
  console.log(`  Settings: ${settingsPath(home)}. `
    + `To take it out: npx sextant-client agents uninstall ${tool}`)
  return settings
}

const uninstall = (tool: ToolName | null): void => {
  const home = homeOf()
  const found = written(home)
  const ours = found.installed.filter((one) => tool === null || one.tool === tool)
  const stuck = ours.find(isStuck)
  if (stuck !== undefined) {
    throw new Stop(1, `${stuck.path} is no JSON object, and has our hooks: mend it, then uninstall again`)
  }
  for (const one of ours) console.log(takeOut(one))
  if (ours.length === 0) console.log("nothing was installed")
  const rest = found.installed.filter((one) => !ours.includes(one))
  if (rest.length > 0) {
    writeWritten(home, tool === null ? found.settings : withoutTool(found.settings, tool), rest)
    return
  }
  for (const path of [settingsPath(home), keyPath(home), stateFolder(home), programFolder(home)]) {
    rmSync(path, { recursive: true, force: true })
  }
  try {
    rmdirSync(home)
  } catch {
    // If `~/.sextant` has other files or does not exist, removing the folder fails, which is no error.
  }
  if (ours.length > 0) console.log(`removed what was in ${home}`)
}

export const agents = (args: ReadonlyArray<string>, version: string): Promise<number> =>
  runCommand("agents", agentsUsage, () => agentsOptionsOf(args), async (options) => {
    if (options.verb === "uninstall") {
      uninstall(options.tool)
      return 0
    }
    const settings = options.verb === "install" && options.tool !== null
      ? install(options.tool, options, version)
      : written(homeOf()).settings
    if (options.isDryRun) return 0
    const lines = await statusLines(homeOf(), settings, process.env, options.verb)
    for (const line of lines) console.log(line)
    return 0
  })
