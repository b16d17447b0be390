/** Builders of patterns from words, and expressions for the gap between two words of a pattern. */

export const anyOf = (...parts: ReadonlyArray<string>): string => `(?:${parts.join("|")})`
/** Builds a case-insensitive expression from `before` and the joined `parts`. */
export const at = (before: string, ...parts: ReadonlyArray<string>): RegExp => new RegExp(before + parts.join(""), "iu")
/**
 * Expressions for the gap between two words of one request: up to 40 characters in a sentence, and up to 120
 * in a line.
 */
export const [near, far] = ["[^.!?\\n]{0,40}?", "[^!?\\n]{0,120}?"]
