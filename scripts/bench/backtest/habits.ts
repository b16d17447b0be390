/* How the author of a simulated log chose models. */
import { hashOf } from "../../../src/stats/Hash.ts"
import * as Softmax from "../../../src/stats/Softmax.ts"
import { mean, quantile } from "../arena/averages.ts"
import { inputTokensOf, type OutcomeRow } from "../arena/outcomes.ts"
import { pickFrom, type Random } from "../arena/random.ts"

/** By what a log's author chose: by nothing, by what the log shows, always alike, or by what it lacks. */
export const habits = ["random", "type", "price", "one", "hidden"] as const
export type Habit = typeof habits[number]

/** Models in a log: those of a company are few. */
const modelsMax = 4

/** Mean recorded cost of a model, US dollars. */
const costOf = (rows: ReadonlyArray<OutcomeRow>, modelId: string): number =>
  mean(rows.map(({ models }) => models[modelId]!.cost_usd))

/** One model of each quarter of the set by price, drawn at random, cheapest first; all of a few. */
export const modelsOf = (
  rows: ReadonlyArray<OutcomeRow>,
  modelIds: ReadonlyArray<string>,
  random: Random
): ReadonlyArray<string> => {
  const sorted = modelIds.toSorted((a, b) => costOf(rows, a) - costOf(rows, b))
  if (sorted.length <= modelsMax) return sorted
  return Array.from({ length: modelsMax }, (_, quarter) =>
    pickFrom(sorted.slice(
      Math.floor(quarter * sorted.length / modelsMax),
      Math.floor((quarter + 1) * sorted.length / modelsMax)
    ), random))
}

/** True difficulty, which no log holds: the mean failure of all models of the set. */
const difficultyOf = ({ models }: OutcomeRow): number =>
  1 - mean(Object.values(models).map(({ quality }) => quality))

const favouring = (count: number, favourite: number, odds: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => index === favourite ? odds : 1)

const normalized = (weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

/** The kind of task that the log shows: its type, or its slice where all tasks of the set are of one type. */
const kindOf = (rows: ReadonlyArray<OutcomeRow>) => {
  const isOneType = new Set(rows.map((row) => row.task_type)).size === 1
  return (row: OutcomeRow): string => isOneType ? row.sub ?? "" : row.task_type
}

/** The model of each row as an index among `count` models, cheapest first. */
export const loggedModels = (
  habit: Habit,
  rows: ReadonlyArray<OutcomeRow>,
  count: number,
  random: Random
): ReadonlyArray<number> => {
  const kind = kindOf(rows)
  const longest = quantile(rows.map(inputTokensOf), 0.5) ?? 0
  const hardest = quantile(rows.map(difficultyOf), 0.5) ?? 0
  const always = Math.floor(random() * count)
  const favouriteOfKind = Math.floor(random() * count)
  const weightsOf: Record<Habit, (row: OutcomeRow) => ReadonlyArray<number>> = {
    random: () => favouring(count, 0, 1),
    type: (row) => favouring(count, (favouriteOfKind + hashOf(kind(row))) % count, 7),
    // The cheaper the likelier, and more so where prompts are long.
    price: (row) => Array.from({ length: count }, (_, rank) =>
      (inputTokensOf(row) > longest ? 0.4 : 0.8) ** rank),
    one: () => Array.from({ length: count }, (_, index) => index === always ? 1 : 0),
    hidden: (row) => favouring(count, difficultyOf(row) > hardest ? count - 1 : 0, 7)
  }
  return rows.map((row) => Softmax.draw(normalized(weightsOf[habit](row)), random()))
}
