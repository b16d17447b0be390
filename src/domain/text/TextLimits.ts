/* The limits of a caller's texts, in one table, and the one function that cuts by them. */

/**
 * Longest texts of a caller that are read and kept, in code points. The specification names none, so a
 * longer text is cut and not refused. What is compared exactly (ids, labels) is an `Identifier` instead.
 */
export const textLimits = {
  /** Beginning and end of a task that are kept and embedded: instructions stand there. */
  taskHead: 3_000,
  taskTail: 1_000,
  /** `notes` of a feedback, and what a lesson keeps of all that was said of a failure. Chosen. */
  notes: 8_000,
  /** A step's `step_name`: one line. Chosen. */
  stepName: 200,
  /** A step's `rationale` and `directive_hint`: 32 steps of both fit into one body of 1 MB. */
  stepProse: 2_000,
  /** `error_text` of a diagnosis, or given to a memory: the rest of a stack trace repeats its beginning. */
  errorText: 20_000,
  /** A lesson's sentence, given to a memory or read from an external one. Chosen. */
  lessonContent: 4_000
} as const

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const isPair = (text: string, at: number): boolean =>
  isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))

/** Where the first `count` code points of a text end, in UTF-16 units; its end when it has no more. */
const endOf = (text: string, count: number): number => {
  if (text.length <= count) return text.length
  let at = 0
  for (let taken = 0; taken < count && at < text.length; taken++) at += isPair(text, at) ? 2 : 1
  return at
}

/** Where the last `count` code points of a text begin, in UTF-16 units; 0 when it has no more. */
const startOf = (text: string, count: number): number => {
  if (text.length <= count) return 0
  let at = text.length
  for (let taken = 0; taken < count && at > 0; taken++) at -= at > 1 && isPair(text, at - 2) ? 2 : 1
  return at
}

/** The first `codePoints` of a text, >= 0; never half of a surrogate pair. */
export const cut = (text: string, codePoints: number): string => text.slice(0, endOf(text, codePoints))

/** The first `head` and last `tail` code points with `between` them; the text itself when it is no longer. */
export const cutBetween = (text: string, head: number, between: string, tail: number): string => {
  if (text.length <= head) return text
  const end = endOf(text, head)
  const start = startOf(text, tail)
  return end >= start ? text : `${text.slice(0, end)}${between}${text.slice(start)}`
}
