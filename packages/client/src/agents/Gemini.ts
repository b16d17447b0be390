/* Gemini CLI's hooks. BeforeAgent asks once per task, and BeforeModel replaces the default model in requests,
   but no other model, because a person has chosen it. */
import { added, ask, askedRow, noTokens, type Ran, taskIdOf } from "./Ask.ts"
import type { Context, Hooks } from "./Context.ts"
import { isGate } from "./Gates.ts"
import { countAt, type Fields, fieldsAt, isFields, linesOf, textAt, textOfFile } from "./Json.ts"
import { reportOf } from "./Spawn.ts"
import { recalled, remember } from "./State.ts"
import { isTask } from "./TaskText.ts"

const onTask = async (event: Fields, { home, settings, startedAt }: Context): Promise<null> => {
  const session = textAt(event, "session_id")
  const prompt = textAt(event, "prompt")
  const { defaultModel, models, shadow } = settings.tool("gemini")
  // A prompt such as "continue" keeps the model of the present task.
  if (!isTask(prompt)) return null
  const before = recalled(home, session).findLast((row) => row["kind"] === "asked")
  remember(home, session, { kind: "task", tool: "gemini" })
  const pick = await ask(settings, {
    tool: "gemini", agent: "main", prompt, session, models, shadow,
    baseline: defaultModel, incumbent: textAt(before, "model_id")
  }, startedAt + settings.deadlineMs - Date.now())
  remember(home, session, {
    ...askedRow("gemini", pick, !shadow, startedAt), task: taskIdOf(session, prompt), model: pick.model
  })
  return null
}

/** Returns the service's recommendation for the running task; undefined if there is none. */
const currentIn = (rows: ReadonlyArray<Fields>): Fields | undefined => {
  const last = rows.findLast((row) => row["kind"] === "asked" || row["kind"] === "task")
  return last?.["kind"] === "asked" ? last : undefined
}

const onRequest = async (event: Fields, { home, settings }: Context): Promise<Fields | null> => {
  const asked = currentIn(recalled(home, textAt(event, "session_id")))
  const { defaultModel } = settings.tool("gemini")
  const isDefault = textAt(event["llm_request"], "model") === defaultModel
  if (asked === undefined || asked["is_applied"] !== true || !isDefault) return null
  const request = { model: textAt(asked, "model") }
  return { hookSpecificOutput: { hookEventName: "BeforeModel", llm_request: request } }
}

const ranSince = (text: string, since: number, gates: ReadonlyArray<RegExp>): Ran => {
  const answers = linesOf(text)
    .filter((row) => row["type"] === "gemini" && Date.parse(textAt(row, "timestamp")) >= since)
  // Gemini writes an answer again after its tools have run, so answers are counted by id.
  const byId = new Map(answers.map((row) => [textAt(row, "id"), row]))
  const rows = [...byId.values()]
  const checks = rows.flatMap(({ toolCalls }) => Array.isArray(toolCalls) ? toolCalls.filter(isFields) : [])
    .filter((call) => call["name"] === "run_shell_command" && isGate(textAt(call["args"], "command"), gates))
  const last = checks.at(-1)
  return {
    modelId: textAt(rows.at(-1), "model"), calls: rows.length,
    tokens: rows.map((row) => fieldsAt(row, "tokens")).map((tokens) => ({
      input: countAt(tokens, "input"), cached: countAt(tokens, "cached"), cacheWrite: 0,
      output: countAt(tokens, "output") + countAt(tokens, "thoughts"), reasoning: countAt(tokens, "thoughts")
    })).reduce(added, noTokens),
    latencyMs: Date.now() - since,
    hasPassed: last === undefined ? null
      : last["status"] === "success" && !/Exit Code: -?[1-9]/.test(JSON.stringify(last["result"]))
  }
}

const onEnd = async (event: Fields, context: Context): Promise<null> => {
  const session = textAt(event, "session_id")
  const asked = currentIn(recalled(context.home, session))
  if (asked === undefined) return null
  const chat = textOfFile(textAt(event, "transcript_path")) ?? ""
  const ran = ranSince(chat, Number(asked["at"]), context.settings.gates)
  return ran.calls === 0 ? null : reportOf(context, session, asked, ran)
}

export const gemini: Hooks = { BeforeAgent: onTask, BeforeModel: onRequest, AfterAgent: onEnd }
