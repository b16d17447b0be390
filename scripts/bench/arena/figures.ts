/* Figures of a replay: quality, cost, calibration error and lift of the picks of one set. */
import { generator } from "../../../src/stats/Generator.ts"
import { mean } from "./averages.ts"
import { averageQuality, concave, type Point, qualityAt } from "./frontier.ts"
import type { Truth } from "./outcomes.ts"
import { shuffled } from "./random.ts"

const bins = 10

/** |predicted - real| over ten bins of the prediction, weighted by their outcomes; in [0, 1]. */
export const calibrationError = (
  predicted: ReadonlyArray<number>,
  real: ReadonlyArray<number>
): number => {
  const excess = new Array<number>(bins).fill(0)
  predicted.forEach((probability, i) => {
    const bin = Math.min(bins - 1, Math.floor(probability * bins))
    excess[bin]! += probability - real[i]!
  })
  return excess.reduce((sum, each) => sum + Math.abs(each), 0) / Math.max(1, predicted.length)
}

/** The picks of one slider and the predictions for them, in the order of the stream. */
export interface Picks {
  readonly slider: number
  readonly modelIds: ReadonlyArray<string>
  readonly predicted: ReadonlyArray<number>
}

interface SliderFigures {
  readonly slider: number
  readonly quality: number
  readonly costUsd: number
  /** Quality of the stream's second half. */
  readonly quality2: number
  readonly cost2Usd: number
  /** Quality minus the mean of 200 shuffles of the same picks: what the choice per prompt adds. */
  readonly lift: number
  readonly ece: number
  /** How often the most picked model was picked, in [0, 1]. */
  readonly topShare: number
  /** Quality minus that of the best hindsight mixture of fixed models at the same realised cost. */
  readonly gap: number
  readonly gap2: number
  /** Quality of the stream's first {@link coldTasks} tasks. */
  readonly coldQuality: number
  readonly coldCostUsd: number
}

/** Tasks of a stream that count as its cold start. */
const coldTasks = 100

const shuffles = 200

const outcomesOf = (truth: ReadonlyArray<Truth>, modelIds: ReadonlyArray<string>) =>
  modelIds.map((modelId, i) => truth[i]![modelId]!)

const liftOf = (truth: ReadonlyArray<Truth>, modelIds: ReadonlyArray<string>, seed: number): number => {
  const random = generator(seed + 7)
  const qualityOf = (picks: ReadonlyArray<string>) =>
    mean(outcomesOf(truth, picks).map(({ quality }) => quality))
  let chance = 0
  for (let k = 0; k < shuffles; k++) chance += qualityOf(shuffled(modelIds, random)) / shuffles
  return qualityOf(modelIds) - chance
}

/** Cost and quality of each model alone, in the order given. */
const singlesOf = (
  truth: ReadonlyArray<Truth>,
  modelIds: ReadonlyArray<string>
): ReadonlyArray<Point> =>
  modelIds.map((modelId): Point => {
    const own = truth.map((models) => models[modelId]!)
    return [mean(own.map((one) => one.cost_usd)), mean(own.map((one) => one.quality))]
  })

const sliderFigures = (
  truth: ReadonlyArray<Truth>,
  picks: Picks,
  seed: number,
  mixtures: { readonly all: ReadonlyArray<Point>; readonly second: ReadonlyArray<Point> }
): SliderFigures => {
  const taken = outcomesOf(truth, picks.modelIds)
  const qualities = taken.map((one) => one.quality)
  const costs = taken.map((one) => one.cost_usd)
  const half = Math.floor(taken.length / 2)
  const counts = [...Map.groupBy(picks.modelIds, (modelId) => modelId).values()].map((own) => own.length)
  const [quality, costUsd] = [mean(qualities), mean(costs)]
  const [quality2, cost2Usd] = [mean(qualities.slice(half)), mean(costs.slice(half))]
  return {
    slider: picks.slider,
    quality,
    costUsd,
    quality2,
    cost2Usd,
    lift: liftOf(truth, picks.modelIds, seed),
    ece: calibrationError(picks.predicted, qualities),
    topShare: Math.max(...counts) / taken.length,
    gap: quality - qualityAt(mixtures.all, costUsd),
    gap2: quality2 - qualityAt(mixtures.second, cost2Usd),
    coldQuality: mean(qualities.slice(0, coldTasks)),
    coldCostUsd: mean(costs.slice(0, coldTasks))
  }
}

