/*
 * Finds the words of the task in a prompt. Only these words leave the machine, without text of the tool or a
 * harness.
 */

/** The text that is sent: the prompt's words, the description of the job, or none. */
export type TaskText = "prompt" | "description" | "none"

export const taskTexts: ReadonlyArray<TaskText> = ["prompt", "description", "none"]

/** Longest sent text, in UTF-16 units. The service keeps as much of a task. */
const charsMax = 4_000

/**
 * Longest part of a prompt that is searched, in UTF-16 units. Chosen: ten megabytes took seconds, and no
 * timer ends a hook during a search.
 */
const readMax = 200_000

/** Elements that harnesses put into prompts. An element without an end takes the rest with it. */
const harness =
  /<(system-reminder|task-notification|session_context|(?:local-)?command-[a-z-]+)>[\s\S]*?(?:<\/\1>|$)/g
const code = /```[\s\S]*?(?:```|$)/g
/** Prompts that continue the present task. */
const goOn = /^(continue|go on|proceed|resume|keep going|ok(ay)?|yes|please continue)[\s.!]*$/i

const wordsOf = (prompt: string): string =>
  prompt.slice(0, readMax).replace(harness, "")
    .replace(code, (block) => `[code, ${block.split("\n").length} lines]`).trim()

/** Whether a prompt sets a task: not a harness's notification, and not a word such as "continue". */
export const isTask = (prompt: string): boolean => {
  const words = wordsOf(prompt)
  return words !== "" && !goOn.test(words)
}

/** The sent text of a task, at most 4,000 characters. */
export const taskTextOf = (kind: TaskText, prompt: string, description = ""): string => {
  const text = kind === "prompt" ? wordsOf(prompt) : kind === "description" ? wordsOf(description) : ""
  return text.slice(0, charsMax).toWellFormed() || "(not sent)"
}
