/* The section of verdicts: their number, their sources, and the most useful next step. */
import type { Answers } from "./Answers.ts"
import { type Column, element, type Element, figures, note, section, table } from "./Element.ts"
import { count, counted, percent } from "./Figures.ts"
import { provenanceWords } from "./Outcomes.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

type Coverage = NonNullable<Answers["dashboard"]["coverage"]>
type Lane = Coverage["lanes"][number]

const shareOf = (part: number, whole: number): string => whole === 0 ? "none" : percent(part / whole)

const sourcesOf = ({ sources }: Lane): string =>
  sources.map(({ n, source }) => `${count(n)} ${provenanceWords(source)}`).join(", ") || "none"

const columns: ReadonlyArray<Column<Lane>> = [
  { title: "Namespace", cell: ({ lane }) => namespaceOf(lane) },
  figures("Decisions", ({ n }) => count(n)),
  figures("Reported", ({ n, n_reported: reported }) => shareOf(reported, n)),
  figures("With a verdict", ({ n, n_verdicts: verdicts }) => shareOf(verdicts, n)),
  { title: "From", cell: sourcesOf }
]

const steps: { readonly [S in NonNullable<Coverage["next"]>["step"]]: string } = {
  report: "has too few reports: send one after each call, as the adapters do by themselves.",
  verdict: "has too few verdicts: check its answers by a schema (gates.json), report its readers' thumbs"
    + " (human), or let a model of yours judge 5 % of them (judged).",
  trusted: "has too few verdicts of a check or a person, on which comparisons and guarantees rest: add a"
    + " gate."
}

/** The most useful next step, in a sentence; null if every namespace has enough verdicts. */
const coverageAdvice = ({ next }: Coverage): string | null =>
  next === null ? null : `Namespace ${namespaceOf(next.lane)} ${steps[next.step]}`

/** The share of decisions with a verdict, by namespace. */
export const coverageSection = ({ dashboard: { coverage = null } }: Answers): Element | null => {
  if (coverage === null || coverage.n === 0) return null
  const { lanes, lanes_left_out: leftOut, n, n_verdicts: verdicts } = coverage
  const advice = coverageAdvice(coverage)
  return section(
    "coverage",
    `${percent(verdicts / n)} of ${counted(n, "decision")} have a verdict`,
    ...(advice === null ? [] : [note(advice)]),
    element("figure", {}, table("Verdicts by namespace", columns, lanes)),
    ...(leftOut === 0 ? [] : [note(`${counted(leftOut, "namespace")} more are not shown.`)])
  )
}
