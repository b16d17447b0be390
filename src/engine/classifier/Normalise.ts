/** Reduces a task to its request and content. */
import {
  afterUserTurn, unwrapChat, withoutHarness, withoutPreamble, withoutTags, withoutTrailer
} from "./Envelope.ts"
import { endsWithWork } from "./Material.ts"
import {
  characterData, forwarded, logLine, mailHeader, markerOnly, otherMark, turnMark
} from "./patterns/Envelopes.ts"
import { markerCharsMax } from "./Sentences.ts"

/**
 * Characters read of a long task: instructions are at its start or end, pasted content in between.
 */
const headChars = 3_000
const tailChars = 1_500

/** Marks that open or close a pasted block, which `Material` masks; they must stay in pairs. */
const quoteMarks = new Set(["```", "\"\"\"", "'''"])

/**
 * Most characters of a line that is only a marker: a slash, a word of 12, and 8 pairs of surrogates at either
 * end.
 */
const bareMarkerCharsMax = 48

const isNoise = (line: string): boolean =>
  line.length <= markerCharsMax && (
    (line.length <= bareMarkerCharsMax && markerOnly.test(line)) || logLine.test(line) || forwarded.test(line)
  )

/** The lines without noise and mail headers; all lines if nothing else is there. */
const withoutNoise = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let fenced = false
  const kept = lines.filter((line) => {
    const start = line.trimStart().slice(0, 3)
    if (start === "```") fenced = !fenced
    return fenced || start === "" || quoteMarks.has(start) || !isNoise(line)
  })
  // One "Subject: ..." may be the task; a block of two or more header lines is an envelope.
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

/** The text with markers of chat templates and of XML as line feeds. */
const withoutMarks = (text: string): string => {
  const turns = text.includes("<|") ? text.replace(turnMark, "\n$1: ").replace(otherMark, "\n") : text
  return turns.includes("[CDATA[") || turns.includes("]]>") ? turns.replace(characterData, "\n") : turns
}

/** The person's own text: the last message of a chat, without a harness. Empty if nothing is left. */
export const ownText = (task: string): string => withoutHarness(unwrapChat(task))

/**
 * The request in a task, with its content. Chat markers, system prompts, envelopes, log lines, greetings and
 * format rules are removed. At most about 4,500 characters; time is linear in the text read.
 *
 * @param own the {@link ownText} of the task, if the caller has it already
 */
export const squeeze = (task: string, own = ownText(task)): string => {
  const chat = own === "" ? task : own
  const cut = chat.length <= headChars + tailChars
    ? chat
    : `${chat.slice(0, headChars)}\n${chat.slice(-tailChars)}`
  const marked = withoutMarks(cut.replaceAll("\r\n", "\n"))
  // A title is asked for below a conversation, whose turns are then no request.
  const turns = marked.split("\n")
  const lines = withoutNoise(endsWithWork(marked.trimEnd()) ? turns : afterUserTurn(turns))
  const text = withoutTags(withoutTrailer(withoutPreamble(withoutTags(lines.join("\n")))))
  return text.trim() === "" ? cut : text
}
