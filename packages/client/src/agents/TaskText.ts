/* Finds the task's words in a prompt. No other words of the prompt are sent. */

/** Which text of a task is sent: the prompt's words, the tool's short description of the job, or no text. */
export type TaskText = "prompt" | "description" | "none"

export const taskTexts: ReadonlyArray<TaskText> = ["prompt", "description", "none"]

/** Maximum length of a task's text that is sent, in UTF-16 units, because the service keeps no more. */
const charsMax = 4_000

/** At most 200,000 UTF-16 units of a prompt are read: ten megabytes would block all timers for seconds. */
const readMax = 200_000

/** Matches XML elements that tools add to prompts, up to the end tag or, without it, the prompt's end. */
const harness =
  /<(system-reminder|task-notification|session_context|(?:local-)?command-[a-z-]+)>[\s\S]*?(?:<\/\1>|$)/g
const code = /```[\s\S]*?(?:```|$)/g
const goOn = /^(continue|go on|proceed|resume|keep going|ok(ay)?|yes|please continue)[\s.!]*$/i

const wordsOf = (prompt: string): string =>
  prompt.slice(0, readMax).replace(harness, "")
    .replace(code, (block) => `[code, ${block.split("\n").length} lines]`).trim()

/** A tool's notification and a word such as "continue" set no task. */
export const isTask = (prompt: string): boolean => {
  const words = wordsOf(prompt)
  return words !== "" && !goOn.test(words)
}

/** Returns a task's text for the service, at most 4,000 UTF-16 units; `(not sent)` if the text is empty. */
export const taskTextOf = (kind: TaskText, prompt: string, description = ""): string => {
  const text = kind === "prompt" ? wordsOf(prompt) : kind === "description" ? wordsOf(description) : ""
  return text.slice(0, charsMax).toWellFormed() || "(not sent)"
}
