/* Reads the usage of a run's main agent from the records or the output of the tool. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { added, noTokens, type Ran } from "../../agents/Ask.ts"
import { claudeFolder } from "../../agents/ClaudeChoices.ts"
import { ranIn } from "../../agents/ClaudeTranscript.ts"
import { codexTokens, ranOfCalls, runSession } from "../../agents/Codex.ts"
import { countAt, fieldsAt, linesOf, textOfFile } from "../../agents/Json.ts"
import { opencodeTokens } from "../../agents/Opencode.ts"
import type { ToolName } from "../../agents/Settings.ts"
import { recalled } from "../../agents/State.ts"

type Used = Pick<Ran, "modelId" | "effort" | "calls" | "tokens" | "costUsd" | "isBroken">

const unknown: Used = { modelId: "", calls: 0, tokens: noTokens }

/** Reads a run's usage from its Claude Code transcript, which may be in any project's folder. */
const claudeRan = (session: string, environment: NodeJS.ProcessEnv): Used => {
  const projects = join(claudeFolder(environment), "projects")
  let folders: ReadonlyArray<string>
  try {
    folders = readdirSync(projects)
  } catch {
    // If the folder `projects` is missing, Claude Code keeps no sessions.
    return unknown
  }
  const text = folders.map((name) => textOfFile(join(projects, name, `${session}.jsonl`)))
    .find((one) => one !== null)
  return text == null ? unknown : ranIn(text, [])
}

const codexPrinted = (printed: string): Used => {
  const turns = linesOf(printed).filter((row) => row["type"] === "turn.completed")
    .map((row) => codexTokens(row["usage"]))
  return { modelId: "", calls: turns.length, tokens: turns.reduce(added, noTokens) }
}

const opencodePrinted = (printed: string): Used => {
  const steps = linesOf(printed).filter((row) => row["type"] === "step_finish")
    .map((row) => fieldsAt(row, "part"))
  return {
    modelId: "", calls: steps.length, costUsd: steps.reduce((sum, step) => sum + countAt(step, "cost"), 0),
    tokens: steps.map(opencodeTokens).reduce(added, noTokens)
  }
}

/** Reads a run's usage. `printed` is the tool's JSON output, or empty if the output was not read. */
export const usedOf = (
  tool: ToolName,
  home: string,
  session: string,
  environment: NodeJS.ProcessEnv,
  printed: string
): Used => {
  if (tool === "claude-code") return claudeRan(session, environment)
  if (tool === "opencode") return opencodePrinted(printed)
  const hooked = ranOfCalls(recalled(home, runSession(session)), "")
  return hooked.calls > 0 || hooked.isBroken ? hooked : codexPrinted(printed)
}
