/* The tables of `bench:learning`: figure by figure over deciles, then set by set. */
import { aligned, withError } from "../arena/table.ts"
import type { LearningReport } from "./copies.ts"
import { type Compared, compare, deciles, type Figure, secondHalf, wholeStream } from "./summary.ts"

interface Shown {
  readonly figure: Figure
  readonly title: string
  readonly digits: number
}

const shown: ReadonlyArray<Shown> = [
  { figure: "quality", title: "quality of the picks (higher is better)", digits: 3 },
  { figure: "costRatio", title: "cost against the best single model's", digits: 3 },
  { figure: "ece", title: "calibration error (0 is best; perfect predictions show the floor)", digits: 3 },
  { figure: "regret", title: "regret: quality under hindsight's best mixture at the same cost", digits: 3 },
  { figure: "lift", title: "lift: quality above the same picks dealt to the prompts at random", digits: 3 }
]

const cells = ({ cold, learning, overCold, overShuffled, shuffled }: Compared, digits: number) =>
  [learning, cold, shuffled, overCold, overShuffled].map((measured) => withError(measured, digits))

const heads = ["learning", "cold", "shuffled", "learning-cold", "learning-shuffled"]

const figureTable = (reports: ReadonlyArray<LearningReport>, { digits, figure, title }: Shown): string => {
  const spans = [...deciles, secondHalf, wholeStream]
  const floor = (span: (typeof spans)[number]) =>
    figure === "ece" ? [withError(compare(reports, "eceFloor", span).learning, digits)] : []
  return `${title}\n${aligned([
    ["decile", ...heads, ...(figure === "ece" ? ["floor, learning"] : [])],
    ...spans.map((span) => [span.title, ...cells(compare(reports, figure, span), digits), ...floor(span)])
  ])}`
}

const differences = { overCold: "cold", overShuffled: "shuffled" } as const

/** Second half of each set alone: where learning helps, and where it does not. */
const setTable = (
  reports: ReadonlyArray<LearningReport>,
  difference: keyof typeof differences
): string =>
  `2nd half by set: learning minus ${differences[difference]}\n${aligned([
    ["set", "rows", ...shown.map(({ figure }) => figure)],
    ...[...Map.groupBy(reports, (report) => report.set)].map(([set, own]) => [
      set,
      String(own[0]?.rows ?? 0),
      ...shown.map(({ digits, figure }) => withError(compare(own, figure, secondHalf)[difference], digits))
    ])
  ])}`

/** All tables: figure by figure over deciles, then set by set. */
export const tablesOf = (reports: ReadonlyArray<LearningReport>): string =>
  [
    ...shown.map((each) => figureTable(reports, each)),
    setTable(reports, "overCold"),
    setTable(reports, "overShuffled")
  ].join("\n\n")
