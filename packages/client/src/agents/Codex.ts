/* The hooks of codex. PostModelRequest gives each call's usage. A spawned agent gets a model only if the
   person opted in, because codex accepts a changed input only from a hook that also permits the call. */
import { added, noTokens, type Tokens } from "./Ask.ts"
import type { Context, Hooks } from "./Context.ts"
import { countAt, type Fields, fieldsAt, parsed, textAt } from "./Json.ts"
import { askOfSpawn, reportOf } from "./Spawn.ts"
import { lastRow, recalled, remember } from "./State.ts"
import { isTask } from "./TaskText.ts"

/** codex's names of models, by catalog id. */
export const codexModels: Readonly<Record<string, string>> = Object.fromEntries(
  ["gpt-6-luna", "gpt-6-sol", "gpt-6.1-terra", "gpt-6.1-sol", "gpt-6-astra"].map((id) => [id, id])
)

/** Environment variable with the run's id, which `sextant-client run` sets and codex's hooks inherit. */
export const runVariable = "SEXTANT_RUN"

export const runSession = (run: string): string => `run-${run}`

/** codex's input includes cached tokens, and its output includes reasoning. */
export const codexTokens = (usage: unknown): Tokens => ({
  input: countAt(usage, "input_tokens"), cached: countAt(usage, "cached_input_tokens"),
  cacheWrite: countAt(usage, "cache_write_input_tokens"),
  output: countAt(usage, "output_tokens"), reasoning: countAt(usage, "reasoning_output_tokens")
})

const isCount = ([, count]: readonly [string, unknown]): boolean => typeof count === "number"

const callOf = (event: Fields): Fields => ({
  kind: "call", agent: textAt(event, "agent_id"), model_id: textAt(event, "model"),
  is_broken: textAt(event, "status") !== "completed",
  usage: Object.fromEntries(Object.entries(fieldsAt(event, "token_usage")).filter(isCount))
})

/** Sums up an agent's recorded calls; an empty `agent` means the main agent. */
export const ranOfCalls = (rows: ReadonlyArray<Fields>, agent: string) => {
  const calls = rows.filter((row) => row["kind"] === "call" && textAt(row, "agent") === agent)
  const answered = calls.filter((call) => call["is_broken"] !== true)
  return {
    modelId: textAt(answered.at(-1), "model_id"), calls: answered.length,
    tokens: answered.map(({ usage }) => codexTokens(usage)).reduce(added, noTokens),
    isBroken: calls.at(-1)?.["is_broken"] === true
  }
}

const onCall = async (event: Fields, { home }: Context): Promise<null> => {
  const run = process.env[runVariable]
  const call = callOf(event)
  if (textAt(event, "agent_id") !== "") remember(home, textAt(event, "session_id"), call)
  else if (run) remember(home, runSession(run), call)
  return null
}

const onSpawn = async (event: Fields, context: Context): Promise<Fields | null> => {
  const { home, settings } = context
  const { models, rewriteSpawns, shadow } = settings.tool("codex")
  const input = fieldsAt(event, "tool_input")
  const prompt = textAt(input, "message")
  if (!/spawn_agent$/.test(textAt(event, "tool_name")) || !rewriteSpawns || !isTask(prompt)) return null
  const session = textAt(event, "session_id")
  if (textAt(input, "model") !== "" || input["fork_context"] === true) {
    remember(home, session, { kind: "left_out", tool: "codex", reason: "model_named" })
    return null
  }
  const pick = await askOfSpawn(context, event, {
    tool: "codex", agent: textAt(input, "agent_type") || "default", prompt, session, models, shadow,
    baseline: textAt(event, "model")
  })
  if (pick === null) return null
  const isOpen = pick.effort !== null && !("reasoning_effort" in input)
  const effort = isOpen ? { reasoning_effort: pick.effort } : {}
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse", permissionDecision: "allow",
      updatedInput: { ...input, model: pick.model, ...effort }
    }
  }
}

/** Records which agent a spawn started, so that the agent's end can be reported. */
const onSpawned = async (event: Fields, { home }: Context): Promise<null> => {
  const { tool_response: said } = event
  const agent = textAt(typeof said === "string" ? parsed(said) : said, "agent_id")
  const session = textAt(event, "session_id")
  const asked = lastRow(recalled(home, session), "asked", "tool_use_id", textAt(event, "tool_use_id"))
  if (agent !== "" && asked !== undefined) remember(home, session, { ...asked, kind: "spawned", agent })
  return null
}

const onStop = async (event: Fields, context: Context): Promise<null> => {
  const session = textAt(event, "session_id")
  const agent = textAt(event, "agent_id")
  const rows = recalled(context.home, session)
  const spawned = lastRow(rows, "spawned", "agent", agent)
  const ran = ranOfCalls(rows, agent)
  if (spawned === undefined || ran.calls === 0 && !ran.isBroken) return null
  // codex's hooks see no exit codes of commands, so the report has no verdict.
  return reportOf(context, session, spawned, {
    ...ran, modelId: ran.modelId || textAt(event, "model"), hasPassed: null,
    effort: spawned["is_applied"] === true ? textAt(spawned, "effort") || null : null,
    latencyMs: Date.now() - Number(spawned["at"])
  })
}

export const codex: Hooks = {
  PreToolUse: onSpawn, PostToolUse: onSpawned, PostModelRequest: onCall, SubagentStop: onStop
}
