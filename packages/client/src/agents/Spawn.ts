/* Asks about a spawned agent and reports its run. */
import { ask, askedRow, type Pick, type Question, type Ran, report, taskIdOf } from "./Ask.ts"
import type { Context } from "./Context.ts"
import { type Fields, textAt } from "./Json.ts"
import { failedBefore, recalled, remember } from "./State.ts"

/** Levels of reasoning effort that spawned agents may have in Claude Code and codex. */
export const efforts: ReadonlyArray<string> = ["low", "medium", "high", "xhigh", "max"]

/** Asks for a spawned agent's model; null in shadow mode, or if the answer's effort is not in `efforts`. */
export const askOfSpawn = async (
  { home, settings, startedAt }: Context,
  event: Fields,
  question: Question
): Promise<Pick | null> => {
  const { prompt, session, shadow, tool } = question
  const task = taskIdOf(session, prompt)
  const failed = failedBefore(recalled(home, session), task)
  const pick = await ask(settings, { ...question, failed }, startedAt + settings.deadlineMs - Date.now())
  const isApplied = shadow !== true && (pick.effort === null || efforts.includes(pick.effort))
  remember(home, session, {
    ...askedRow(tool, pick, isApplied, startedAt), tool_use_id: textAt(event, "tool_use_id"), task
  })
  return isApplied ? pick : null
}

export const reportOf = async (
  { home, settings }: Context,
  session: string,
  asked: Fields,
  ran: Ran
): Promise<null> => {
  const told = await report(settings, textAt(asked, "recommendation_id"), ran)
  remember(home, session, { kind: "reported", tool: asked["tool"], task: asked["task"], ...told })
  return null
}
