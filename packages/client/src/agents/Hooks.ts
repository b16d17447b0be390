/* Runs the hooks of a tool. No failure of a hook reaches the tool. */
import type { Hooks } from "./Context.ts"
import { type Fields, textAt } from "./Json.ts"
import { httpOf, NoAnswer } from "./Post.ts"
import type { Settings, ToolName } from "./Settings.ts"
import { forgetOld, remember } from "./State.ts"

/** Loads the hooks of one tool only, because a process serves one tool; opencode uses a plugin. */
const hooksOf = async (tool: ToolName): Promise<Hooks> => {
  switch (tool) {
    case "claude-code":
      return (await import("./ClaudeCode.ts")).claudeCode
    case "codex":
      return (await import("./Codex.ts")).codex
    case "gemini":
      return (await import("./Gemini.ts")).gemini
    case "opencode":
      return {}
  }
}

/** Loads the modules that a question needs, so that a running process answers its first question faster. */
export const prepare = async (tool: ToolName, { url }: Settings): Promise<void> => {
  httpOf(url)
  await hooksOf(tool)
}

/**
 * Returns the hook's answer, or null for none. When the hook fails, the session's state stores the reason.
 */
export const answerTo = async (
  tool: ToolName,
  event: Fields,
  home: string,
  settings: Settings | string,
  startedAt: number
): Promise<Fields | null> => {
  const name = textAt(event, "hook_event_name")
  const hook = (await hooksOf(tool))[name]
  if (hook === undefined) return null
  const leftOut = (reason: string): null => {
    try {
      remember(home, textAt(event, "session_id"), { kind: "left_out", tool, reason })
    } catch {
      // A full disk must not make the hook fail.
    }
    return null
  }
  if (typeof settings === "string") return leftOut("no_settings")
  try {
    const answer = await hook(event, { home, settings, startedAt })
    if (/Stop$|AfterAgent/.test(name)) forgetOld(home)
    return answer
  } catch (error) {
    return leftOut(error instanceof NoAnswer ? error.reason : "failed")
  }
}
