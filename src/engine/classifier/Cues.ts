/** Structure cues of a task: which patterns hold, and how long and how dense its text is. */
import { GuardedPatterns } from "./GuardedPatterns.ts"
import { scopePatterns, spanPatterns } from "./patterns/Cues.ts"

const inSpan = new GuardedPatterns(spanPatterns)
const inScope = new GuardedPatterns(scopePatterns)

/** Structure is looked for in this much of a task: requests and labels stand near its ends. */
const scopeHead = 550
const scopeTail = 300
/** Characters of text beside the request beyond which something was pasted. */
const besideCharsMax = 350

/** Index of the first edge above a value; the number of edges where none is. */
const bucketOf = (value: number, edges: ReadonlyArray<number>): number => {
  const index = edges.findIndex((edge) => value < edge)
  return index < 0 ? edges.length : index
}

/** Number of possible cue identifiers. */
export const cueCount = 256
const bucketBase = 160

/**
 * Identifiers, each in [0, cueCount), of the cues that hold for a task. Every pattern reads at most about 850
 * characters.
 *
 * @param span the instruction span
 * @param masked the squeezed text without fenced blocks
 */
export const cues = (span: string, masked: string): ReadonlyArray<number> => {
  const scope = masked.length <= scopeHead + scopeTail
    ? masked
    : `${masked.slice(0, scopeHead)}\n${masked.slice(-scopeTail)}`
  const found: Array<number> = []
  inSpan.holding(span, 0, found)
  const contentCues = found.length
  inScope.holding(scope, spanPatterns.length, found)
  if (contentCues === 0) found.push(bucketBase - 1)
  if (masked.length - span.length > besideCharsMax) found.push(bucketBase - 2)
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

/** Whether a task has much more text than its request. */
export const isLong = (span: string, masked: string): boolean => masked.length - span.length > besideCharsMax

/** Of braces, brackets and parentheses. */
const bracketCodes = new Set([..."{}[]()"].map((mark) => mark.charCodeAt(0)))

/** Lines, question marks, digits, brackets and characters past ASCII of a text, counts. */
const countsOf = (text: string) => {
  const counts = { lines: 1, questions: 0, digits: 0, brackets: 0, wide: 0 }
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 10) counts.lines++
    else if (code === 63 || code === 0xff1f) counts.questions++
    else if (code >= 48 && code <= 57) counts.digits++
    else if (bracketCodes.has(code)) counts.brackets++
    else if (code > 127) counts.wide++
  }
  return counts
}
