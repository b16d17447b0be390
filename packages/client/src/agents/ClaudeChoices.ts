/* Reads a person's own settings of Claude Code's subagents, which no advice overrules. */
import { readdirSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join } from "node:path"
import { parsed, textAt, textOfFile } from "./Json.ts"

/** The tool's own agents. They run on the main model by default. */
const builtIn: ReadonlyArray<string> = ["claude", "Explore", "general-purpose", "Plan", "statusline-setup"]

/** The folder of the tool's own settings. */
export const claudeFolder = (environment: NodeJS.ProcessEnv): string =>
  environment["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude")

/** The folders `.claude` that apply to a working directory, the nearest first. */
const foldersFor = (cwd: string, environment: NodeJS.ProcessEnv): ReadonlyArray<string> => {
  const above: Array<string> = []
  for (let folder = cwd || "/"; above.length < 40; folder = dirname(folder)) {
    above.push(join(folder, ".claude"))
    if (dirname(folder) === folder) break
  }
  return [...new Set([...above, claudeFolder(environment)])]
}

const filesUnder = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md")).map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** The header of the definition with this agent's name; null without one. */
const headerOf = (agent: string, folders: ReadonlyArray<string>): string | null => {
  for (const path of folders.flatMap((folder) => filesUnder(join(folder, "agents")))) {
    const [, header = ""] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(textOfFile(path) ?? "") ?? []
    const [, name = basename(path, ".md")] = /^name:\s*["']?([^"'\r\n]*?)["']?\s*$/m.exec(header) ?? []
    if (name === agent) return header
  }
  return null
}

/** The settings of a subagent that the person has left open. */
export interface Open {
  readonly model: boolean
  readonly effort: boolean
}

const none: Open = { model: false, effort: false }

/**
 * Whether an agent's model and effort are open. They are not if the agent or a default of all subagents names
 * them.
 */
export const openOf = (agent: string, cwd: string, environment: NodeJS.ProcessEnv): Open => {
  if (environment["CLAUDE_CODE_SUBAGENT_MODEL"]) return none
  const folders = foldersFor(cwd, environment)
  const files = ["settings.json", "settings.local.json"]
  const settings = folders.flatMap((folder) => files.map((name) => join(folder, name)))
  if (settings.some((path) => textAt(parsed(textOfFile(path) ?? ""), "subagentModel") !== "")) return none
  const header = headerOf(agent, folders)
  // A plugin's agent may name a model in a file that we cannot find.
  if (header === null) return { model: builtIn.includes(agent), effort: builtIn.includes(agent) }
  return { model: !/^model:/m.test(header), effort: !/^effort:/m.test(header) }
}
