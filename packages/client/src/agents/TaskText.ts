/*
 * Finds the words of the task in a prompt. Only these leave the machine; text that a tool or a harness added
 * does not.
 */

/**
 * `TASK_TEXT`: the prompt's words; the few words that name the job; or no word, so that tags alone tell tasks
 * apart.
 */
export type TaskText = "prompt" | "description" | "none"

export const taskTexts: ReadonlyArray<TaskText> = ["prompt", "description", "none"]

/** Most UTF-16 units of a prompt that are sent; the service keeps as many of a task. */
const charsMax = 4_000

/**
 * Most UTF-16 units of a prompt that are read: no timer ends a hook while ten megabytes are searched, which
 * took seconds. Chosen.
 */
const readMax = 200_000

/** Elements that harnesses put into prompts; one that does not end takes the rest with it. */
const harness =
  /<(system-reminder|task-notification|session_context|(?:local-)?command-[a-z-]+)>[\s\S]*?(?:<\/\1>|$)/g
const code = /```[\s\S]*?(?:```|$)/g
/** Answers to an agent that go on with the task that there is. */
const goOn = /^(continue|go on|proceed|resume|keep going|ok(ay)?|yes|please continue)[\s.!]*$/i

const wordsOf = (prompt: string): string =>
  prompt.slice(0, readMax).replace(harness, "")
    .replace(code, (block) => `[code, ${block.split("\n").length} lines]`).trim()

/** Whether a prompt sets a task: not a notification of the harness, nor a word to go on. */
export const isTask = (prompt: string): boolean => {
  const words = wordsOf(prompt)
  return words !== "" && !goOn.test(words)
}

/** The text of the task that is sent, of at most 4,000 characters. */
export const taskTextOf = (kind: TaskText, prompt: string, description = ""): string => {
  const text = kind === "prompt" ? wordsOf(prompt) : kind === "description" ? wordsOf(description) : ""
  return text.slice(0, charsMax).toWellFormed() || "(not sent)"
}
