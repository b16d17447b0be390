/** Builders of patterns from words, and gaps between two words of a pattern. */

export const anyOf = (...parts: ReadonlyArray<string>): string => `(?:${parts.join("|")})`
/** An expression of `before` and the joined `parts`, which ignores case. */
export const at = (before: string, ...parts: ReadonlyArray<string>): RegExp => new RegExp(before + parts.join(""), "iu")
/** Gaps between two words of one request: 40 characters of a sentence, 120 of a line. */
export const [near, far] = ["[^.!?\\n]{0,40}?", "[^!?\\n]{0,120}?"]
