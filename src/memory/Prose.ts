/** Longest error text that is sent, in characters: a stack trace says the same thing further down. */
export const errorTextMax = 20_000
/** Longest prose of a step that is kept, in characters: 32 steps of it fit into one body. */
export const proseMax = 2_000

/** The beginning of a text, well formed; null stays null. */
export const short = <Text extends string | null>(text: Text, lengthMax: number): Text | string =>
  text === null ? text : text.slice(0, lengthMax).toWellFormed()
