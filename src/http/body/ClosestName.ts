/* Finds the name that a misspelt one most likely stands for. */
import { snakeCase } from "../../domain/wire/Wire.ts"
import { dice } from "../../stats/Overlap.ts"

/** Lowest similarity of an offered name, in [0, 1]. Chosen: `max_cost` is 0.6 of `max_cost_per_call`. */
const similarityMin = 0.5

/** Least lead over the next name, in [0, 1]: `models` is about as near to two constraints. Chosen. */
const leadMin = 0.1

/** The letters and digits of a name, whatever its case and between its words. */
const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** The pairs of neighbouring letters and digits of a name. */
const pairsOf = (name: string): ReadonlySet<string> => {
  const plain = lettersOf(name)
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

/** Longest stretch in which a misspelt name differs, letters; a name is long from 8 letters on. Chosen. */
const slipMax = { short: 1, long: 2 }

/** Letters of the longer of two texts that are left between their common beginning and their common end. */
const differing = (left: string, right: string): number => {
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && left[start] === right[start]) start++
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++
  return Math.max(left.length, right.length) - start - end
}

/**
 * Finds the known name that a caller has misspelt. It may differ in case, in the separators of its words, and
 * in one or two letters in one place. A name with a word more or less is another name, which a later version
 * may have.
 */
export const findMisspelt = (known: ReadonlyArray<string>): (name: string) => string | undefined => {
  const candidates = known.map((each) => ({ each, letters: lettersOf(each) }))
  const longest = Math.max(0, ...known.map(({ length }) => length))
  return (name) => {
    if (name.length > 2 * longest) return undefined
    const [letters, words] = [lettersOf(name), snakeCase(name)]
    return candidates.find(({ each, letters: meant }) =>
      Math.abs(letters.length - meant.length) <= slipMax.long
      && differing(letters, meant) <= (meant.length < 8 ? slipMax.short : slipMax.long)
      && !words.startsWith(`${each}_`) && !each.startsWith(`${words}_`))?.each
  }
}
