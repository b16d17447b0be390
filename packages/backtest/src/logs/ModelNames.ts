/* Finds the catalog's models by the names that a log gives them, and the nearest name for those it lacks. */
import { findModel } from "../../../../src/catalog/Lookup.ts"
import { readingsOf } from "../../../../src/catalog/names/Routes.ts"
import { keyOf, shortened } from "../../../../src/catalog/names/Suffixes.ts"
import type { CatalogSnapshot, ModelCard } from "../../../../src/domain/model/Model.ts"

export interface ModelNames {
  /** The model that a name of the log stands for; null where the catalog has none. */
  readonly find: (name: string) => ModelCard | null
  /** The id in the catalog that is spelled most like a name; null where none is near. For people alone. */
  readonly nearest: (name: string) => string | null
  /** Aliases that name no model of the catalog: `theirs=ours` as the user wrote them. */
  readonly brokenAliases: ReadonlyArray<string>
}

/** Names that are looked for by their spelling, count, which bounds the work for any log. Chosen. */
const searchesMax = 1_000

/** Characters of a name that are compared: those of real ones. */
const comparedMax = 64

/** Edits by which two names may differ: this share of the characters, and no more than so many. Chosen. */
const editsShare = 1 / 3
const editsMax = 6

/** Characters of a name that suffice for a longer one that begins with it, such as a fine-tuned model's. */
const stemMin = 5

const noMakers: ReadonlySet<string> = new Set()

/** Prefix of OpenAI's fine-tuned models: `ft:gpt-4o-mini-2024-07-18:organisation::id`. */
const fineTuned = /^ft:([^:]+).*$/

/** What of a name is compared: without its route and its endings, in one form. */
const bareOf = (name: string): string => {
  const route = name.slice(0, 4 * comparedMax).replace(fineTuned, "$1")
  const readings = readingsOf(route, noMakers)
  const bare = (readings.at(-1)?.name ?? route).toLowerCase()
  const rest = shortened(bare, true)
  return keyOf(rest === null || !rest.isStamp ? bare : rest.name).slice(0, comparedMax)
}

/**
 * Edits from one text to the other, count: insertions, deletions, replacements, and swaps of two neighbours;
 * `limit + 1` where there are more than `limit` (optimal string alignment, Damerau 1964, Ukkonen's cut-off).
 */
const editsOf = (one: string, other: string, limit: number): number => {
  if (Math.abs(one.length - other.length) > limit) return limit + 1
  const row = () => new Int32Array(other.length + 1)
  let [before, last, current] = [row(), row(), row()] as const
  for (let j = 0; j <= other.length; j++) last[j] = j
  for (let i = 1; i <= one.length; i++) {
    current[0] = i
    let least = i
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      let edits = Math.min(last[j - 1]! + (isSame ? 0 : 1), last[j]! + 1, current[j - 1]! + 1)
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (isSwap) edits = Math.min(edits, before[j - 2]! + 1)
      current[j] = edits
      least = Math.min(least, edits)
    }
    if (least > limit) return limit + 1
    ;[before, last, current] = [last, current, before]
  }
  return last[other.length]!
}

/** Ids by what is compared of them and of their aliases; an id's own spelling before another's alias. */
const comparedOf = ({ models }: Pick<CatalogSnapshot, "models">): ReadonlyMap<string, string> => {
  const ids = new Map(models.map(({ modelId }) => [bareOf(modelId), modelId]))
  for (const { aliases, modelId } of models) {
    for (const alias of aliases) if (!ids.has(bareOf(alias))) ids.set(bareOf(alias), modelId)
  }
  return ids
}

const nearestOf = (compared: ReadonlyMap<string, string>, name: string): string | null => {
  const bare = bareOf(name)
  let left = Math.min(editsMax, Math.floor(bare.length * editsShare))
  let found: string | null = null
  for (const [other, id] of compared) {
    const edits = editsOf(bare, other, left)
    if (edits > left) continue
    found = id
    // A later one has to be nearer.
    left = edits - 1
    if (left < 0) return found
  }
  if (found !== null) return found
  let stem = ""
  for (const other of compared.keys()) {
    if (other.length >= stemMin && other.length > stem.length && bare.startsWith(`${other}-`)) stem = other
  }
  return compared.get(stem) ?? null
}

/** `aliases`: names of the log, each with the name in the catalog that the user gave for it. */
export const modelNamesOf = (
  snapshot: CatalogSnapshot,
  aliases: Readonly<Record<string, string>> = {}
): ModelNames => {
  const ours = new Map(Object.entries(aliases))
  const near = new Map<string, string | null>()
  let compared: ReadonlyMap<string, string> | null = null
  return {
    find: (name) => findModel(snapshot, ours.get(name) ?? name) ?? null,
    nearest: (name) => {
      const known = near.get(name)
      if (known !== undefined || near.size >= searchesMax) return known ?? null
      compared ??= comparedOf(snapshot)
      const found = nearestOf(compared, name)
      near.set(name, found)
      return found
    },
    brokenAliases: [...ours].filter(([, our]) => findModel(snapshot, our) === undefined)
      .map(([their, our]) => `${their}=${our}`)
  }
}
