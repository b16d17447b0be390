/** Patterns of words and of what stands between them. */

/** One of these patterns. */
export const anyOf = (...parts: ReadonlyArray<string>): string => `(?:${parts.join("|")})`
/** A pattern of words at a place of a text, in any case. */
export const at = (before: string, ...parts: ReadonlyArray<string>): RegExp => new RegExp(before + parts.join(""), "iu")
/** Between two words of one request. */
export const [near, far] = ["[^.!?\\n]{0,40}?", "[^!?\\n]{0,120}?"]
