/** Prompts for the benchmarks of speed: those that a lane has seen, and those that callers ask about. */
import { rowsIn } from "../../training/words.ts"

/** The committed synthetic prompts: what the lanes of the benchmarks have seen. */
export const known: ReadonlyArray<string> =
  rowsIn<{ readonly task: string }>("synthetic").map(({ task }) => task)

const count = 50
const charsMin = 100
const charsMax = 2_000

/** A prompt and, as people do, what they paste below it, cut at `chars`. */
const pasted = (seed: number, chars: number): string => {
  const at = (index: number) => known[(seed * 97 + index * 31) % known.length] ?? ""
  let text = at(0)
  for (let i = 1; text.length < chars; i++) text += `\n\n${at(i)}`
  return text.slice(0, chars)
}

/** Fifty prompts of 100 to 2,000 characters, lengths in equal ratios: short ones are commoner. */
export const asked: ReadonlyArray<string> = Array.from({ length: count }, (_, i) =>
  pasted(i, Math.round(charsMin * (charsMax / charsMin) ** (i / (count - 1)))))
