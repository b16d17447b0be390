/** Prompts for the benchmarks of speed: those that a lane has seen, and those that callers ask about. */
import { rowsIn } from "../../training/words.ts"

interface Labelled {
  readonly task: string
  readonly task_type: string
  readonly difficulty: string
}

const labelled = rowsIn<Labelled>("synthetic")

/** The committed synthetic prompts: what the lanes of the benchmarks have seen. */
export const known: ReadonlyArray<string> = labelled.map(({ task }) => task)

const count = 50
const charsMin = 100
const charsMax = 2_000

/** The place of the prompt that the one with this number begins with. */
const beginningOf = (seed: number, index = 0): number => (seed * 97 + index * 31) % known.length

/** A prompt and, as people do, what they paste below it, cut at `chars`. */
const pasted = (seed: number, chars: number): string => {
  const at = (index: number) => known[beginningOf(seed, index)] ?? ""
  let text = at(0)
  for (let i = 1; text.length < chars; i++) text += `\n\n${at(i)}`
  return text.slice(0, chars)
}

/** Fifty prompts of 100 to 2,000 characters, lengths in equal ratios: short ones are commoner. */
export const asked: ReadonlyArray<string> = Array.from({ length: count }, (_, i) =>
  pasted(i, Math.round(charsMin * (charsMax / charsMin) ** (i / (count - 1)))))

/** Type and difficulty of each of them, as a caller gives them who knows: those of the prompt it begins with. */
export const askedLabels: ReadonlyArray<Pick<Labelled, "task_type" | "difficulty">> = asked.map((_, i) => {
  const { difficulty = "medium", task_type = "other" } = labelled[beginningOf(i)] ?? {}
  return { task_type, difficulty }
})
