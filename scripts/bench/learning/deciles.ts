/* What one copy did in each tenth of a stream, beside what hindsight knows. */
import { calibrationError, calibrationFloor, mean, type Picks, singlesOf } from "../arena/figures.ts"
import { concave, qualityAt } from "../arena/frontier.ts"
import { recordedOf, type Truth } from "../arena/outcomes.ts"

export const decileCount = 10

/** From (inclusive) and to (exclusive) of each tenth of a stream; tenths differ by one prompt at most. */
export const decilesOf = (length: number): ReadonlyArray<readonly [from: number, to: number]> => {
  const start = (decile: number) => Math.floor((decile * length) / decileCount)
  return Array.from({ length: decileCount }, (_, decile) => [start(decile), start(decile + 1)])
}

/** What one slider did in one tenth of the stream. */
export interface DecileFigures {
  /** Mean real quality of the picks, in [0, 1]. */
  readonly quality: number
  readonly costUsd: number
  /** Cost against that of the stream's best single model on the same prompts. */
  readonly costRatio: number
  readonly ece: number
  /** What perfect predictions would show as `ece` of as few outcomes. */
  readonly eceFloor: number
  /** See {@link regretOf}. */
  readonly regret: number
  /** See {@link liftOf}. */
  readonly lift: number
}

/** What hindsight over the whole stream knows of the fixed models. */
export interface Hindsight {
  readonly bestModelId: string
  /** The models that no mixture of others beats over the whole stream, by rising cost. */
  readonly frontier: ReadonlyArray<string>
}

export const hindsightOf = (truth: ReadonlyArray<Truth>, modelIds: ReadonlyArray<string>): Hindsight => {
  const singles = singlesOf(truth, modelIds)
  const frontier = concave(singles).map((point) => modelIds[singles.indexOf(point)]!)
  return { bestModelId: frontier.at(-1)!, frontier }
}

/**
 * Quality that the best mixture of fixed models has above this one's, at the same cost on the same prompts;
 * negative where choosing per prompt beats the mixture. It is `gap` of the replay with its sign turned.
 *
 * Which models are mixed is hindsight's choice over the whole stream; they are then judged on this tenth's
 * prompts. If the choice were made again for every tenth, the luckiest of 36 models on a hundred prompts would be
 * the measure, and regret would be chance mostly. An oracle per prompt is no measure either: it knows how
 * each coin fell, so that nothing can close in on it.
 */
export const regretOf = (
  truth: ReadonlyArray<Truth>,
  hindsight: Hindsight,
  own: { readonly quality: number; readonly costUsd: number }
): number => {
  const judged = singlesOf(truth, hindsight.frontier)
  // On few prompts a dearer model can come out cheaper; the mixtures' costs have to rise.
  const rising = judged.filter(([costUsd], i) => judged.slice(0, i).every((before) => before[0] < costUsd))
  return qualityAt(rising, own.costUsd) - own.quality
}

/**
 * Quality minus what the same picks would have, dealt at random to the same prompts (the mean of all ways to
 * deal them): what choosing per prompt adds. A copy that always picks one model has none.
 */
export const liftOf = (
  truth: ReadonlyArray<Truth>,
  picked: ReadonlyArray<string>,
  quality: number
): number => {
  const used = [...Map.groupBy(picked, (modelId) => modelId)]
  const singles = singlesOf(truth, used.map(([modelId]) => modelId))
  return quality - used.reduce((sum, [, own], i) => sum + (own.length / picked.length) * singles[i]![1], 0)
}

/** The figures of every tenth, by the real outcomes, whatever outcomes the copy got. */
export const curveOf = (
  truth: ReadonlyArray<Truth>,
  modelIds: ReadonlyArray<string>,
  picks: Picks
): ReadonlyArray<DecileFigures> => {
  const hindsight = hindsightOf(truth, modelIds)
  return decilesOf(truth.length).map(([from, to]): DecileFigures => {
    const own = truth.slice(from, to)
    const picked = picks.modelIds.slice(from, to)
    const taken = own.map((models, i) => recordedOf(models, picked[i]!))
    const predicted = picks.predicted.slice(from, to)
    const qualities = taken.map((one) => one.quality)
    const quality = mean(qualities)
    const costUsd = mean(taken.map((one) => one.cost_usd))
    const bestUsd = mean(own.map((models) => recordedOf(models, hindsight.bestModelId).cost_usd))
    return {
      quality,
      costUsd,
      costRatio: costUsd / bestUsd,
      ece: calibrationError(predicted, qualities),
      eceFloor: calibrationFloor(predicted),
      regret: regretOf(own, hindsight, { quality, costUsd }),
      lift: liftOf(own, picked, quality)
    }
  })
}
