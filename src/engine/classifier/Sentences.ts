/** Splits a text into sentences, and defines the lengths by which the other files judge them. */

import { TextCodes } from "../../domain/text/TextCodes.ts"

/** Longest line or sentence that patterns are tried on, characters: longer ones are content. */
export const markerCharsMax = 320

/**
 * Least that must remain when a preamble, a trailer or a frame is dropped, characters; else it was the task
 * itself.
 */
export const taskCharsMin = 6

/**
 * Adds to `ends` where the sentences of one line, the codes [from, to), end: after a stop, question or
 * exclamation mark before a space, and at the end of the line. Cheap on purpose.
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

/** The line that is split: scratch space of one synchronous call. */
const text = new TextCodes(2_048)

/** The sentences of one line. */
export const sentencesOf = (line: string): ReadonlyArray<string> => {
  const ends: Array<number> = []
  text.read(line)
  addSentenceEnds(text.codes, 0, line.length, ends)
  return ends.map((end, index) => line.slice(index === 0 ? 0 : ends[index - 1]!, end))
}

/** A sentence without its bullet, number or heading marks. */
export const bare = (sentence: string): string =>
  sentence.replace(/^[\s\d.)#*>\-•"'[\]]{0,12}/, "").trimEnd()

/** Index at which the last sentence of `text` begins. */
export const lastBoundary = (text: string): number => {
  for (let index = text.length - 2; index > 0; index--) {
    const code = text.charCodeAt(index)
    if (code === 10) return index + 1
    if ((code === 46 || code === 63 || code === 33) && text.charCodeAt(index + 1) === 32) return index + 2
  }
  return 0
}
