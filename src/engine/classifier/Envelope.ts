/** Drops the wrapping of a request: JSON, blocks of a coding agent, turns, tags, personas, courtesies. */
import {
  assistantTurn, attachedName, chatJson, closingTag, formatBody, formatHeading, greeting, harnessTag,
  openingTag, persona, requestLabel, requestTag, rule, systemLike, textKey, trailer, userTurn, workVerb
} from "./patterns/Envelopes.ts"
import { bare, lastBoundary, markerCharsMax, sentencesOf, taskCharsMin } from "./Sentences.ts"

/** Longest JSON that is parsed, characters. Longer JSON is data, and slow to parse. */
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

/** The longest text under a key such as `prompt`, at most `depth` levels down; undefined if there is none. */
const enveloped = (value: unknown, depth: number): string | undefined => {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const texts = Object.entries(value).flatMap(([key, inner]) => {
    return textKey.test(key) ? (typeof inner === "string" ? inner : enveloped(inner, depth - 1)) ?? [] : []
  })
  return texts.toSorted((a, b) => b.length - a.length)[0]
}

/** The last user message of a chat in JSON, or the text in another JSON object. Other texts stay. */
export const unwrapChat = (text: string): string => {
  if (text.length > envelopeCharsMax || !chatJson.test(text.slice(0, 120))) return text
  try {
    const value: unknown = JSON.parse(text)
    return lastUserContent(value) ?? enveloped(value, envelopeDepthMax) ?? text
  } catch (cause) {
    // The JSON was cut off, or prose opens like JSON: the text is read as prose.
    if (cause instanceof SyntaxError) return text
    throw cause
  }
}

/** The lines of the last user turn if the text opens like a system prompt or a transcript; else all lines. */
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

/** Characters at both ends of a text that are searched for tags and labels, count. */
const tagCharsMax = 120
/** Every closing tag, hash tag or emoji has one of these characters. */
const closingMark = /[<[#\u0080-\uffff]/

/** Drops tags around the text and a label before it, up to four times. */
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

/** The word that replaces a code fence or an attached file. */
export const codeMark = "codeblock"

/** The text in the last tags of a request; the whole text if it has no tags. */
const requestIn = (text: string): string => {
  const tag = [...text.matchAll(requestTag)].at(-1)
  if (tag === undefined) return text.trim()
  const start = tag.index + tag[0].length
  const end = text.indexOf(`</${tag[1]!}>`, start)
  return end < 0 ? text.trim() : text.slice(start, end).trim()
}

/**
 * The text without the blocks that a coding agent adds (`<system-reminder>`, `<environment_details>`). Each
 * attached file becomes one word. Empty if nothing else is left. The time is linear in the text.
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
    // A tag that is never closed is a tag that the person writes about.
    if (close < 0) unclosed.add(name.toLowerCase())
    else {
      kept += `${text.slice(from, match.index)}${attachedName.test(name) ? `\n${codeMark}\n` : "\n"}`
      from = close + name.length + 3
    }
  }
  return from === 0 ? text : requestIn(`${kept}${text.slice(from)}`)
}

/** Most rules of a system prompt that are dropped, count: longer prompts are rare and cost time. */
const preambleSentencesMax = 24
/** Longest system prompt that is dropped as one paragraph, characters. */
const paragraphCharsMax = 1_500

/** The text without greetings, personas and rules of a system prompt at its start. */
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

/** Most closing courtesies and format rules that are dropped, sentences. */
const trailerSentencesMax = 8
/** Least text before a heading such as "Output format", characters. With less, the section is the request. */
const beforeFormatCharsMin = 20
/** Longest section about the output's format, characters: a longer one holds more than the format. */
const formatCharsMax = 700

/** The text without a section about the output's format, courtesies and format rules at its end. */
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
