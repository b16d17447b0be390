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
  { figure: "regret", title: "regret: quality under the best mixture in hindsight at the same cost", digits: 3 }
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

/** Second half of each set alone: where learning helps, and where it does not. */
const setTable = (reports: ReadonlyArray<LearningReport>): string => {
  const differences = (["overCold", "overShuffled"] as const).flatMap((difference) =>
    shown.map(({ digits, figure }) => ({ difference, digits, figure })))
  const names = { overCold: "-cold", overShuffled: "-shuffled" }
  return `2nd half by set: learning minus the other copies\n${aligned([
    ["set", "rows", ...differences.map(({ difference, figure }) => `${figure} ${names[difference]}`)],
    ...[...Map.groupBy(reports, (report) => report.set)].map(([set, own]) => [
      set,
      String(own[0]?.rows ?? 0),
      ...differences.map(({ difference, digits, figure }) =>
        withError(compare(own, figure, secondHalf)[difference], digits))
    ])
  ])}`
}

/** All tables: figure by figure over deciles, then set by set. */
export const tablesOf = (reports: ReadonlyArray<LearningReport>): string =>
  [...shown.map((each) => figureTable(reports, each)), setTable(reports)].join("\n\n")
