/** The short list: which of the allowed models become candidates when there are too many. */
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { EngineSettings } from "../../Settings.ts"

/**
 * The models that may have a place on the short list, by row: the cheapest standard request first, of equally
 * cheap ones by id.
 */
export interface ShortListRows {
  readonly cards: ReadonlyArray<ModelCard>
  /** The row of each model, by id. */
  readonly rowOf: ReadonlyMap<string, number>
  /**
   * Cost of a standard request, USD. Not of this request: a list that moved with its type and length would
   * drop the models that the lane has just learned about.
   */
  readonly standardUsd: Float64Array
  /** At a task of medium difficulty, logit: every task moves all priors alike, so that their order stays. */
  readonly prior: Float64Array
  /** Whether this request's list cost is within its cost limit; null without one. */
  readonly isAffordable: ReadonlyArray<boolean> | null
  /** Outcomes of the model in the lane, and of those of the request's task type, by weight. */
  readonly laneWeight: Float64Array
  readonly typeWeight: Float64Array
}

/** When a lane is mature, and from how many outcomes it knows a model. */
export type ShortListRule = Pick<EngineSettings, "matureLaneOutcomes" | "costObservationsMin">

type Rows = ReadonlyArray<number>

/** The higher prior first; of equal ones the cheaper, then by id, as the rows are in order. */
const byPrior = ({ prior }: ShortListRows) => (a: number, b: number): number => prior[b]! - prior[a]! || a - b

/**
 * Rows that no other beats on both prior and cost, cheapest first.
 *
 * @param rows ascending
 */
const paretoFront = ({ prior, standardUsd }: ShortListRows, rows: Rows): Array<number> => {
  const front: Array<number> = []
  let best = -Infinity
  for (const row of rows) {
    if (prior[row]! <= best) continue
    const last = front.at(-1)
    if (last !== undefined && standardUsd[last] === standardUsd[row]) front.pop()
    front.push(row)
    best = prior[row]!
  }
  return front
}

/**
 * `count` rows of a longer front at even steps of log cost, both ends kept; the better end if there is room
 * for one. Steps of cost and not of rank: a model that joins or leaves then moves only its surroundings. A
 * free model has no logarithm, so it is kept beside the steps.
 */
const spread = (standardUsd: Float64Array, front: Rows, count: number): Rows => {
  const [cheapest] = front
  const best = front.at(-1)
  if (front.length <= count || cheapest === undefined || best === undefined) return front
  if (count < 2) return front.slice(front.length - count)
  if (standardUsd[cheapest]! <= 0) return [cheapest, ...spread(standardUsd, front.slice(1), count - 1)]
  const open = front.slice(1, -1)
  const places = open.map((row) => Math.log(standardUsd[row]!))
  const [low, high] = [Math.log(standardUsd[cheapest]!), Math.log(standardUsd[best]!)]
  const chosen = [cheapest, best]
  for (let step = 1; step < count - 1; step++) {
    const target = low + ((high - low) * step) / (count - 1)
    let nearest = 0
    for (let i = 1; i < open.length; i++) {
      if (Math.abs(places[i]! - target) < Math.abs(places[nearest]! - target)) nearest = i
    }
    chosen.push(...open.splice(nearest, 1))
    places.splice(nearest, 1)
  }
  return chosen
}

/** The rows that the lane knows on this type of task, best known first, at most `count`. */
const knownOf = (settings: ShortListRule, of: ShortListRows, rows: Rows, count: number): Rows => {
  const { isAffordable, laneWeight, typeWeight } = of
  const order = byPrior(of)
  return rows
    .filter((row) => isAffordable?.[row] !== false && typeWeight[row]! >= settings.costObservationsMin)
    .sort((a, b) => typeWeight[b]! - typeWeight[a]! || laneWeight[b]! - laneWeight[a]! || order(a, b))
    .slice(0, Math.max(0, count))
}

/**
 * Adds rows until `limit` are chosen: first the Pareto front of (prior, standard cost), then by prior. Models
 * within the cost limit come before the others. Cutting by prior alone would leave only frontier models, and
 * the slider would have no effect.
 *
 * @param rows ascending
 * @param isLast which rows come behind the others within the limit and beyond it
 */
const fill = (
  of: ShortListRows,
  chosen: Set<number>,
  rows: Rows,
  limit: number,
  isLast: (row: number) => boolean = () => false
): void => {
  const { isAffordable, standardUsd } = of
  for (const isWithin of isAffordable === null ? [true] : [true, false]) {
    for (const last of [false, true]) {
      if (chosen.size >= limit) return
      const pool = rows.filter((row) =>
        (isAffordable?.[row] ?? true) === isWithin && (isLast(row) === last || chosen.has(row)))
      const front = paretoFront(of, pool).filter((row) => !chosen.has(row))
      for (const row of spread(standardUsd, front, limit - chosen.size)) chosen.add(row)
      // A front longer than the list fills it.
      if (chosen.size >= limit) return
      for (const row of pool.sort(byPrior(of))) if (chosen.size < limit) chosen.add(row)
    }
  }
}

/**
 * Cuts rows to `limit`: first the `kept` ids in their order, then the account's own models, then the others.
 * If there are more own models than places, the same rule chooses among them as among all.
 *
 * In a mature lane the models that it knows on this type of task come before the others, and leave at least
 * one place to a model that it does not know.
 */
export const cap = (
  settings: ShortListRule,
  of: ShortListRows,
  limit: number,
  kept: ReadonlySet<string>,
  ownModelIds: ReadonlySet<string> = new Set()
): Rows => {
  const { cards, laneWeight, rowOf, typeWeight } = of
  const rows = cards.map((_, row) => row)
  const chosen = new Set([...kept].flatMap((id) => rowOf.get(id) ?? []).slice(0, limit))
  const own = ownModelIds.size === 0 ? [] : rows.filter((row) => ownModelIds.has(cards[row]!.modelId))
  fill(of, chosen, own, limit)
  let weight = 0
  for (const each of laneWeight) weight += each
  if (weight < settings.matureLaneOutcomes) fill(of, chosen, rows, limit)
  else {
    const open = rows.filter((row) => !chosen.has(row))
    for (const row of knownOf(settings, of, open, limit - chosen.size - 1)) chosen.add(row)
    fill(of, chosen, rows, limit, (row) => typeWeight[row]! >= settings.costObservationsMin)
  }
  return [...chosen]
}
