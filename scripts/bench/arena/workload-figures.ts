/* Figures of a workload whose truth is known: right picks, and how far they lie from the best assignment. */
import { mean } from "./averages.ts"
import { calibrationError } from "./figures.ts"
import { concave, type Point, qualityAt } from "./frontier.ts"

/** A choice among models whose true success and price are known; both in the models' order. */
export interface Choice {
  readonly truth: ReadonlyArray<number>
  readonly costsUsd: ReadonlyArray<number>
  readonly threshold: number
}

/** The service's own rule with true probabilities: cheapest at or over the threshold, else the best. */
export const rulePick = ({ costsUsd, threshold, truth }: Choice): number => {
  const all = truth.map((_, model) => model)
  const able = all.filter((model) => truth[model]! >= threshold)
  return able.length > 0
    ? able.reduce((a, b) => (costsUsd[b]! < costsUsd[a]! ? b : a))
    : all.reduce((a, b) => (truth[b]! > truth[a]! ? b : a))
}

const dearerAtMost = 1.05
const worseAtMost = 0.03

/** No dearer than the rule's pick (5 % are allowed), and good enough (three points are). */
export const isRight = (choice: Choice, pick: number): boolean => {
  const { costsUsd, threshold, truth } = choice
  return costsUsd[pick]! <= costsUsd[rulePick(choice)]! * dearerAtMost
    && truth[pick]! >= Math.min(threshold, Math.max(...truth)) - worseAtMost
}

/** Prompts that share a table: their share of the stream, and each model's cost and true success there. */
export interface Group {
  readonly share: number
  readonly points: ReadonlyArray<Point>
}

/**
 * The quality that the best assignment of models to groups reaches at each mean cost. It sums the groups' concave
 * frontiers by their shares, and takes the steepest steps first.
 */
export const groupFrontier = (groups: ReadonlyArray<Group>): ReadonlyArray<Point> => {
  const hulls = groups.map(({ points, share }) =>
    concave(points).map(([costUsd, quality]): Point => [costUsd * share, quality * share]))
  const steps = hulls
    .flatMap((hull) =>
      hull.slice(1).map((point, i): Point => [point[0] - hull[i]![0], point[1] - hull[i]![1]]))
    .sort((a, b) => b[1] / b[0] - a[1] / a[0])
  let [costUsd, quality] = [0, 0]
  for (const [first] of hulls) {
    costUsd += first?.[0] ?? 0
    quality += first?.[1] ?? 0
  }
  return [
    [costUsd, quality],
    ...steps.map(([stepUsd, gain]): Point => {
      costUsd += stepUsd
      quality += gain
      return [costUsd, quality]
    })
  ]
}

/**
 * Outcomes until a broken model is no longer picked: those before the first ten in a row without it. Null if there are
 * no ten such outcomes.
 *
 * @param picks whether the broken model was picked, prompt by prompt of the broken kind
 */
export const outcomesUntilLeft = (picks: ReadonlyArray<boolean>): number | null => {
  const row = 10
  for (let start = 0; start + row <= picks.length; start++) {
    if (picks.slice(start, start + row).every((isPicked) => !isPicked)) return start
  }
  return null
}

/** One prompt as it was answered. */
export interface Answered {
  readonly choice: Choice
  /** Which truth holds here; prompts of one table form a group. */
  readonly table: number
  readonly pick: number
  readonly predicted: number
  /** 1 success, 0 failure. */
  readonly outcome: number
}

/** Spans of outcomes, from (inclusive) and to (exclusive); shares of the stream's length in the last. */
const spans = (length: number): ReadonlyArray<readonly [number, number]> => [
  [100, 200], [200, 300], [500, 700], [Math.floor(length / 2), length]
]

export interface WorkloadFigures {
  /** Share of right picks at outcomes 100-199, 200-299, 500-699 and in the second half. */
  readonly right: ReadonlyArray<number>
  /** True quality above the best mixture of fixed models at the same cost, in points. */
  readonly overMix: number
  /** True quality against the best assignment per kind at the same cost, in points; at most 0. */
  readonly under: number
  readonly ece: number
  /** Cost against that of the rule that knows the truth. */
  readonly costRatio: number
  /** True success, in [0, 1], and mean cost, USD; and those of always picking the dearest model. */
  readonly success: number
  readonly costUsd: number
  readonly successOfDearest: number
  readonly costUsdOfDearest: number
}

export const workloadFigures = (answered: ReadonlyArray<Answered>): WorkloadFigures => {
  const right = answered.map(({ choice, pick }) => (isRight(choice, pick) ? 1 : 0))
  const quality = mean(answered.map(({ choice, pick }) => choice.truth[pick]!))
  const costUsd = mean(answered.map(({ choice, pick }) => choice.costsUsd[pick]!))
  const ofDearest = (of: (choice: Choice, dearest: number) => number): number =>
    mean(answered.map(({ choice }) => of(choice, choice.costsUsd.indexOf(Math.max(...choice.costsUsd)))))
  const groups = [...Map.groupBy(answered, ({ table }) => table).values()].map((own): Group => {
    const { costsUsd, truth } = own[0]!.choice
    return {
      share: own.length / answered.length,
      points: truth.map((probability, model): Point => [costsUsd[model]!, probability])
    }
  })
  const singles = (answered[0]?.choice.truth ?? []).map((_, model): Point => [
    mean(answered.map(({ choice }) => choice.costsUsd[model]!)),
    mean(answered.map(({ choice }) => choice.truth[model]!))
  ])
  return {
    right: spans(answered.length).map(([from, to]) => mean(right.slice(from, to))),
    overMix: 100 * (quality - qualityAt(concave(singles), costUsd)),
    under: 100 * (quality - qualityAt(groupFrontier(groups), costUsd)),
    ece: calibrationError(
      answered.map(({ predicted }) => predicted),
      answered.map(({ outcome }) => outcome)
    ),
    success: quality,
    costUsd,
    successOfDearest: ofDearest(({ truth }, dearest) => truth[dearest]!),
    costUsdOfDearest: ofDearest(({ costsUsd }, dearest) => costsUsd[dearest]!),
    costRatio: costUsd / mean(answered.map(({ choice }) => choice.costsUsd[rulePick(choice)]!))
  }
}
