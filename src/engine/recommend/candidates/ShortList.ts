/** The short list: which of the allowed models become candidates when there are too many. */
import type { Candidate } from "./Candidate.ts"

/** A model that may have a place on the short list. */
export interface ShortListEntry {
  readonly candidate: Candidate
  /**
   * Cost of a standard request, USD. Not of this request: a list that moved with its type and length would
   * drop the models that the lane has just learned about.
   */
  readonly standardUsd: number
  /** Whether this request's list cost is within its cost budget; true without a budget. */
  readonly isAffordable: boolean
}

const byPrior = (a: ShortListEntry, b: ShortListEntry): number =>
  b.candidate.prior - a.candidate.prior || a.standardUsd - b.standardUsd
  || (a.candidate.card.modelId < b.candidate.card.modelId ? -1 : 1)

/** Entries that no other beats on both prior and cost, cheapest first. */
const paretoFront = (entries: ReadonlyArray<ShortListEntry>): ReadonlyArray<ShortListEntry> => {
  const front: Array<ShortListEntry> = []
  let best = -Infinity
  for (const entry of [...entries].sort((a, b) => a.standardUsd - b.standardUsd || byPrior(a, b))) {
    if (entry.candidate.prior > best) {
      front.push(entry)
      best = entry.candidate.prior
    }
  }
  return front
}

/**
 * `count` entries of a longer front at even steps of log cost, both ends kept; the better end if there is
 * room for one. Steps of cost and not of rank: a model that joins or leaves then moves only its
 * surroundings. A free model has no logarithm, so it is kept beside the steps.
 */
const spread = (front: ReadonlyArray<ShortListEntry>, count: number): ReadonlyArray<ShortListEntry> => {
  const [cheapest] = front
  const best = front.at(-1)
  if (front.length <= count || cheapest === undefined || best === undefined) return front
  if (count < 2) return front.slice(front.length - count)
  if (cheapest.standardUsd <= 0) return [cheapest, ...spread(front.slice(1), count - 1)]
  const place = (entry: ShortListEntry) => Math.log(entry.standardUsd)
  const [low, high] = [place(cheapest), place(best)]
  const chosen = new Set([cheapest, best])
  for (let step = 1; step < count - 1; step++) {
    const target = low + ((high - low) * step) / (count - 1)
    const open = front.filter((entry) => !chosen.has(entry))
    chosen.add(open.reduce((nearest, entry) =>
      Math.abs(place(entry) - target) < Math.abs(place(nearest) - target) ? entry : nearest))
  }
  return [...chosen]
}

/**
 * Adds entries until `limit` are chosen: the Pareto front of (prior, standard cost), then by prior, and
 * models that the cost budget allows before those that it does not. Cutting by prior alone would leave only
 * frontier models and make the slider inert.
 */
const fill = (
  chosen: Set<ShortListEntry>,
  entries: ReadonlyArray<ShortListEntry>,
  limit: number
): void => {
  for (const isAffordable of [true, false]) {
    const pool = entries.filter((entry) => entry.isAffordable === isAffordable)
    const front = paretoFront(pool).filter((entry) => !chosen.has(entry))
    for (const entry of spread(front, limit - chosen.size)) chosen.add(entry)
    // A front longer than the list fills it.
    if (chosen.size >= limit) break
    for (const entry of [...pool].sort(byPrior)) if (chosen.size < limit) chosen.add(entry)
  }
}

/**
 * At most `limit` candidates: `kept` ids first, in their order, then the account's own models, then the
 * others. Of more own models than there are places, the same rule chooses as of all.
 */
export const cap = (
  entries: ReadonlyArray<ShortListEntry>,
  limit: number,
  kept: ReadonlySet<string>,
  ownModelIds: ReadonlySet<string> = new Set()
): ReadonlyArray<Candidate> => {
  if (entries.length <= limit) return entries.map((entry) => entry.candidate)
  const held = [...kept].flatMap((id) => entries.find((entry) => entry.candidate.card.modelId === id) ?? [])
  const chosen = new Set<ShortListEntry>(held.slice(0, limit))
  fill(chosen, entries.filter(({ candidate }) => ownModelIds.has(candidate.card.modelId)), limit)
  fill(chosen, entries, limit)
  return [...chosen].map((entry) => entry.candidate)
}
