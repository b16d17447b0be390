/** Takes a task out of its envelope: JSON, a chat transcript, template tags. */
import {
  assistantTurn, chatJson, closingTag, openingTag, requestLabel, systemLike, textKey, userTurn
} from "./patterns/Envelopes.ts"
import { markerCharsMax, taskCharsMin } from "./Sentences.ts"

/** Longest JSON that is parsed, characters: a longer one is data, and slow to parse. */
const envelopeCharsMax = 65_536
/** Levels of JSON objects that are searched, count. */
const envelopeDepthMax = 3

/** Text of the last message of role `user` in a list of chat messages; undefined for none. */
const lastUserContent = (value: unknown): string | undefined => {
  const list = Array.isArray(value) ? value : Object(value).messages
  if (!Array.isArray(list)) return undefined
  for (const message of list.toReversed()) {
    const { role, content } = Object(message)
    if (role !== "user") continue
    if (typeof content === "string") return content
    if (Array.isArray(content)) return content.map((part) => String(Object(part).text ?? "")).join("\n")
  }
  return undefined
}

/**
 * The longest text under a key that names what a person wrote, `depth` levels down at most; undefined for
 * none.
 */
const enveloped = (value: unknown, depth: number): string | undefined => {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const texts = Object.entries(value).flatMap(([key, inner]) => {
    return textKey.test(key) ? (typeof inner === "string" ? inner : enveloped(inner, depth - 1)) ?? [] : []
  })
  return texts.toSorted((a, b) => b.length - a.length)[0]
}

/** The last user message of a chat in JSON, or the text in another envelope; any other text as it is. */
export const unwrapChat = (text: string): string => {
  if (text.length > envelopeCharsMax || !chatJson.test(text.slice(0, 120))) return text
  try {
    const value: unknown = JSON.parse(text)
    return lastUserContent(value) ?? enveloped(value, envelopeDepthMax) ?? text
  } catch (cause) {
    // A chat that was cut off, or prose that opens like JSON: it is read as plain text.
    if (cause instanceof SyntaxError) return text
    throw cause
  }
}

/** From the last user turn on, when what stands before it opens like a system prompt or a transcript. */
export const afterUserTurn = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = lines.find((line) => line.trim() !== "") ?? ""
  if (!systemLike.test(first.slice(0, markerCharsMax))) return lines
  let from = -1
  let to = lines.length
  for (let index = 0; index < lines.length; index++) {
    const head = lines[index]!.slice(0, 60)
    if (userTurn.test(head)) { from = index; to = lines.length }
    else if (from >= 0 && to === lines.length && assistantTurn.test(head)) to = index
  }
  if (from < 0) return lines
  const turn = [lines[from]!.replace(userTurn, ""), ...lines.slice(from + 1, to)]
  return turn.join("").trim().length >= taskCharsMin ? turn : lines
}

/** Characters at either end of a text in which tags and labels are looked for, count. */
const tagCharsMax = 120
/** What a closing tag has at least one of: the other pictures are past ASCII. */
const closingMark = /[<[#\u0080-\uffff]/

/** Drops tags around the text and a label before it, a few times. */
export const withoutTags = (text: string): string => {
  let rest = text.trim()
  for (let round = 0; round < 4; round++) {
    const head = rest.slice(0, tagCharsMax)
    const opened = head.replace(openingTag, "")
    const labelled = opened.includes(":") ? opened.replace(requestLabel, "") : opened
    const inner = labelled.length === head.length ? rest : labelled + rest.slice(tagCharsMax)
    const tail = inner.slice(-tagCharsMax)
    const closed = closingMark.test(tail) ? tail.replace(closingTag, "") : tail
    const shorter = inner.slice(0, inner.length - tail.length + closed.length)
    if (shorter.length === rest.length || shorter.trim().length < taskCharsMin) break
    rest = shorter.trim()
  }
  return rest
}
