/** Structure cues of a task, such as matching patterns, lengths of its text, and shares of digits. */
import { TextCodes } from "../../domain/text/TextCodes.ts"
import { scopePatterns, spanPatterns } from "./patterns/Cues.ts"

/** Number of characters at the start and at the end that are searched for structure. */
const scopeHead = 550
const scopeTail = 300
/** A task with more characters than this around its request counts as one with pasted text. */
const besideCharsMax = 350

/** Returns the index of the first edge above a value, else the number of edges. */
const bucketOf = (value: number, edges: ReadonlyArray<number>): number => {
  const index = edges.findIndex((edge) => value < edge)
  return index < 0 ? edges.length : index
}

/** Cue identifiers are in [0, cueCount). */
export const cueCount = 256
const bucketBase = 160

/**
 * Returns the identifiers of the cues that a task has. Each pattern reads at most about 850 characters.
 *
 * @param span the request, as `instruction` finds it
 * @param masked the text without its material and its frame
 */
export const cues = (span: string, masked: string): ReadonlyArray<number> => {
  const scope = masked.length <= scopeHead + scopeTail
    ? masked
    : `${masked.slice(0, scopeHead)}\n${masked.slice(-scopeTail)}`
  const found: Array<number> = []
  spanPatterns.forEach((pattern, cue) => { if (pattern.test(span)) found.push(cue) })
  const contentCues = found.length
  scopePatterns.forEach((pattern, cue) => { if (pattern.test(scope)) found.push(spanPatterns.length + cue) })
  if (contentCues === 0) found.push(bucketBase - 1)
  if (isLong(span, masked)) found.push(bucketBase - 2)
  if (masked.length <= span.length * 1.1) found.push(bucketBase - 3)
  const counts = countsOf(scope)
  const buckets = [
    bucketOf(masked.length, [20, 40, 80, 160, 350, 800, 1_600, 3_200]),
    bucketOf(span.length, [15, 30, 60, 100, 180, 300]),
    bucketOf(counts.lines, [2, 3, 5, 9, 17]),
    bucketOf(counts.questions, [1, 2, 4]),
    bucketOf(counts.digits / (scope.length + 1), [0.001, 0.02, 0.06, 0.15]),
    bucketOf(counts.brackets / (scope.length + 1), [0.001, 0.02, 0.06]),
    bucketOf(counts.wide / (scope.length + 1), [0.001, 0.05, 0.3])
  ]
  buckets.forEach((bucket, index) => found.push(bucketBase + index * 10 + bucket))
  return found
}

/** Returns true if a task has so much text around its request that something was pasted. */
export const isLong = (span: string, masked: string): boolean => masked.length - span.length > besideCharsMax

/** Kind of each ASCII character. */
const [feed, question, digit, bracket, wide] = [1, 2, 3, 4, 5]
const kinds = Uint8Array.from({ length: 128 }, (_, code) =>
  code === 10 ? feed : code === 63 ? question : code >= 48 && code <= 57 ? digit
    : "{}[]()".includes(String.fromCharCode(code)) ? bracket : 0)
const wideQuestionMark = 0xff1f

// Buffers that one synchronous call uses.
const reading = new TextCodes(1_024)
const counts = new Uint32Array(wide + 1)

const countsOf = (text: string) => {
  reading.read(text)
  counts.fill(0)
  const { codes, length } = reading
  for (let index = 0; index < length; index++) {
    const code = codes[index]!
    counts[code < 128 ? kinds[code]! : code === wideQuestionMark ? question : wide]!++
  }
  return {
    lines: 1 + counts[feed]!,
    questions: counts[question]!,
    digits: counts[digit]!,
    brackets: counts[bracket]!,
    wide: counts[wide]!
  }
}
