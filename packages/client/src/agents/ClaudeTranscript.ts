/* Reads a Claude Code transcript: usage, the model that answered, and the last check's verdict. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { added, noTokens, type Ran, type Tokens } from "./Ask.ts"
import { isGate } from "./Gates.ts"
import { countAt, type Fields, fieldsAt, linesOf, textAt } from "./Json.ts"

/** Number of bytes at a transcript's end that are searched for the last model, to save time. */
const tailBytes = 262_144

const isAnswer = (row: Fields): boolean =>
  row["type"] === "assistant" && !["", "<synthetic>"].includes(textAt(row["message"], "model"))

/** Returns the model's name without Claude Code's mark `[1m]` for a long context. */
const modelIn = (row: Fields): string => textAt(row["message"], "model").replace(/\[1m\]$/, "")

export const lastModelOf = (path: string): string => {
  let file: number
  try {
    file = openSync(path, "r")
  } catch {
    // A session's first request has no transcript yet.
    return ""
  }
  try {
    const { size } = fstatSync(file)
    const tail = Buffer.alloc(Math.min(size, tailBytes))
    readSync(file, tail, 0, tail.length, size - tail.length)
    const last = linesOf(tail.toString("utf8"))
      .findLast((row) => isAnswer(row) && row["isSidechain"] !== true)
    return last === undefined ? "" : modelIn(last)
  } finally {
    closeSync(file)
  }
}

const tokensOf = (usage: Fields): Tokens => {
  const cached = countAt(usage, "cache_read_input_tokens")
  const cacheWrite = countAt(usage, "cache_creation_input_tokens")
  return {
    cached, cacheWrite, input: countAt(usage, "input_tokens") + cached + cacheWrite,
    output: countAt(usage, "output_tokens"),
    reasoning: countAt(usage["output_tokens_details"], "thinking_tokens")
  }
}

const contentOf = (row: Fields): ReadonlyArray<Fields> => {
  const { content } = fieldsAt(row, "message")
  return Array.isArray(content) ? content : []
}

/** Whether the last check that the agent ran in Bash passed; null if there was no check. */
const hasPassedIn = (rows: ReadonlyArray<Fields>, gates: ReadonlyArray<RegExp>): boolean | null => {
  const blocks = rows.flatMap(contentOf)
  const checks = new Set(blocks
    .filter((block) => block["type"] === "tool_use" && block["name"] === "Bash"
      && isGate(textAt(block["input"], "command"), gates))
    .map((block) => block["id"]))
  const last = blocks.findLast((block) => block["type"] === "tool_result" && checks.has(block["tool_use_id"]))
  return last === undefined ? null : last["is_error"] !== true
}

/** Sums up a transcript. Each line of a message repeats the message's usage, which is counted once. */
export const ranIn = (text: string, gates: ReadonlyArray<RegExp>): Ran => {
  const rows = linesOf(text)
  const answers = rows.filter(isAnswer)
  const byMessage = new Map(answers.map((row) => fieldsAt(row, "message"))
    .map((message) => [textAt(message, "id"), tokensOf(fieldsAt(message, "usage"))]))
  const last = answers.at(-1)
  const times = rows.map((row) => Date.parse(textAt(row, "timestamp"))).filter(Number.isFinite)
  const latencyMs = times.length === 0 ? undefined : Math.max(...times) - Math.min(...times)
  return {
    modelId: last === undefined ? "" : modelIn(last),
    effort: last === undefined ? null : textAt(last, "effort") || null,
    calls: byMessage.size,
    tokens: [...byMessage.values()].reduce(added, noTokens),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    hasPassed: hasPassedIn(rows, gates),
    isBroken: rows.findLast((row) => row["type"] === "assistant")?.["isApiErrorMessage"] === true
  }
}
