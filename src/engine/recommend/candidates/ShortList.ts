/** The short list: chooses candidates when the constraints allow too many models. */
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { EngineSettings } from "../../Settings.ts"

/** One allowed model in each row, ordered by the cost of a standard request, then by id. */
export interface ShortListRows {
  readonly cards: ReadonlyArray<ModelCard>
  readonly rowOf: ReadonlyMap<string, number>
  /** Cost of a standard request, USD, so that the short list does not depend on a request's length. */
  readonly standardUsd: Float64Array
  /** The prior at medium difficulty, logit. Models have the same order by priors at every difficulty. */
  readonly prior: Float64Array
  /** Tells whether a row's list cost is within the limit; null if the request has no limit. */
  readonly isAffordable: ReadonlyArray<boolean> | null
  /** Weight of the model's outcomes: in the whole lane, and of the request's task type. */
  readonly laneWeight: Float64Array
  readonly typeWeight: Float64Array
}

export type ShortListRule = Pick<EngineSettings, "matureLaneOutcomes" | "costObservationsMin">

type Rows = ReadonlyArray<number>

const byPrior = ({ prior }: ShortListRows) => (a: number, b: number): number => prior[b]! - prior[a]! || a - b

/**
 * Returns the rows whose prior exceeds that of all rows that cost no more, cheapest first.
 *
 * @param rows row numbers of allowed models, ascending
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
 * Chooses `count` rows of a Pareto front at even steps of log cost, with the cheapest and the row of the
 * highest prior. If `count` is 1, chooses the row of the highest prior. A free model is chosen apart from the
 * even steps, because a cost of 0 has no logarithm.
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

const knownOf = (settings: ShortListRule, of: ShortListRows, rows: Rows, count: number): Rows => {
  const { isAffordable, laneWeight, typeWeight } = of
  const order = byPrior(of)
  return rows
    .filter((row) => isAffordable?.[row] !== false && typeWeight[row]! >= settings.costObservationsMin)
    .sort((a, b) => typeWeight[b]! - typeWeight[a]! || laneWeight[b]! - laneWeight[a]! || order(a, b))
    .slice(0, Math.max(0, count))
}

/**
 * Adds rows until `limit` are chosen: first the Pareto front of prior and standard cost, then other rows by
 * prior. A cut by prior alone would leave mostly expensive models.
 *
 * @param isLast returns true for rows to add after the others on the same side of the cost limit
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
      if (chosen.size >= limit) return
      for (const row of pool.sort(byPrior(of))) if (chosen.size < limit) chosen.add(row)
    }
  }
}

/**
 * Cuts rows to `limit`: first the `kept` ids in their order, then the models that the account declared, then
 * the others. In a lane with many outcomes, models with outcomes of the task's type come before other models,
 * but the list's last place is for a model with few outcomes of the type.
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
