/** What past outcomes measured of a candidate: which of them count, and their quantiles. */
import { confirmed } from "../../../domain/CostOutlier.ts"
import type { Cluster } from "../../../domain/Task.ts"
import type { Measurement } from "../../../memory/Memory.ts"
import { groupBy } from "../../../stats/GroupBy.ts"
import * as Quantile from "../../../stats/Quantile.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Predicted } from "../candidates/Candidate.ts"

/** A quantity that an outcome may have measured. */
export type Field = "costUsd" | "outputTokens" | "latencyMs"

/**
 * The outcomes that say what this task would cost: near enough to weigh in the prediction, or of its own
 * cluster, with a label or without. Others would open a tier with bills that have nothing to do with this
 * request.
 */
export const similar = (
  { card, neighbours }: Predicted,
  cluster: Cluster,
  measurements: ReadonlyArray<Measurement>
): ReadonlyArray<Measurement> => {
  const own: Array<Measurement> = []
  for (const { neighbour, weight } of neighbours) {
    if (weight > 0 || neighbour.cluster === cluster) own.push(neighbour)
  }
  for (const measurement of measurements) {
    if (measurement.modelId === card.modelId && measurement.cluster === cluster) {
      own.push(measurement)
    }
  }
  return own
}

/** Without the bills that nothing confirms: far above every estimate, and no other of their kind is near. */
export const withoutOutliers = (
  rule: Pick<EngineSettings, "costOutlierAgreement">,
  own: ReadonlyArray<Measurement>
): ReadonlyArray<Measurement> => {
  if (!own.some(({ isCostOutlier }) => isCostOutlier)) return own
  const doubtful = new Set<Measurement>()
  const billed = own.filter(({ costUsd }) => costUsd !== null)
  for (const alike of groupBy(billed, ({ cluster }) => cluster).values()) {
    const isConfirmed = confirmed(alike.map(({ costUsd }) => costUsd ?? 0), rule)
    alike.forEach((each, index) => {
      if (each.isCostOutlier === true && !isConfirmed[index]) doubtful.add(each)
    })
  }
  return own.map((each) => doubtful.has(each) ? { ...each, costUsd: null } : each)
}

/** How many of them measured a field; an explicit 0 is a measurement. */
export const countOf = (own: ReadonlyArray<Measurement>, field: Field): number =>
  own.reduce((count, neighbour) => neighbour[field] === null ? count : count + 1, 0)

/** What they measured, at these shares. Similarity is the only weight: decay would make old prices cheap. */
export const quantiles = (
  own: ReadonlyArray<Measurement>,
  field: Field,
  shares: ReadonlyArray<number>
): ReadonlyArray<number | null> => {
  const values: Array<number> = []
  const weights: Array<number> = []
  for (const { [field]: value, similarity } of own) {
    if (value === null) continue
    values.push(value)
    // An unlike neighbour still counts as an observation, so its weight is small and not zero.
    weights.push(Math.max(1e-6, similarity))
  }
  return Quantile.weightedQuantiles(values, weights, shares)
}

/** Median and quartiles of a field that was measured at least once. */
export const quartiles = (own: ReadonlyArray<Measurement>, field: Field) => {
  const [low, median, high] = quantiles(own, field, [0.25, 0.5, 0.75])
  return { low: low ?? 0, median: median ?? 0, high: high ?? 0 }
}
