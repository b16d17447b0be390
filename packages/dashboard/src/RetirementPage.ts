/* A model's retirement as a single HTML file. */
import { type Column, command, type Element, note, paragraph, section, table } from "./Element.ts"
import { count, money, nameOf } from "./Figures.ts"
import {
  callsWords, certaintyWords, changeWords, costWords, dayWords, placeOf, type Retirement, type RetirementRow,
  stepsOf, successorWords, successWords, usualWords, useWords
} from "./RetirementWords.ts"
import { staticPage } from "./StaticPage.ts"

type Successor = RetirementRow["successors"][number]

const successors: ReadonlyArray<Column<Successor>> = [
  { title: "Model", cell: ({ model }) => nameOf(model) },
  { title: "Success (95 % interval)", cell: ({ model }) => successWords(model), isNumeric: true },
  { title: "A call", cell: ({ model }) => costWords(model), isNumeric: true },
  { title: "Change", cell: (row) => changeWords(row.usd_per_month_change), isNumeric: true },
  {
    title: "How sure",
    cell: ({ is_candidate: isCandidate, certainty }) =>
      `${certaintyWords[certainty]}${isCandidate ? "" : ", from the catalog"}`
  }
]

const kindSection = (old: string) => (row: RetirementRow, at: number): Element =>
  section(
    `kind-${at}`,
    placeOf(row),
    note(`${callsWords(row)}, ${money(row.spent_usd)}. ${usualWords(row, old)}`),
    row.successors.length === 0
      ? note("No successor is in sight.")
      : table(`What may replace ${old} on ${placeOf(row)}`, successors, row.successors)
  )

const uses: ReadonlyArray<Column<Retirement["users"][number]>> = [
  { title: "Name", cell: ({ name }) => name },
  { title: "Calls", cell: ({ n_calls: n }) => count(n), isNumeric: true },
  { title: "Spent", cell: ({ spent_usd: usd }) => money(usd), isNumeric: true }
]

const usesTable = (caption: string, rows: Retirement["users"]): Element | null =>
  rows.length === 0 ? null : table(caption, uses, rows)

const answerOf = ({ model_id: old, n_calls: n, successor }: Retirement): string =>
  successor === null && n === 0
    ? "Nothing has to be replaced."
    : `${successorWords(successor, old)}${successor === null ? ": name others as candidates" : ""}.`

/** The page as HTML; every text is escaped. */
export const retirementPage = (
  { account, madeAt, retirement, version }: {
    readonly account: string
    readonly retirement: Retirement
    readonly madeAt: Date
    readonly version: string
  }
): string => {
  const { kinds, model_id: old, namespace, tags, users } = retirement
  const where = [account, namespace ?? "all namespaces"].filter((part) => part !== "").join(", ")
  const steps = stepsOf(retirement)
  return staticPage({
    title: `${old}: its retirement`,
    subtitle: `${old}, ${where}`,
    sections: [
      section(
        "retirement", `${old} ${dayWords(retirement)}`,
        paragraph(useWords(retirement)), paragraph(answerOf(retirement))
      ),
      ...steps.length === 0 ? [] : [section(
        "steps", "What to do",
        ...steps.flatMap((step) => [paragraph(`${step.words}.`), command(step.command)])
      )],
      ...kinds.map(kindSection(old)),
      ...users.length + tags.length === 0 ? [] : [section(
        "uses", "For whom it runs", usesTable("Users", users), usesTable("Tags", tags)
      )]
    ],
    foot: paragraph(
      "Known means: by verdicts of both models on this kind of task, less than 5 points worse, with a"
      + " 95\u00a0% interval. What is only believed rests on a prediction. "
      + `${madeAt.toISOString().slice(0, 16).replace("T", " ")} UTC, by Sextant ${version}. No task is shown.`
    )
  })
}
