/* Estimates how many verdicts would distinguish a kind of task's usual model from its nearest rival. */
import { Order } from "effect"
import { namedOf } from "../domain/model/ModelVariant.ts"
import type { VerdictsNeeded } from "../domain/reports/VerdictsNeeded.ts"
import { type Beta, mean, prior } from "../stats/Beta.ts"
import { beliefOf, type Round, verdictsNeeded } from "../stats/VerdictsNeeded.ts"
import type { CellSums } from "./Aggregates.ts"
import { sum } from "./savings/Followed.ts"
import { reportSettings } from "./ReportSettings.ts"

interface BelievedModel {
  readonly cell: CellSums
  readonly belief: Beta
  /** Mean bill without outliers, USD; null if there is no such bill. */
  readonly costUsd: number | null
}

interface ModelPair {
  readonly usual: BelievedModel
  readonly rival: BelievedModel
  /** Number of further verdicts per model that would distinguish the pair; null if none can be foreseen. */
  readonly each: number | null
}

const costOf = ({ billedUsd, nBilled, nOutliers, outliersUsd }: CellSums): number | null =>
  nBilled === nOutliers ? null : (billedUsd - outliersUsd) / (nBilled - nOutliers)

/** The mean of each model's prior is the success of all models on this kind of task together. */
const comparedOf = (cells: ReadonlyArray<CellSums>): ReadonlyArray<BelievedModel> => {
  const all = beliefOf({
    successes: sum(cells, ({ successes }) => successes), count: sum(cells, ({ nOutcomes }) => nOutcomes)
  })
  const before = prior(mean(all), reportSettings.kindPriorVerdicts)
  return cells.map((cell) => ({
    cell,
    belief: beliefOf({ successes: cell.successes, count: cell.nOutcomes }, before),
    costUsd: costOf(cell)
  }))
}

const byUse = ({ cell: one }: BelievedModel, { cell: other }: BelievedModel): number =>
  other.nRecommended - one.nRecommended || other.nOutcomes - one.nOutcomes
  || Order.String(one.modelId, other.modelId)

/** True for a model with enough verdicts that succeeds more often than the usual model or may cost less. */
const isRival = (usual: BelievedModel) => ({ belief, cell, costUsd }: BelievedModel): boolean =>
  cell.nOutcomes >= reportSettings.rivalVerdictsMin
  && (mean(belief) > mean(usual.belief)
    || costUsd === null || usual.costUsd === null || costUsd < usual.costUsd)

const neededOf = ({ belief }: BelievedModel, rival: BelievedModel, round: Round): number | null =>
  verdictsNeeded(belief, rival.belief, round)

/**
 * Returns the usual model and the rival of nearest success; null if there is no rival. Rivals that verdicts
 * cannot yet distinguish from the usual model come first.
 */
const pairOf = (cells: ReadonlyArray<CellSums>): ModelPair | null => {
  const [usual, ...others] = comparedOf(cells).toSorted(byUse)
  if (usual === undefined) return null
  const distance = ({ belief }: BelievedModel): number => Math.abs(mean(belief) - mean(usual.belief))
  const pairs = others.filter(isRival(usual))
    .sort((one, other) => distance(one) - distance(other))
    .map((rival) => ({ usual, rival, each: neededOf(usual, rival, "separate") }))
  return pairs.find(({ each }) => each !== 0) ?? pairs[0] ?? null
}

const modelOf = ({ belief, cell: { modelId, nOutcomes } }: BelievedModel) =>
  ({ ...namedOf(modelId), nVerdicts: nOutcomes, success: mean(belief) })

const ofBoth = (each: number | null): number | null => each === null ? null : 2 * each

const neededIn = (cells: ReadonlyArray<CellSums>, daysSeen: number): VerdictsNeeded | null => {
  const pair = pairOf(cells)
  if (pair === null) return null
  const { each, rival, usual } = pair
  const verdicts = ofBoth(each)
  // `verdictsPerDay` is above 0, because every rival has verdicts.
  const verdictsPerDay = sum(cells, ({ nOutcomes }) => nOutcomes) / daysSeen
  return {
    cluster: usual.cell.cluster,
    usual: modelOf(usual),
    rival: modelOf(rival),
    verdicts,
    verdictsPaired: ofBoth(neededOf(usual, rival, "paired")),
    verdictsPerDay,
    days: verdicts === null ? null : Math.ceil(verdicts / verdictsPerDay)
  }
}

/**
 * Returns how many verdicts distinguish the usual model from its rival, for each kind of task with a rival.
 * Kinds of task with the most verdicts come first.
 * @param daysSeen number of days in which the verdicts came, above 0
 */
export const verdictsNeededOf = (
  cells: ReadonlyArray<CellSums>,
  daysSeen: number
): ReadonlyArray<VerdictsNeeded> =>
  [...Map.groupBy(cells, ({ cluster }) => cluster).values()]
    .flatMap((own) => neededIn(own, daysSeen) ?? [])
    .sort((one, other) =>
      other.verdictsPerDay - one.verdictsPerDay || Order.String(one.cluster, other.cluster))
