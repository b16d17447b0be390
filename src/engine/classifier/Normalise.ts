/** Reduces a task's text to its request and its content. */
import {
  afterUserTurn, unwrapChat, withoutHarness, withoutPreamble, withoutTags, withoutTrailer
} from "./Envelope.ts"
import { endsWithWork } from "./Material.ts"
import {
  characterData, forwarded, logLine, mailHeader, markerOnly, otherMark, turnMark
} from "./patterns/Envelopes.ts"
import { markerCharsMax } from "./Sentences.ts"

/** Characters read from each end of a long task. */
const headChars = 3_000
const tailChars = 1_500

/** A line that opens or closes a quoted block is kept, because `Material` finds the block by both lines. */
const quoteMarks = new Set(["```", "\"\"\"", "'''"])

/** Longest line that can be only a marker, characters. */
const bareMarkerCharsMax = 48

const isNoise = (line: string): boolean =>
  line.length <= markerCharsMax && (
    (line.length <= bareMarkerCharsMax && markerOnly.test(line)) || logLine.test(line) || forwarded.test(line)
  )

/** Drops lines such as markers, log lines and mail headers, or nothing if no other line has text. */
const withoutNoise = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let fenced = false
  const kept = lines.filter((line) => {
    const start = line.trimStart().slice(0, 3)
    if (start === "```") fenced = !fenced
    return fenced || start === "" || quoteMarks.has(start) || !isNoise(line)
  })
  // A single "Subject: ..." line may be the task, but two or more header lines are the head of a mail.
  let headers = 0
  let end = 0
  for (; end < kept.length; end++) {
    if (kept[end]!.trim() === "") continue
    if (kept[end]!.length > 140 || !mailHeader.test(kept[end]!)) break
    headers++
  }
  const body = headers >= 2 && end < kept.length ? kept.slice(end) : kept
  return body.some((line) => line.trim() !== "") ? body : lines
}

const withoutMarks = (text: string): string => {
  const turns = text.includes("<|") ? text.replace(turnMark, "\n$1: ").replace(otherMark, "\n") : text
  return turns.includes("[CDATA[") || turns.includes("]]>") ? turns.replace(characterData, "\n") : turns
}

/** The task's last message without the blocks of a coding agent; empty if it has only such blocks. */
export const ownText = (task: string): string => withoutHarness(unwrapChat(task))

/**
 * Returns the request with its content, at most about 4,500 characters, without the wrapping that patterns
 * find, such as chat markers, system prompts and greetings.
 */
export const squeeze = (task: string, own = ownText(task)): string => {
  const chat = own === "" ? task : own
  const cut = chat.length <= headChars + tailChars
    ? chat
    : `${chat.slice(0, headChars)}\n${chat.slice(-tailChars)}`
  const marked = withoutMarks(cut.replaceAll("\r\n", "\n"))
  // If the last line asks for work on the text above, all turns of the text are kept.
  const turns = marked.split("\n")
  const lines = withoutNoise(endsWithWork(marked.trimEnd()) ? turns : afterUserTurn(turns))
  const text = withoutTags(withoutTrailer(withoutPreamble(withoutTags(lines.join("\n")))))
  return text.trim() === "" ? cut : text
}
