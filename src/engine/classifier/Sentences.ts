/** Where the sentences of a text begin and end, and the lengths by which the other files judge them. */

/** Longest line or sentence that patterns are tried on, characters: longer ones are content. */
export const markerCharsMax = 320

/**
 * Least that must remain when a preamble, a trailer or a frame is dropped, characters; else it was the task
 * itself.
 */
export const taskCharsMin = 6

/**
 * The sentences of one line, each up to a stop, question or exclamation mark before a space: cheap on
 * purpose.
 */
export const sentencesOf = (line: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let start = 0
  for (let index = 0; index < line.length; index++) {
    const code = line.charCodeAt(index)
    const wide = code === 0x3002 || code === 0xff1f || code === 0xff01
    const narrow = (code === 46 || code === 63 || code === 33) && line.charCodeAt(index + 1) === 32
    if (!wide && !narrow) continue
    sentences.push(line.slice(start, index + 1))
    start = index + 1
  }
  if (start < line.length) sentences.push(line.slice(start))
  return sentences
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
