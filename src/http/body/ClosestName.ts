/* Finds the known name that a caller most likely misspelt. */
import { snakeCase } from "../../domain/wire/Wire.ts"
import { dice } from "../../stats/Overlap.ts"

/** Minimum similarity of a suggestion to the unknown name, in [0, 1]. Chosen. */
const similarityMin = 0.5

/** Minimum difference between the similarities of the best and the second-best name, in [0, 1]. Chosen. */
const leadMin = 0.1

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const pairsOf = (name: string): ReadonlySet<string> => {
  const plain = lettersOf(name)
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, i) => plain.slice(i, i + 2)))
}

/** Returns undefined if no known name is similar enough, or if two names are about as similar. */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const pairs = pairsOf(name)
  const [best, next] = known
    .map((each) => ({ each, similarity: dice(pairs, pairsOf(each)) }))
    .sort((left, right) => right.similarity - left.similarity)
  const least = Math.max(similarityMin, (next?.similarity ?? 0) + leadMin)
  return best !== undefined && best.similarity >= least ? best.each : undefined
}

/** Maximum number of differing letters; `long` is for known names of 8 or more letters. Chosen. */
const slipMax = { short: 1, long: 2 }

/** Counts the letters of the longer text that are between the common beginning and the common end. */
const differing = (left: string, right: string): number => {
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && left[start] === right[start]) start++
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++
  return Math.max(left.length, right.length) - start - end
}

/**
 * A misspelt name may differ in case, in separators, and by one or two letters in one place. A name that
 * adds or omits a last word is not misspelt, because a later version may have it.
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
