/* Means and standard errors of the copies over sets, sliders and seeds. */
import { mean, meanAndError } from "../arena/figures.ts"
import { type Copy, type LearningReport } from "./copies.ts"
import { decileCount, type DecileFigures } from "./deciles.ts"

export type Figure = keyof DecileFigures

export interface Measured {
  readonly mean: number
  /** Standard error over seeds. */
  readonly error: number
}

/** One figure over a span of the stream: the three copies, and the learning one's differences from others. */
export interface Compared extends Readonly<Record<Copy, Measured>> {
  readonly overCold: Measured
  readonly overShuffled: Measured
}

/** Deciles from (inclusive) and to (exclusive), counted from 0. */
export interface Span {
  readonly title: string
  readonly from: number
  readonly to: number
}

export const deciles: ReadonlyArray<Span> = Array.from({ length: decileCount }, (_, decile) => ({
  title: String(decile + 1), from: decile, to: decile + 1
}))
export const wholeStream: Span = { title: "all", from: 0, to: decileCount }
export const secondHalf: Span = { title: "2nd half", from: decileCount / 2, to: decileCount }

const valueOf = (report: LearningReport, figure: Figure, { from, to }: Span): number =>
  mean(report.runs.flatMap((run) => run.deciles.slice(from, to).map((decile) => decile[figure])))

/**
 * Means over sets and sliders, seed by seed, and then over seeds. Copies of one seed saw the same prompts in
 * the same order, so that their difference is taken within the seed and its error is of the difference.
 */
export const compare = (reports: ReadonlyArray<LearningReport>, figure: Figure, span: Span): Compared => {
  const seeds = [...Map.groupBy(reports, (report) => report.seed).values()].map((own) => {
    const of = (copy: Copy) =>
      mean(own.filter((report) => report.copy === copy).map((report) => valueOf(report, figure, span)))
    return { learning: of("learning"), cold: of("cold"), shuffled: of("shuffled") }
  })
  const over = (of: (seed: Readonly<Record<Copy, number>>) => number) => meanAndError(seeds.map(of))
  return {
    learning: over((seed) => seed.learning),
    cold: over((seed) => seed.cold),
    shuffled: over((seed) => seed.shuffled),
    overCold: over((seed) => seed.learning - seed.cold),
    overShuffled: over((seed) => seed.learning - seed.shuffled)
  }
}

const figures: ReadonlyArray<Figure> = [
  "quality", "costUsd", "costRatio", "ece", "eceFloor", "regret", "lift"
]

/** Every figure by decile and over the whole stream. */
export const summaryOf = (reports: ReadonlyArray<LearningReport>) =>
  Object.fromEntries(figures.map((figure) => [
    figure,
    {
      deciles: deciles.map((span) => compare(reports, figure, span)),
      all: compare(reports, figure, wholeStream),
      secondHalf: compare(reports, figure, secondHalf)
    }
  ]))