/** Quality and cost of the picks in a stream's first tasks, and of one fixed and one random model there. */
interface ColdFigures {
  /** Means over the sliders. */
  readonly quality: number
  readonly costUsd: number
  /** Quality of the best single model of the whole set. */
  readonly bestQuality: number
  readonly bestCostUsd: number
  /** Expected quality of a model that is drawn at random for every task. */
  readonly randomQuality: number
  readonly randomCostUsd: number
}

/** The figures of one replayed stream, over all sliders; defined as in the reference replay. */
export interface SetFigures {
  readonly aiq: number
  readonly aiqAnchored: number
  readonly aiqSecondHalf: number
  readonly aiqSingleMix: number
  readonly gap: number
  readonly gap2: number
  /** Quality of the highest slider in the second half, minus that of the whole stream's best single model there. */
  readonly highestLessBest2: number
  readonly ece: number
  readonly lift: number
  readonly topShare: number
  /** Mean cost over sliders against the best single model's. */
  readonly costRatio: number
  readonly cold: ColdFigures
  readonly best: { readonly modelId: string; readonly quality: number; readonly costUsd: number }
  readonly cheapest: { readonly modelId: string; readonly quality: number; readonly costUsd: number }
  readonly runs: ReadonlyArray<SliderFigures>
}

const coldFigures = (
  truth: ReadonlyArray<Truth>,
  modelIds: ReadonlyArray<string>,
  runs: ReadonlyArray<SliderFigures>,
  bestModelId: string
): ColdFigures => {
  const singles = singlesOf(truth.slice(0, coldTasks), modelIds)
  const [bestCostUsd, bestQuality] = singles[modelIds.indexOf(bestModelId)]!
  return {
    quality: mean(runs.map((run) => run.coldQuality)),
    costUsd: mean(runs.map((run) => run.coldCostUsd)),
    bestQuality,
    bestCostUsd,
    randomQuality: mean(singles.map(([, quality]) => quality)),
    randomCostUsd: mean(singles.map(([costUsd]) => costUsd))
  }
}

export const setFigures = (
  truth: ReadonlyArray<Truth>,
  modelIds: ReadonlyArray<string>,
  picked: ReadonlyArray<Picks>,
  seed: number
): SetFigures => {
  const singles = singlesOf(truth, modelIds)
  const named = singles.map(([costUsd, quality], i) => ({ modelId: modelIds[i]!, quality, costUsd }))
  const best = named.reduce((a, b) => (b.quality > a.quality ? b : a))
  const cheapest = named.reduce((a, b) => (b.costUsd < a.costUsd ? b : a))
  const second = singlesOf(truth.slice(Math.floor(truth.length / 2)), modelIds)
  const mixtures = { all: concave(singles), second: concave(second) }
  const runs = picked.map((picks) => sliderFigures(truth, picks, seed, mixtures))
  const highest = runs.reduce((a, b) => (b.slider > a.slider ? b : a))
  const points = runs.map((run): Point => [run.costUsd, run.quality])
  const over = (those: ReadonlyArray<Point>) =>
    averageQuality(those, Math.min(cheapest.costUsd, best.costUsd), best.costUsd)
  const average = (of: (run: SliderFigures) => number) => mean(runs.map(of))
  return {
    aiq: over(points),
    aiqAnchored: over([...points, [cheapest.costUsd, cheapest.quality]]),
    aiqSecondHalf: over(runs.map((run): Point => [run.cost2Usd, run.quality2])),
    aiqSingleMix: over(singles),
    gap: average((run) => run.gap),
    gap2: average((run) => run.gap2),
    highestLessBest2: highest.quality2 - second[modelIds.indexOf(best.modelId)]![1],
    ece: average((run) => run.ece),
    lift: average((run) => run.lift),
    topShare: average((run) => run.topShare),
    costRatio: average((run) => run.costUsd) / best.costUsd,
    cold: coldFigures(truth, modelIds, runs, best.modelId),
    best,
    cheapest,
    runs
  }
}
