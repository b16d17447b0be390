/* Claude Code's hooks. PreToolUse sets a subagent's model and effort, and SubagentStop reports its run.
   No answer has a `permissionDecision`, because the person's own rules decide whether a subagent starts. */
import { existsSync } from "node:fs"
import { openOf } from "./ClaudeChoices.ts"
import { lastModelOf, ranIn } from "./ClaudeTranscript.ts"
import type { Context, Hooks } from "./Context.ts"
import { type Fields, fieldsAt, parsed, textAt, textOfFile } from "./Json.ts"
import { askOfSpawn, reportOf } from "./Spawn.ts"
import { lastRow, recalled, remember } from "./State.ts"
import { isTask } from "./TaskText.ts"

/** Claude Code's names of models, by catalog id. Claude Code starts no subagent with an unknown name. */
export const claudeModels: Readonly<Record<string, string>> = {
  "claude-haiku-5-5": "haiku",
  "claude-sonnet-5-5": "sonnet",
  "claude-opus-5-5": "opus",
  "claude-fable-5-2": "fable"
}
const names: ReadonlyArray<string> = Object.values(claudeModels)

/** Returns why Sextant is not asked about a spawned subagent; null if Sextant is asked. */
const notAskedOf = (input: Fields, isOpen: boolean): string | null =>
  textAt(input, "model") !== "" ? "model_named"
  : textAt(input, "subagent_type") === "fork" || "resume" in input ? "inherits"
  : textAt(input, "description") === "" || !isTask(textAt(input, "prompt")) ? "no_task"
  : isOpen ? null
  : "model_named"

/** A hook waits up to 150 ms for the transcript's first answer, which is written 50 to 100 ms late. */
const baselineMs = 150

/** Returns the session's last model, which would also run the subagent; empty if not known in time. */
const baselineOf = async (path: string, startedAt: number): Promise<string> => {
  for (;;) {
    const model = lastModelOf(path)
    // Claude Code never writes a transcript for a session that it does not keep.
    if (model !== "" || !existsSync(path) || Date.now() - startedAt > baselineMs) return model
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const onSpawn = async (event: Fields, context: Context): Promise<Fields | null> => {
  const { home, settings, startedAt } = context
  if (!/^(Agent|Task)$/.test(textAt(event, "tool_name"))) return null
  const session = textAt(event, "session_id")
  const input = fieldsAt(event, "tool_input")
  const agent = textAt(input, "subagent_type") || "general-purpose"
  const open = openOf(agent, textAt(event, "cwd"), process.env)
  const reason = notAskedOf(input, open.model)
  if (reason !== null) {
    remember(home, session, { kind: "left_out", tool: "claude-code", reason })
    return null
  }
  const { models, shadow } = settings.tool("claude-code")
  const pick = await askOfSpawn(context, event, {
    tool: "claude-code", agent, prompt: textAt(input, "prompt"), description: textAt(input, "description"),
    session, shadow,
    models: Object.fromEntries(Object.entries(models).filter(([, name]) => names.includes(name))),
    baseline: await baselineOf(textAt(event, "transcript_path"), startedAt)
  })
  if (pick === null) return null
  const effort = pick.effort !== null && open.effort && !("effort" in input) ? { effort: pick.effort } : {}
  return {
    suppressOutput: true,
    // A hook's answer replaces the tool's whole input, so all input fields are repeated.
    hookSpecificOutput: {
      hookEventName: "PreToolUse", updatedInput: { ...input, model: pick.model, ...effort }
    }
  }
}

const onStop = async (event: Fields, context: Context): Promise<null> => {
  const { home, settings } = context
  const session = textAt(event, "session_id")
  const path = textAt(event, "agent_transcript_path")
  const toolUseId = textAt(parsed(textOfFile(path.replace(/\.jsonl$/, ".meta.json")) ?? ""), "toolUseId")
  const asked = lastRow(recalled(home, session), "asked", "tool_use_id", toolUseId)
  const ran = ranIn(textOfFile(path) ?? "", settings.gates)
  if (asked === undefined || ran.calls === 0 && !ran.isBroken) return null
  return reportOf(context, session, asked, {
    ...ran, effort: textAt(asked, "effort") === "" ? null : ran.effort ?? null
  })
}

export const claudeCode: Hooks = { PreToolUse: onSpawn, SubagentStop: onStop }
