/* Reads the command line of a coding agent that runs without a person, and adds the chosen model to it. */
import { basename } from "node:path"
import type { Pick } from "../../agents/Ask.ts"
import type { ToolName } from "../../agents/Settings.ts"
import { efforts } from "../../agents/Spawn.ts"

export interface Launch {
  readonly tool: ToolName
  /** The task; null if the command line has no task. */
  readonly prompt: string | null
  /** Why the model must not be changed; null if a model may be added to the command line. */
  readonly kept: string | null
  /** The tool's levels of reasoning effort; null if the tool accepts any text. */
  readonly efforts: ReadonlyArray<string> | null
  /** Adds the recommended model and effort; for Claude Code, also the session's id. */
  readonly withPick: (pick: Pick, session: string) => ReadonlyArray<string>
}

const has = (args: ReadonlyArray<string>, ...names: ReadonlyArray<string>): boolean =>
  args.some((arg) => names.some((name) => arg === name || arg.startsWith(`${name}=`)))

/** Returns the last word from index `from` on; null if there is none, or if it is a flag. */
const lastWord = (args: ReadonlyArray<string>, from: number): string | null => {
  const last = args.slice(from).at(-1)
  return last === undefined || last.startsWith("-") ? null : last
}

const claude = (args: ReadonlyArray<string>): Launch => {
  const at = args.findIndex((arg) => arg === "-p" || arg === "--print")
  const next = at === -1 ? "-" : args[at + 1] ?? "-"
  const isOpen = !has(args, "--effort")
  return {
    tool: "claude-code", efforts,
    prompt: !next.startsWith("-") ? next : at === -1 ? null : lastWord(args, at + 1),
    kept: has(args, "--model") ? "you named the model"
      : has(args, "-c", "--continue", "-r", "--resume") ? "its session has a model, whose cache is warm"
      : null,
    withPick: ({ effort, model }, session) => [
      ...args, "--model", model, ...effort !== null && isOpen ? ["--effort", effort] : [],
      ...has(args, "--session-id", "--no-session-persistence") ? [] : ["--session-id", session]
    ]
  }
}

const codex = (args: ReadonlyArray<string>): Launch => {
  const [verb, ...rest] = args
  const settings = rest.filter((_, at) => ["-c", "--config"].includes(rest[at - 1] ?? ""))
  const isOpen = !settings.some((one) => one.startsWith("model_reasoning_effort"))
  const isNamed = has(rest, "-m", "--model", "-p", "--profile")
    || settings.some((one) => /^model\s*=/.test(one))
  return {
    tool: "codex", efforts,
    prompt: ["exec", "e"].includes(verb ?? "") ? lastWord(rest, 0) : null,
    kept: isNamed ? "you named the model" : rest[0] === "resume" ? "its session has a model" : null,
    withPick: ({ effort, model }) => [
      verb ?? "", "-m", model,
      ...effort !== null && isOpen ? ["-c", `model_reasoning_effort=${effort}`] : [],
      ...rest
    ]
  }
}

const opencode = (args: ReadonlyArray<string>): Launch => {
  const [verb, ...rest] = args
  const isOpen = !has(rest, "--variant")
  return {
    tool: "opencode", efforts: null,
    prompt: verb === "run" ? lastWord(rest, 0) : null,
    kept: has(rest, "-m", "--model", "--agent") ? "you named the model"
      : has(rest, "-c", "--continue", "-s", "--session") ? "its session has a model, whose cache is warm"
      : null,
    withPick: ({ effort, model }) => [
      verb ?? "", "--model", model, ...effort !== null && isOpen ? ["--variant", effort] : [],
      ...rest
    ]
  }
}

const launches: Readonly<Record<string, (args: ReadonlyArray<string>) => Launch>> = {
  claude, codex, opencode
}

export const launchable: ReadonlyArray<string> = Object.keys(launches)

/** Returns how to launch a program; null if the program is no known coding agent. */
export const launchOf = (program: string, args: ReadonlyArray<string>): Launch | null =>
  launches[basename(program).replace(/\.(cmd|exe|js|mjs)$/, "")]?.(args) ?? null
