/* Finds the name that a misspelt one most likely stands for. */
import { dice } from "../stats/Overlap.ts"

/** Lowest similarity of an offered name, in [0, 1]. Chosen: `max_cost` is 0.6 of `max_cost_per_call`. */
const similarityMin = 0.5

/** Least lead over the next name, in [0, 1]: `models` is about as near to two constraints. Chosen. */
const leadMin = 0.1

/** The pairs of neighbouring letters and digits of a name, whatever its case and between its words. */
const pairsOf = (name: string): ReadonlySet<string> => {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "")
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, i) => plain.slice(i, i + 2)))
}

/**
 * The known name that has most pairs of letters in common with a misspelt one; undefined when none is near,
 * or another is about as near.
 */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const pairs = pairsOf(name)
  const [best, next] = known
    .map((each) => ({ each, similarity: dice(pairs, pairsOf(each)) }))
    .sort((left, right) => right.similarity - left.similarity)
  const least = Math.max(similarityMin, (next?.similarity ?? 0) + leadMin)
  return best !== undefined && best.similarity >= least ? best.each : undefined
}
