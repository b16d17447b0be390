/** Removes the wrapping of a request: JSON, agents' blocks, turns, tags, personas and courtesies. */
import {
  assistantTurn, attachedName, chatJson, closingTag, formatBody, formatHeading, greeting, harnessTag,
  openingTag, persona, requestLabel, requestTag, rule, systemLike, textKey, trailer, userTurn, workVerb
} from "./patterns/Envelopes.ts"
import { bare, lastBoundary, markerCharsMax, sentencesOf, taskCharsMin } from "./Sentences.ts"

/** Longest JSON that is parsed, characters, because a longer text is slow to parse. */
const envelopeCharsMax = 65_536
/** Number of nested levels of JSON objects that are searched for a text. */
const envelopeDepthMax = 3

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

const enveloped = (value: unknown, depth: number): string | undefined => {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const texts = Object.entries(value).flatMap(([key, inner]) => {
    return textKey.test(key) ? (typeof inner === "string" ? inner : enveloped(inner, depth - 1)) ?? [] : []
  })
  return texts.toSorted((a, b) => b.length - a.length)[0]
}

/** Returns the last user message of a chat in JSON, else a text under a key such as `prompt`, else `text`. */
export const unwrapChat = (text: string): string => {
  if (text.length > envelopeCharsMax || !chatJson.test(text.slice(0, 120))) return text
  try {
    const value: unknown = JSON.parse(text)
    return lastUserContent(value) ?? enveloped(value, envelopeDepthMax) ?? text
  } catch (cause) {
    // The text is read as prose, because the JSON was cut off or prose begins like JSON.
    if (cause instanceof SyntaxError) return text
    throw cause
  }
}

/** Returns the last user turn of a text that begins like a system prompt or a transcript, else all lines. */
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

const tagCharsMax = 120
const closingMark = /[<[#\u0080-\uffff]/

/** Removes tags around the text and a label before the text, up to four times. */
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

/** The word that replaces a fenced block of code or an attached file. */
export const codeMark = "codeblock"

/** Returns the text inside the last request tag, such as `<user_query>`, or the whole text if it has none. */
const requestIn = (text: string): string => {
  const tag = [...text.matchAll(requestTag)].at(-1)
  if (tag === undefined) return text.trim()
  const start = tag.index + tag[0].length
  const end = text.indexOf(`</${tag[1]!}>`, start)
  return end < 0 ? text.trim() : text.slice(start, end).trim()
}

/**
 * Removes the blocks that a coding agent adds (`<system-reminder>`), and makes each attached file one word.
 * Returns an empty text if the text has only blocks of coding agents.
 */
export const withoutHarness = (text: string): string => {
  if (!text.includes("</")) return text
  const unclosed = new Set<string>()
  let kept = ""
  let from = 0
  for (const match of text.matchAll(harnessTag)) {
    const name = match[1]!
    if (match.index < from || unclosed.has(name.toLowerCase())) continue
    const close = text.indexOf(`</${name}>`, match.index)
    // A tag that is never closed wraps nothing, because the person only writes about the tag.
    if (close < 0) unclosed.add(name.toLowerCase())
    else {
      kept += `${text.slice(from, match.index)}${attachedName.test(name) ? `\n${codeMark}\n` : "\n"}`
      from = close + name.length + 3
    }
  }
  return from === 0 ? text : requestIn(`${kept}${text.slice(from)}`)
}

/** Maximum number of a system prompt's sentences that are dropped one by one. */
const preambleSentencesMax = 24
/** Longest paragraph of a system prompt that is dropped whole, characters. */
const paragraphCharsMax = 1_500

/** Returns the text without greetings, personas and rules of a system prompt at its start. */
export const withoutPreamble = (text: string): string => {
  let rest = text.trimStart()
  for (let round = 0; round < 4; round++) {
    const head = rest.slice(0, markerCharsMax)
    const dropped = head.length - head.replace(greeting, "").length
    if (dropped === 0 || rest.slice(dropped).trim().length < taskCharsMin) break
    rest = rest.slice(dropped).trimStart()
  }
  if (!persona.test(bare(rest.slice(0, 80)))) return rest
  const paragraph = rest.indexOf("\n\n")
  const opening = rest.slice(0, Math.max(0, paragraph))
  const isWholePreamble = paragraph > 0 && paragraph <= paragraphCharsMax
    && !opening.includes("?") && !workVerb.test(opening)
  let dropped = isWholePreamble && rest.length - paragraph > taskCharsMin
    ? rest.slice(paragraph).trimStart()
    : rest
  for (let count = 0; count < preambleSentencesMax; count++) {
    const [line = ""] = dropped.split("\n", 1)
    const sentence = sentencesOf(line.slice(0, markerCharsMax * 4))[0] ?? ""
    const plain = bare(sentence)
    const isRule = plain === ""
      || (plain.length <= markerCharsMax && (persona.test(plain) || rule.test(plain)))
    if (!isRule || plain.endsWith("?")) break
    const shorter = dropped.slice(sentence.length).trimStart()
    if (shorter.length < taskCharsMin) break
    dropped = shorter
  }
  return dropped
}

const trailerSentencesMax = 8
/** Minimum length of the text before a format section that is dropped, characters. */
const beforeFormatCharsMin = 20
const formatCharsMax = 700

/** Returns the text without a section about the output's format, courtesies and format rules at its end. */
export const withoutTrailer = (text: string): string => {
  let rest = text.trimEnd()
  for (const match of rest.matchAll(formatHeading)) {
    const after = rest.slice(match.index + match[0].length)
    if (match.index >= beforeFormatCharsMin && after.length <= formatCharsMax && formatBody.test(after)) {
      rest = rest.slice(0, match.index).trimEnd()
      break
    }
  }
  for (let count = 0; count < trailerSentencesMax; count++) {
    const start = Math.max(0, rest.length - markerCharsMax)
    const tail = rest.slice(start)
    const stop = lastBoundary(tail)
    if (start + stop < taskCharsMin || !trailer.test(bare(tail.slice(stop)))) break
    rest = rest.slice(0, start + stop).trimEnd()
  }
  return rest
}
