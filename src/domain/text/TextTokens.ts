/*
 * How many tokens a text has, without a tokenizer. The estimate is on the high side: a text that does not fit
 * cannot run.
 */

/** Tokens of a character in English and in program text. */
const plain = 1 / 4

/**
 * Texts that tokenizers of 2024 to 2026 split into shorter pieces, with their tokens a UTF-16 unit: alphabets
 * such as Greek, Cyrillic, Arabic and those of South Asia (0.3 to 0.6); Han, kana, Hangul, symbols and emoji
 * (0.6 to 1); and runs of letters and digits as long as no word, such as base64 and keys.
 */
const dense: ReadonlyArray<readonly [RegExp, number]> = [
  [/[\x80-\u10ff]+/g, 0.45], [/[\u1100-\uffff]+/g, 0.8], [/(?<![\w+/=-])[\w+/=-]{65,}/g, 2 / 3]
]

/** Estimated tokens of a text, >= 0, not rounded. */
export const textTokens = (text: string): number =>
  dense.reduce(
    (sum, [of, tokens]) => sum + (text.match(of) ?? []).join("").length * (tokens - plain),
    text.length * plain
  )
