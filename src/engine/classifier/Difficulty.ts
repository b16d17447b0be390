/** The difficulty of a task from its text: a trained linear formula. */
import { readFileSync } from "node:fs"
import { TextCodes } from "../../domain/text/TextCodes.ts"

/** The names of the counts that describe a text's shape, in the order of the trained weights. */
export const shapeNames = [
  "chars", "words", "lines", "longestLine", "questions", "brackets", "maths", "commands", "wide"
] as const

const [letterBit, questionBit, bracketBit, mathsBit] = [1, 2, 4, 8]
const bitsOf = (character: string): number =>
  (/[a-z']/i.test(character) ? letterBit : 0) | (character === "?" ? questionBit : 0)
  | ("()[]{}".includes(character) ? bracketBit : 0) | ("=+^<>".includes(character) ? mathsBit : 0)
const kinds = Uint8Array.from({ length: 128 }, (_, code) => bitsOf(String.fromCharCode(code)))
const feed = 10
const backslash = 92
const wideQuestionMark = 0xff1f
const wideMaths = new Set([..."≤≥∑∫√×÷∈∀∃"].map((sign) => sign.charCodeAt(0)))
/** Tells whether a character outside ASCII counts as a letter. */
const isWideLetter = (code: number): boolean =>
  code >= 0xc0 && (code < 0x2000 || code > 0x303f) && (code < 0xff00 || code > 0xff20)

const reading = new TextCodes(4_608)

/**
 * Computes log(1 + count) for each of {@link shapeNames}. `wide` counts characters outside ASCII. A TeX
 * command (`\frac`) is counted in `commands` and in `maths`.
 */
export const shapeOf = (text: string): Float64Array => {
  reading.read(text)
  const { codes, length } = reading
  let [words, lines, longestLine, lineStart] = [0, 0, 0, 0]
  let [questions, brackets, maths, commands, wide] = [0, 0, 0, 0, 0]
  let wasLetter = false
  for (let index = 0; index < length; index++) {
    const code = codes[index]!
    let isLetter = false
    if (code < 128) {
      const bits = kinds[code]!
      isLetter = (bits & letterBit) !== 0
      if (bits > letterBit) {
        questions += (bits & questionBit) >> 1
        brackets += (bits & bracketBit) >> 2
        maths += (bits & mathsBit) >> 3
      } else if (code === feed) {
        lines++
        if (index - lineStart > longestLine) longestLine = index - lineStart
        lineStart = index + 1
      }
      if (isLetter && index > 0 && codes[index - 1] === backslash) commands++
    } else {
      wide++
      isLetter = isWideLetter(code)
      if (code === wideQuestionMark) questions++
      else if (!isLetter && wideMaths.has(code)) maths++
    }
    if (isLetter && !wasLetter) words++
    wasLetter = isLetter
  }
  if (length - lineStart > longestLine) longestLine = length - lineStart
  return Float64Array.of(
    length, words, lines, longestLine, questions, brackets, maths + commands, commands, wide
  ).map(Math.log1p)
}

/**
 * Weights of the formula for a difficulty in logits of failure. A difficulty above 0 is harder than medium.
 */
export interface DifficultyWeights {
  readonly intercept: number
  /** Weight of the difficulty that the hashed features predict. */
  readonly words: number
  readonly shape: ReadonlyArray<number>
}

/** Largest distance from medium of a difficulty that is estimated from a text, logit. */
const largest = 2

/** The difficulty, logit, not yet limited to [-2, 2]. The hashed features predict `words`, in [0, 4]. */
export const line = (weights: DifficultyWeights, words: number, shape: ArrayLike<number>): number => {
  let sum = weights.intercept + weights.words * words
  for (let index = 0; index < weights.shape.length; index++) sum += weights.shape[index]! * shape[index]!
  return sum
}

/** The committed weights of the formula, which `scripts/training/difficulty.ts` writes. */
export const difficultyWeights =
  // The cast is safe, because a test reads every field of the committed file.
  JSON.parse(readFileSync(new URL("./difficulty.json", import.meta.url), "utf8")) as DifficultyWeights

/** Difficulty of a text, logit in [-2, 2]. The hashed features predict `words`, in [0, 4]. */
export const difficultyLogitOf = (text: string, words: number): number =>
  Math.min(largest, Math.max(-largest, line(difficultyWeights, words, shapeOf(text))))
