/** Splits a text into sentences, and finds the signs that rules read in each sentence. */
import { TextCodes } from "../../domain/text/TextCodes.ts"
import {
  contentLabel, label, lead, leadWords, notProse, opensContent, questionStart, taskWord, verbs
} from "./patterns/Requests.ts"

/** Number of characters up to which most patterns match a line or a sentence. */
export const markerCharsMax = 320

/** Minimum length that a text must keep for its wrapping to be removed, characters. */
export const taskCharsMin = 6

/**
 * Adds the indices at which the sentences of one line end. A sentence ends at the end of the line, after a
 * full-width mark (。？！), and after a full stop, question or exclamation mark before a space.
 */
export const addSentenceEnds = (codes: Uint16Array, from: number, to: number, ends: Array<number>): void => {
  let start = from
  for (let index = from; index < to; index++) {
    const code = codes[index]!
    if (code > 63 && code < 0x3000) continue
    const wide = code === 0x3002 || code === 0xff1f || code === 0xff01
    const narrow = (code === 46 || code === 63 || code === 33) && index + 1 < to && codes[index + 1] === 32
    if (!wide && !narrow) continue
    start = index + 1
    ends.push(start)
  }
  if (start < to) ends.push(to)
}

const text = new TextCodes(2_048)

export const sentencesOf = (line: string): ReadonlyArray<string> => {
  const ends: Array<number> = []
  text.read(line)
  addSentenceEnds(text.codes, 0, line.length, ends)
  return ends.map((end, index) => line.slice(index === 0 ? 0 : ends[index - 1]!, end))
}

/** Returns a sentence without its bullet, number or heading marks. */
export const bare = (sentence: string): string =>
  sentence.replace(/^[\s\d.)#*>\-•"'[\]]{0,12}/, "").trimEnd()

/** Returns the index at which the last sentence of `text` begins. */
export const lastBoundary = (text: string): number => {
  for (let index = text.length - 2; index > 0; index--) {
    const code = text.charCodeAt(index)
    if (code === 10) return index + 1
    if ((code === 46 || code === 63 || code === 33) && text.charCodeAt(index + 1) === 32) return index + 2
  }
  return 0
}

/** Number of characters at the start of a sentence in which rules look for most of its signs. */
export const headChars = 120

/** The bits of a sentence's signs (properties). The trained weights depend on the order of the signs. */
export const opensBit = 1
export const asksBit = 2
export const namesTaskBit = 4
export const labelsRequestBit = 8
export const labelsContentBit = 16
export const introducesBit = 32
export const isDataBit = 64
export const signCount = 7

const bullets = /^[\s\d.)#*>\-•"']{0,12}/
const bulletCharsMax = 12
const tableOf = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => Number(pattern.test(String.fromCharCode(code))))
const isBullet = tableOf(/[\s\d.)#*>\-"']/)
const isLetter = tableOf(/[a-z']/i)

const bulletsOf = (text: string): number => {
  for (let index = 0; index < bulletCharsMax; index++) {
    const code = text.charCodeAt(index)
    if (code > 127) return bullets.exec(text)![0].length
    if (isBullet[code] !== 1) return index
  }
  return bulletCharsMax
}

const word = /^[\p{L}']{1,20}/u
const wordCharsMax = 20

const wordAt = (text: string, start: number): string => {
  let end = start
  for (; end < start + wordCharsMax; end++) {
    const code = text.charCodeAt(end)
    if (code > 127) return (word.exec(text.slice(start))?.[0] ?? "").toLowerCase()
    if (isLetter[code] !== 1) break
  }
  return text.slice(start, end).toLowerCase()
}

/** Returns the first word after a sentence's courtesies, in lower case. */
const firstWord = (unit: string): string => {
  let start = bulletsOf(unit)
  let first = wordAt(unit, start)
  for (let round = 0; round < 2 && leadWords.has(first); round++) {
    start += lead.exec(unit.slice(start))?.[0].length ?? 0
    first = wordAt(unit, start)
  }
  return first
}

export const opensRequest = (unit: string): boolean => verbs.has(firstWord(unit))

/** A sentence such as "How the ferry came back" is no order. */
export const opensOrder = (unit: string): boolean =>
  opensRequest(unit) && !opensContent.test(unit)
  && (!questionStart.test(unit) || asks(unit, unit.trimEnd().length))

/** Returns the index of the first colon, ASCII or full-width, else -1. */
export const colonIn = (text: string): number => {
  const narrow = text.indexOf(":")
  const wide = text.indexOf("：")
  return narrow < 0 ? wide : wide < 0 ? narrow : Math.min(narrow, wide)
}

const speaker = /^[^:：\n]{1,40}[:：]\s+(?=\p{L})/u

/** Removes a speaker's name ("Visitor: ") before a request, but no label ("Question: "). */
export const withoutSpeaker = (unit: string): string => {
  if (colonIn(unit) < 1) return unit
  const name = speaker.exec(unit)?.[0]
  if (name === undefined || label.test(unit) || contentLabel.test(unit) || opensRequest(unit)) return unit
  const rest = unit.slice(name.length)
  return opensRequest(rest) ? rest : unit
}

const isClosing = (code: number): boolean => code === 34 || code === 39 || code === 41 || code === 93

const asks = (unit: string, length: number): boolean => {
  let last = length - 1
  for (let count = 0; count < 2 && isClosing(unit.charCodeAt(last)); count++) last--
  const code = unit.charCodeAt(last)
  return code === 63 || code === 0xff1f
}

/** Returns a sentence's signs, such as a question mark, as bits. `length` leaves out final white space. */
export const signsOf = (unit: string, length: number): number => {
  const head = unit.slice(0, headChars)
  const colon = colonIn(head)
  const isLabelled = colon >= 0 && label.test(head)
  const last = unit.charCodeAt(length - 1)
  return (verbs.has(firstWord(isLabelled ? head.slice(colon + 1) : head)) ? opensBit : 0)
    | (asks(unit, length) ? asksBit : 0)
    | (taskWord.test(head) ? namesTaskBit : 0)
    | (isLabelled ? labelsRequestBit : 0)
    | (colon >= 0 && contentLabel.test(head) ? labelsContentBit : 0)
    | (last === 58 || last === 0xff1a ? introducesBit : 0)
    | (notProse.test(head) ? isDataBit : 0)
}
