/* The settings of all hooks in `~/.sextant/agents.json`. The address comes only from this file,
   because a project's variables could send the key and the tasks elsewhere. The key comes from `agents-key`
   beside it, or else from SEXTANT_KEY. */
import { homedir } from "node:os"
import { join } from "node:path"
import { defaultGates } from "./Gates.ts"
import { type Fields, fieldsAt, isFields, parsed, textAt, textOfFile } from "./Json.ts"
import { type TaskText, taskTexts } from "./TaskText.ts"

export type ToolName = "claude-code" | "codex" | "gemini" | "opencode"

export const toolNames: ReadonlyArray<ToolName> = ["claude-code", "codex", "gemini", "opencode"]

export interface ToolSettings {
  /** The models that may run: the tool's name of each model, by catalog id. */
  readonly models: Readonly<Record<string, string>>
  /** The tool's name of the model that runs when the service gives no answer. */
  readonly defaultModel: string
  /** Whether recommended models are only recorded and not used. */
  readonly shadow: boolean
  /** For codex: whether a hook sets the models of spawned agents, and thereby permits the spawns. */
  readonly rewriteSpawns: boolean
}

export interface Settings {
  readonly url: string
  readonly key: string
  readonly namespace: string | undefined
  readonly costQualityTradeoff: number | undefined
  readonly taskText: TaskText
  /** Time limit of a question, ms > 0, from its hook's start. Tools wait 2 s for hooks that ask Sextant. */
  readonly deadlineMs: number
  readonly gates: ReadonlyArray<RegExp>
  readonly tool: (name: ToolName) => ToolSettings
}

export const homeOf = (): string => join(homedir(), ".sextant")

export const settingsPath = (home: string): string => join(home, "agents.json")
export const keyPath = (home: string): string => join(home, "agents-key")

/** Removes a URL's trailing slashes and `/v1`; null if it is not http(s), or has a user or a password. */
export const addressOf = (url: string): string | null => {
  const address = URL.canParse(url) ? new URL(url) : null
  if (address === null || !/^https?:$/.test(address.protocol)) return null
  if (address.username !== "" || address.password !== "") return null
  return address.origin + address.pathname.replace(/\/+$/, "").replace(/\/v1$/, "")
}

const textsOf = (value: unknown): ReadonlyArray<readonly [string, string]> =>
  Object.entries(isFields(value) ? value : {}).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, text] as const] : []
  )

/** Returns the settings, or one line about the first problem, which shows no setting's value. */
export const readSettings = (home: string, environment: NodeJS.ProcessEnv): Settings | string => {
  const path = settingsPath(home)
  const text = textOfFile(path)
  if (text === null) return `${path} is not there`
  const given = parsed(text)
  if (!isFields(given)) return `${path} is no JSON`
  const key = (textOfFile(keyPath(home)) || environment["SEXTANT_KEY"] || "").trim()
  return /^[\x21-\x7e]+$/.test(key)
    ? settingsOf(given, key, path)
    : `there is no key in ${keyPath(home)} or SEXTANT_KEY`
}

/** Maximum time limit of a question, a day in ms, because Node's timers fire at once above 24 days. */
const deadlineMaxMs = 86_400_000

export const settingsOf = (given: Fields, key: string, path: string): Settings | string => {
  const url = addressOf(textAt(given, "url"))
  if (url === null) return `url in ${path} is no http address`
  const { costQualityTradeoff, deadlineMs, gates = defaultGates, namespace, taskText = "prompt" } = given
  const kind = taskTexts.find((one) => one === taskText)
  if (kind === undefined) return `taskText in ${path} is none of ${taskTexts.join(", ")}`
  try {
    return {
      url, key, taskText: kind,
      namespace: typeof namespace === "string" ? namespace : undefined,
      costQualityTradeoff: typeof costQualityTradeoff === "number" ? costQualityTradeoff : undefined,
      deadlineMs:
        typeof deadlineMs === "number" && deadlineMs > 0 ? Math.min(deadlineMs, deadlineMaxMs) : 400,
      gates: (Array.isArray(gates) ? gates : []).map((gate) => new RegExp(String(gate))),
      tool: (name) => {
        const own = fieldsAt(given["tools"], name)
        return {
          models: Object.fromEntries(textsOf(own["models"])), defaultModel: textAt(own, "defaultModel"),
          shadow: own["shadow"] === true, rewriteSpawns: own["rewriteSpawns"] === true
        }
      }
    }
  } catch {
    return `gates in ${path} holds no regular expression`
  }
}
