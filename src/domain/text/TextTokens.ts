/* Estimates a text's tokens, rather too high, because a text that does not fit cannot run. */

/** Tokens per character of English text and of program text. */
const plain = 1 / 4

/**
 * Tokens per UTF-16 unit of texts other than English and programs, for tokenizers of 2024 to 2026. Alphabets
 * such as Greek and Cyrillic need 0.3 to 0.6 tokens per unit. Han, kana, Hangul, symbols and emoji need 0.6
 * to 1 tokens per unit. Long runs of letters and digits are treated as base64 text or keys.
 */
const dense: ReadonlyArray<readonly [RegExp, number]> = [
  [/[\x80-\u10ff]+/g, 0.45], [/[\u1100-\uffff]+/g, 0.8], [/(?<![\w+/=-])[\w+/=-]{65,}/g, 2 / 3]
]

/** Returns the estimated tokens of a text, >= 0, not rounded. */
export const textTokens = (text: string): number =>
  dense.reduce(
    (sum, [of, tokens]) => sum + (text.match(of) ?? []).join("").length * (tokens - plain),
    text.length * plain
  )
