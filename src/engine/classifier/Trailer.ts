/** Drops the trailer of a request: format rules, closing courtesies, signatures. */
import { formatBody, formatHeading, trailer } from "./patterns/Trailers.ts"
import { bare, lastBoundary, markerCharsMax, taskCharsMin } from "./Sentences.ts"

/** Sentences from the end in which closing courtesies and format rules are looked for, count. */
const trailerSentencesMax = 8
/** Characters before a heading of the output's format: with fewer, the section is the request itself. */
const beforeFormatCharsMin = 20
/** Longest section about the output's format, characters: a longer one holds more than the format. */
const formatCharsMax = 700

/** The text without a section about the output's format, closing courtesies and format rules at its end. */
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
