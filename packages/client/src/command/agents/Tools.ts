/* Makes the text that is installed for each tool: hooks in the tool's settings, or a plugin file. */
import { homedir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { claudeModels } from "../../agents/ClaudeCode.ts"
import { codexModels } from "../../agents/Codex.ts"
import { claudeFolder } from "../../agents/ClaudeChoices.ts"
import { fieldsAt, parsed, textOfFile } from "../../agents/Json.ts"
import type { ToolName } from "../../agents/Settings.ts"
import { type HookEntry, mark } from "./HookEntries.ts"

export interface Place {
  readonly environment: NodeJS.ProcessEnv
  readonly directory: string
  readonly program: string
  /** Whether the hooks are installed for this project only. */
  readonly isProject: boolean
  readonly rewriteSpawns: boolean
}

/** The file that install writes: a settings file to which `hooks` are added, or a file with only `text`. */
export interface Setup {
  readonly path: string
  readonly hooks: ReadonlyArray<HookEntry> | null
  readonly text: string | null
  readonly notes: ReadonlyArray<string>
}

export interface Tool {
  readonly title: string
  /** The tool's names of the models that may run, by catalog id; null if the person must name the models. */
  readonly models: Readonly<Record<string, string>> | null
  /** Whether the person must name the model that runs when the service gives no answer. */
  readonly needsDefault: boolean
  readonly setup: (place: Place) => Setup
}

/** Whether our MCP server is configured. A hook that calls the MCP server does not start a process. */
const hasServer = ({ directory, environment }: Place): boolean => {
  const own = parsed(textOfFile(join(environment["CLAUDE_CONFIG_DIR"] ?? homedir(), ".claude.json")) ?? "")
  const project = fieldsAt(fieldsAt(own, "projects"), directory)
  return [own, project, parsed(textOfFile(join(directory, ".mcp.json")) ?? "")]
    .some((one) => "sextant" in fieldsAt(one, "mcpServers"))
}

/** The fields of an event that Claude Code sends to the MCP server before it spawns an agent. */
const spawnFields = [
  "hook_event_name", "session_id", "transcript_path", "cwd", "tool_name", "tool_use_id", "tool_input"
]
const stopFields = ["hook_event_name", "session_id", "agent_transcript_path"]

const claudeHook = (place: Place, fields: ReadonlyArray<string>, timeout: number): object =>
  hasServer(place)
    ? {
      type: "mcp_tool", server: "sextant", tool: "hook", timeout,
      input: { by: mark, ...Object.fromEntries(fields.map((name) => [name, `\${${name}}`])) }
    }
    : {
      type: "command", command: process.execPath, timeout,
      args: [join(place.program, "Hook.js"), "claude-code", mark]
    }

const hookLine = (place: Place, tool: ToolName): string =>
  [process.execPath, join(place.program, "Hook.js")].map((word) => `"${word}"`).concat(tool, mark).join(" ")

/** `timeout` is in the tool's unit: seconds or milliseconds. */
const lineHook = (
  place: Place,
  tool: ToolName,
  event: string,
  timeout: number,
  matcher?: string
): HookEntry => ({
  event,
  group: {
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [{ type: "command", command: hookLine(place, tool), timeout }]
  }
})

const claudeCode: Tool = {
  title: "Claude Code",
  models: claudeModels,
  needsDefault: false,
  setup: (place) => ({
    path: place.isProject
      ? join(place.directory, ".claude", "settings.local.json")
      : join(claudeFolder(place.environment), "settings.json"),
    hooks: [
      { event: "PreToolUse", group: { matcher: "Agent|Task", hooks: [claudeHook(place, spawnFields, 2)] } },
      { event: "SubagentStop", group: { hooks: [claudeHook(place, stopFields, 10)] } }
    ],
    text: null,
    notes: [
      "Each subagent for which nobody named a model asks for one, and reports what came of it.",
      ...hasServer(place) ? ["The MCP server \"sextant\" answers: no process starts for a question."] : []
    ]
  })
}

const opencode: Tool = {
  title: "opencode",
  models: null,
  needsDefault: true,
  setup: ({ directory, environment, isProject, program }) => ({
    path: join(
      isProject
        ? join(directory, ".opencode")
        : join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "opencode"),
      "plugin", "sextant.js"
    ),
    hooks: null,
    text: `// ${mark}\nexport { Sextant } from "${pathToFileURL(join(program, "Opencode.js")).href}"\n`,
    notes: ["The model sextant/auto is in the list of models: choose it, or set \"model\": \"sextant/auto\"."]
  })
}

const codex: Tool = {
  title: "codex",
  models: codexModels,
  needsDefault: false,
  setup: (place) => ({
    path: join(place.isProject
      ? join(place.directory, ".codex")
      : place.environment["CODEX_HOME"] || join(homedir(), ".codex"), "hooks.json"),
    hooks: [
      lineHook(place, "codex", "PostModelRequest", 2),
      ...place.rewriteSpawns
        ? [
          lineHook(place, "codex", "PreToolUse", 2, "spawn_agent"),
          lineHook(place, "codex", "PostToolUse", 2, "spawn_agent"),
          lineHook(place, "codex", "SubagentStop", 10)
        ]
        : []
    ],
    text: null,
    notes: [
      "codex runs no hook that you have not trusted: open it, and trust them in /hooks.",
      place.rewriteSpawns
        ? "Each spawned agent for which nobody named a model runs on the pick; the hook allows its spawn."
        : "The main model is chosen by: npx sextant-client run -- codex exec \"...\""
    ]
  })
}

const gemini: Tool = {
  title: "Gemini CLI",
  models: null,
  needsDefault: true,
  setup: (place) => ({
    path: join(
      place.isProject ? place.directory : place.environment["GEMINI_CLI_HOME"] || homedir(),
      ".gemini", "settings.json"
    ),
    hooks: [
      lineHook(place, "gemini", "BeforeAgent", 2_000),
      lineHook(place, "gemini", "BeforeModel", 2_000),
      lineHook(place, "gemini", "AfterAgent", 10_000)
    ],
    text: null,
    notes: ["Each task that begins with the default model runs on the pick; one that you chose stays."]
  })
}

const tools: Readonly<Record<ToolName, Tool>> = { "claude-code": claudeCode, codex, gemini, opencode }

export const toolOf = (name: ToolName): Tool => tools[name]
