/* The limits of callers' texts, and the functions that cut texts. */

/**
 * Maximum code points that are read of each text. The specification sets no limits, so longer text is cut,
 * not refused. Ids and labels are not cut but use `Identifier`, because they are compared exactly.
 */
export const textLimits = {
  /** Beginning and end of a task, which usually hold its instructions. */
  taskHead: 3_000,
  taskTail: 1_000,
  /** Limit of the `notes` of a feedback, and of the error text in a lesson. Chosen. */
  notes: 8_000,
  /** Limit of a step's `step_name`. Chosen for one line. */
  stepName: 200,
  /** Limit of a step's `rationale` and `directive_hint`, chosen so that 32 steps fit into a body of 1 MB. */
  stepProse: 2_000,
  /** Limit of the error text in a diagnosis, and in a lesson that a remote memory stores. Chosen. */
  errorText: 20_000,
  /** Limit of a lesson's text that is sent to or read from a remote memory. Chosen. */
  lessonContent: 4_000
} as const

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const isPair = (text: string, at: number): boolean =>
  isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))

const endOf = (text: string, count: number): number => {
  if (text.length <= count) return text.length
  let at = 0
  for (let taken = 0; taken < count && at < text.length; taken++) at += isPair(text, at) ? 2 : 1
  return at
}

const startOf = (text: string, count: number): number => {
  if (text.length <= count) return 0
  let at = text.length
  for (let taken = 0; taken < count && at > 0; taken++) at -= at > 1 && isPair(text, at - 2) ? 2 : 1
  return at
}

/** Returns the first `codePoints` code points of a text, without half of a surrogate pair. */
export const cut = (text: string, codePoints: number): string => text.slice(0, endOf(text, codePoints))

export const cutBetween = (text: string, head: number, between: string, tail: number): string => {
  if (text.length <= head) return text
  const end = endOf(text, head)
  const start = startOf(text, tail)
  return end >= start ? text : `${text.slice(0, end)}${between}${text.slice(start)}`
}
