/** The short list: which of the allowed models become candidates when there are too many. */
import type { EngineSettings } from "../../Settings.ts"
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
  /** Outcomes of the model in the lane, and of those of the request's task type, by weight. */
  readonly laneWeight: number
  readonly typeWeight: number
}

/** When a lane is mature, and from how many outcomes it knows a model. */
export type ShortListRule = Pick<EngineSettings, "matureLaneOutcomes" | "costObservationsMin">

const byPrior = (a: ShortListEntry, b: ShortListEntry): number =>
  b.candidate.prior - a.candidate.prior || a.standardUsd - b.standardUsd
  || (a.candidate.card.modelId < b.candidate.card.modelId ? -1 : 1)

/** Cheapest first; of equally cheap ones by id. */
const byCost = (a: ShortListEntry, b: ShortListEntry): number =>
  a.standardUsd - b.standardUsd || (a.candidate.card.modelId < b.candidate.card.modelId ? -1 : 1)

/**
 * Entries that no other beats on both prior and cost, cheapest first.
 *
 * @param entries in the order {@link byCost}
 */
const paretoFront = (entries: ReadonlyArray<ShortListEntry>): ReadonlyArray<ShortListEntry> => {
  const front: Array<ShortListEntry> = []
  let best = -Infinity
  for (const entry of entries) {
    if (entry.candidate.prior <= best) continue
    if (front.at(-1)?.standardUsd === entry.standardUsd) front.pop()
    front.push(entry)
    best = entry.candidate.prior
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
  const open = front.slice(1, -1).map((entry) => ({ entry, place: Math.log(entry.standardUsd) }))
  const [low, high] = [Math.log(cheapest.standardUsd), Math.log(best.standardUsd)]
  const chosen = [cheapest, best]
  for (let step = 1; step < count - 1; step++) {
    const target = low + ((high - low) * step) / (count - 1)
    let nearest = 0
    for (let i = 1; i < open.length; i++) {
      if (Math.abs(open[i]!.place - target) < Math.abs(open[nearest]!.place - target)) nearest = i
    }
    chosen.push(...open.splice(nearest, 1).map(({ entry }) => entry))
  }
  return chosen
}

/**
 * The models that the lane knows on this type of task, best known first, but one place fewer than there are.
 */
const knownOf = (
  settings: ShortListRule,
  entries: ReadonlyArray<ShortListEntry>,
  places: number
): ReadonlyArray<ShortListEntry> =>
  entries
    .filter((entry) => entry.isAffordable && entry.typeWeight >= settings.costObservationsMin)
    .sort((a, b) => b.typeWeight - a.typeWeight || b.laneWeight - a.laneWeight || byPrior(a, b))
    .slice(0, Math.max(0, places - 1))

/**
 * Adds entries until `limit` are chosen: the Pareto front of (prior, standard cost), then by prior, and
 * models that the cost budget allows before those that it does not. Cutting by prior alone would leave only
 * frontier models and make the slider inert.
 *
 * @param entries in the order {@link byCost}
 * @param orderOf which entries come before others within the budget and beyond it: 0, 1, 2
 */
const fill = (
  chosen: Set<ShortListEntry>,
  entries: ReadonlyArray<ShortListEntry>,
  limit: number,
  orderOf: (entry: ShortListEntry) => number = () => 0
): void => {
  for (const isAffordable of [true, false]) {
    for (const order of [0, 1, 2]) {
      if (chosen.size >= limit) return
      const pool = entries.filter((entry) =>
        entry.isAffordable === isAffordable && (orderOf(entry) === order || chosen.has(entry)))
      const front = paretoFront(pool).filter((entry) => !chosen.has(entry))
      for (const entry of spread(front, limit - chosen.size)) chosen.add(entry)
      // A front longer than the list fills it.
      if (chosen.size >= limit) return
      for (const entry of [...pool].sort(byPrior)) if (chosen.size < limit) chosen.add(entry)
    }
  }
}

/**
 * At most `limit` candidates: `kept` ids first, in their order, then the account's own models, then the
 * others. Of more own models than there are places, the same rule chooses as of all.
 *
 * In a mature lane the models that it knows on this type of task come before the others, and leave at least
 * one place to a model that it does not know. Of those, models come first that can be priced as the known
 * ones are, because a benchmark measured how much they write: one that cannot would take all costs back to
 * estimates.
 */
export const cap = (
  settings: ShortListRule,
  unordered: ReadonlyArray<ShortListEntry>,
  limit: number,
  kept: ReadonlySet<string>,
  ownModelIds: ReadonlySet<string> = new Set()
): ReadonlyArray<Candidate> => {
  if (unordered.length <= limit) return unordered.map((entry) => entry.candidate)
  const entries = unordered.toSorted(byCost)
  const held = [...kept].flatMap((id) => entries.find((entry) => entry.candidate.card.modelId === id) ?? [])
  const chosen = new Set<ShortListEntry>(held.slice(0, limit))
  if (ownModelIds.size > 0) {
    fill(chosen, entries.filter(({ candidate }) => ownModelIds.has(candidate.card.modelId)), limit)
  }
  const isMature = entries.reduce((sum, entry) => sum + entry.laneWeight, 0) >= settings.matureLaneOutcomes
  if (!isMature) fill(chosen, entries, limit)
  else {
    const open = entries.filter((entry) => !chosen.has(entry))
    for (const entry of knownOf(settings, open, limit - chosen.size)) chosen.add(entry)
    fill(chosen, entries, limit, ({ candidate, typeWeight }) => {
      if (typeWeight >= settings.costObservationsMin) return 2
      return candidate.card.verbosityMeasured ? 0 : 1
    })
  }
  return [...chosen].map((entry) => entry.candidate)
}
