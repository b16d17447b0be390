// A person's machine: a home, a project, the built program, and events as tools send them.
import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { type Built, buildCommand, type Ended, runCommand } from "../support/Command.ts"

export interface Service {
  readonly url: string
  readonly key: string
}

export interface World {
  readonly home: string
  readonly project: string
  /** The program `sextant-client`. */
  readonly program: string
  readonly environment: Readonly<Record<string, string>>
  /** Runs `sextant-client` in the project: `agents` in this process, any other command in its own. */
  readonly client: (args: ReadonlyArray<string>, environment?: Readonly<Record<string, string>>) => Promise<Ended>
  /** Runs the hook that an installation left, as a tool does. */
  readonly hook: (tool: string, event: unknown, options?: HookOptions) => Promise<Ended>
  readonly read: (path: string) => string | null
  readonly write: (path: string, text: string) => string
  /** The rows of all sessions' states. */
  readonly state: () => ReadonlyArray<Record<string, any>>
}

export interface HookOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** Sent once the hook has started, in place of waiting for its end. */
  readonly signal?: NodeJS.Signals
}

const run = (
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>>,
  input: string,
  signal?: NodeJS.Signals
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd, env })
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout += chunk)
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr += chunk)
    child.stdin.on("error", () => {})
    child.stdin.end(input)
    if (signal !== undefined) child.once("spawn", () => child.kill(signal))
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })

let built: Built | null = null

/** A machine, or one with the home of another. */
export const createWorld = ({ key, url }: Service, from?: World): World => {
  built ??= buildCommand()
  const { program } = built
  const root = temporaryFolder()
  const [home, project] = [join(root, "home"), join(root, "project")]
  for (const folder of [home, project]) mkdirSync(folder, { recursive: true })
  if (from !== undefined) cpSync(from.home, home, { recursive: true })
  const environment = { PATH: process.env["PATH"] ?? "", HOME: home, SEXTANT_URL: url, SEXTANT_KEY: key }
  const states = join(home, ".sextant", "agents-state")
  return {
    home, project, program, environment,
    client: ([name = "", ...args], more = {}) =>
      name === "agents" && built !== null
        ? runCommand(built, name, args, project, { ...environment, ...more })
        : run([program, name, ...args], project, { ...environment, ...more }, ""),
    hook: (tool, event, { environment: more = {}, signal } = {}) =>
      run(
        [join(home, ".sextant", "agents", "Hook.js"), tool, "--sextant-agents"], project,
        // The tool's environment names no service: what was installed does.
        { PATH: environment.PATH, HOME: home, ...more },
        typeof event === "string" ? event : JSON.stringify(event), signal
      ),
    read: (path) => existsSync(path) ? readFileSync(path, "utf8") : null,
    write: (path, text) => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      return path
    },
    state: () =>
      (existsSync(states) ? readdirSync(states) : []).flatMap((name) =>
        readFileSync(join(states, name), "utf8").trim().split("\n").map((line) => JSON.parse(line)))
  }
}

/** Claude Code's event before a subagent starts; fields of its input are replaced or added. */
export const spawnOf = ({ project }: World, input: Record<string, unknown> = {}, event: Record<string, unknown> = {}) => ({
  session_id: "a7ca9c2b-13ef-45e2-9782-b50bb3651db0",
  transcript_path: join(project, "transcript.jsonl"),
  cwd: project,
  prompt_id: "p", permission_mode: "default", effort: { level: "medium" },
  hook_event_name: "PreToolUse", tool_name: "Agent", tool_use_id: "toolu_1",
  tool_input: { description: "small job", prompt: "List the files here", subagent_type: "general-purpose", ...input },
  ...event
})

/** Claude Code's event when a subagent has ended, with its transcript and the record beside it. */
export const stopOf = (world: World, lines: ReadonlyArray<unknown>, toolUseId = "toolu_1", agent = "a1") => {
  const path = join(world.project, "subagents", `agent-${agent}.jsonl`)
  world.write(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
  world.write(path.replace(".jsonl", ".meta.json"), JSON.stringify({ toolUseId, model: "haiku" }))
  return {
    ...spawnOf(world), hook_event_name: "SubagentStop", tool_name: undefined, tool_use_id: undefined, tool_input: undefined,
    agent_id: agent, agent_type: "general-purpose", agent_transcript_path: path, last_assistant_message: "secret words",
    effort: { level: "low" }
  }
}

const usage = {
  input_tokens: 100, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 10,
  output_tokens_details: { thinking_tokens: 4 }
}

/** A line of a transcript: an answer of the model. */
export const answered = (id: string, content: ReadonlyArray<unknown>, more: Record<string, unknown> = {}) => ({
  type: "assistant", isSidechain: true, effort: "low", timestamp: "2026-11-28T20:21:14.000Z",
  message: { id, model: "claude-haiku-5-5", role: "assistant", content, usage }, ...more
})

/** Two lines of a transcript: a command of the shell, and its result. */
export const commanded = (id: string, command: string, isError: boolean) => [
  answered(`msg_${id}`, [{ type: "tool_use", id, name: "Bash", input: { command } }]),
  {
    type: "user", timestamp: "2026-11-28T20:21:20.000Z",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "secret output", is_error: isError }] }
  }
]
