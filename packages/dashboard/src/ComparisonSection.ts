/* Success with the advice against success with the callers' own model, in total and by team. */
import type { Answers } from "./Answers.ts"
import { intervalChart, type IntervalRow } from "./charts/IntervalChart.ts"
import { asTable, command, element, type Element, note, paragraph, section, table } from "./Element.ts"
import { interval, rate } from "./Figures.ts"
import { groupings } from "./Groupings.ts"
import { comparedOf, comparedWords, comparisonGrounds, nextStep, signedPoints } from "./Quality.ts"
import { ownModel } from "./Sentence.ts"

interface Row {
  readonly name: string
  readonly comparison: Answers["savings"]["comparison"]
}

const rowsOf = ({ asked, grouped, savings }: Answers): ReadonlyArray<Row> => {
  const { none, of } = groupings[asked?.by ?? "lane"]
  const groups = (grouped ?? savings).groups.map(({ comparison, key }) =>
    ({ name: key === "" ? none : of(key), comparison }))
  return [{ name: "all together", comparison: savings.comparison }, ...groups]
    .filter(({ comparison }) => comparedOf(comparison) !== null)
}

const drawn = ({ comparison, name }: Row): ReadonlyArray<IntervalRow> => {
  const compared = comparedOf(comparison)
  return compared === null ? [] : [{
    name, value: compared.difference, low: compared.low, high: compared.high,
    words: comparedWords(comparison),
    isEmphasized: name === "all together"
  }]
}

const rates = (value: number | null = null, low: number | null = null, high: number | null = null) =>
  value === null ? "not known" : `${rate(value)} (${interval(low, high)})`

/** Compares success with the advice and with the callers' own model, or says what is missing for that. */
export const comparisonSection = (answers: Answers): Element | null => {
  if (answers.savings.health.recommendations === 0) return null
  const own = ownModel(answers)
  const rows = rowsOf(answers)
  const step = nextStep(answers)
  const [grounds, ...more] = step === null ? comparisonGrounds(answers) : []
  return section(
    "comparison",
    "Success with the advice and with your own model",
    ...(step === null ? [] : [note(step.words), step.run === undefined ? null : command(step.run)]),
    rows.length === 0 ? null : element(
      "figure",
      {},
      element("figcaption", {}, `Difference of success, against ${own}`),
      intervalChart({
        label: "Success with the advice less that with your own model, with 95 % intervals. The table"
          + " contains the figures.",
        rows: rows.flatMap(drawn),
        tickLabel: (value) => `${signedPoints(value).replace(" points", "")}`,
        reference: { value: 0, name: "as often" }
      }),
      asTable(table("Both successes, by team", [
        { title: "Where", cell: ({ name }: Row) => name },
        {
          title: "With the advice", isNumeric: true,
          cell: ({ comparison: of }: Row) => rates(of?.success, of?.success_low, of?.success_high)
        },
        {
          title: "With your own model", isNumeric: true,
          cell: ({ comparison: of }: Row) =>
            rates(of?.baseline_success, of?.baseline_success_low, of?.baseline_success_high)
        }
      ], rows))
    ),
    ...(grounds === undefined ? [] : [paragraph(grounds), ...more.map(paragraph)])
  )
}
