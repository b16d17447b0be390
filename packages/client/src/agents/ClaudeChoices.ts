/* Finds whether a person has set a subagent's model or effort in Claude Code, so that both stay. */
import { readdirSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join } from "node:path"
import { parsed, textAt, textOfFile } from "./Json.ts"

/** Claude Code's built-in agents. */
const builtIn: ReadonlyArray<string> = ["claude", "Explore", "general-purpose", "Plan", "statusline-setup"]

export const claudeFolder = (environment: NodeJS.ProcessEnv): string =>
  environment["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude")

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

/** Returns the YAML header of the Markdown file that defines an agent; null if no file defines the agent. */
const headerOf = (agent: string, folders: ReadonlyArray<string>): string | null => {
  for (const path of folders.flatMap((folder) => filesUnder(join(folder, "agents")))) {
    const [, header = ""] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(textOfFile(path) ?? "") ?? []
    const [, name = basename(path, ".md")] = /^name:\s*["']?([^"'\r\n]*?)["']?\s*$/m.exec(header) ?? []
    if (name === agent) return header
  }
  return null
}

export interface Open {
  readonly model: boolean
  readonly effort: boolean
}

const none: Open = { model: false, effort: false }

/** The agent's definition or a default for all subagents may fix model and effort. */
export const openOf = (agent: string, cwd: string, environment: NodeJS.ProcessEnv): Open => {
  if (environment["CLAUDE_CODE_SUBAGENT_MODEL"]) return none
  const folders = foldersFor(cwd, environment)
  const files = ["settings.json", "settings.local.json"]
  const settings = folders.flatMap((folder) => files.map((name) => join(folder, name)))
  if (settings.some((path) => textAt(parsed(textOfFile(path) ?? ""), "subagentModel") !== "")) return none
  const header = headerOf(agent, folders)
  // An agent that is neither built in nor found in a file stays as it is: a plugin may name its model.
  if (header === null) return { model: builtIn.includes(agent), effort: builtIn.includes(agent) }
  return { model: !/^model:/m.test(header), effort: !/^effort:/m.test(header) }
}
