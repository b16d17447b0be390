/* Advice: a cheaper model for a kind of task, as a card, a list and plain text. */
import { namespaceOf } from "../../../src/domain/LaneName.ts"
import type { AdviceResponse } from "../../../src/domain/reports/Advice.ts"
import type { Answers } from "./Answers.ts"
import { command, element, type Element, note, section } from "./Element.ts"
import { counted, kindOfTask, money, nameOf, percent, price, sum } from "./Figures.ts"
import { certaintyWords, costWords, successWords } from "./RetirementWords.ts"

type Row = (typeof AdviceResponse.Encoded)["rows"][number]
type Way = Row["settle"][number]

const inDays = (days: number): string => `, ${counted(Math.max(1, Math.ceil(days)), "day")} at your rate`

const wayWords = ({ by, cost_usd: usd, count: n, days }: Way): string => {
  switch (by) {
    case "audition":
      return `an audition on ${counted(n, "prompt")} of your own, about ${price(usd)} beside its judge`
    case "guarantee":
      return `a guarantee with trials, about ${counted(n, "outcome")}${inDays(days)}`
    case "verdicts":
      return `${counted(n, "more verdict")}${inDays(days)}`
  }
}

const actionWords = ({ action, settle }: Row): string =>
  action === "move" ? "Move" : `To know: ${settle.map(wayWords).join("; or ")}`

/** The advised change: "demo-legal, hard code: gpt-5-mini in place of gpt-5". */
const changeWords = ({ candidate, cluster, lane, usual }: Row): string =>
  `${namespaceOf(lane)}, ${kindOfTask(cluster)}: ${nameOf(candidate)} in place of ${nameOf(usual)}`

const evidenceWords = ({ candidate, certainty, usual }: Row): string =>
  `${certaintyWords[certainty]}: it succeeds at ${successWords(candidate)} against ${successWords(usual)},`
  + ` and costs ${costWords(candidate)} a call against ${costWords(usual)}.`

const sentencesOf = (row: Row): string =>
  `${changeWords(row)}, ${money(row.saving_usd_per_month)} a month less. ${evidenceWords(row)} `
  + `${actionWords(row)}.`

/** The advice as text for a terminal, with its command on a second line. */
export const adviceWords = (row: Row): string => `${sentencesOf(row)}\n  ${row.command}`

/** The advice in short, for a table: "Move hard code to gpt-5-mini: $40 a month". */
export const shortAdvice = (row: Row): string =>
  (row.action === "move" ? `Move ${kindOfTask(row.cluster)} to ` : `Try ${kindOfTask(row.cluster)} on `)
  + `${nameOf(row.candidate)}: ${sum(row.saving_usd_per_month)} a month`

/** The advised command, with `sextant` replaced by the name that runs it on the server. */
export const runnable = ({ command }: { readonly command: string }, own: string): string =>
  command.replace(/^sextant /, `${own} `)

const ways = { audition: "an audition", guarantee: "a guarantee", verdicts: "verdicts" } as const

const titleOf = (row: Row): string => {
  const usd = `${sum(row.saving_usd_per_month)} a month`
  const name = nameOf(row.candidate)
  return row.action === "move"
    ? `Move to ${name}: ${usd} less`
    : `Find out with ${ways[row.action]} whether ${name} will do (${percent(row.chance)} likely): ${usd} if`
      + " so"
}

/** Minimum saving a month that the first screen shows, USD. Chosen. */
const worthFrom = 1

export const worthwhile = ({ advice }: Pick<Answers, "advice">): ReadonlyArray<Row> =>
  (advice?.rows ?? []).filter(({ saving_usd_per_month: usd }) => usd >= worthFrom)

/** The advice with the largest saving as a card; null if no advice saves `worthFrom` a month. */
export const adviceCard = ({ advice, command: own }: Pick<Answers, "advice" | "command">): Element | null => {
  const [first] = worthwhile({ advice })
  return first === undefined ? null : element(
    "div",
    { class: "card ask" },
    element("h3", {}, titleOf(first)),
    element("p", {}, `${changeWords(first)}. ${evidenceWords(first)}`),
    command(runnable(first, own))
  )
}

export const adviceSection = (
  { advice, command: own }: Pick<Answers, "advice" | "command">
): Element | null =>
  advice === null || advice.rows.length === 0 ? null : section(
    "advice",
    "What should I change?",
    note(
      "Known means: by verdicts and costs of both models on this kind of task, less than 5 points worse and "
      + "cheaper, each with a 95\u00a0% interval. What is only believed rests on a prediction. A month is 30"
      + " days at the rate of this window, or what the calls of a younger account came to."
    ),
    element("ul", { class: "plain" }, ...advice.rows.map((row) =>
      element("li", {}, sentencesOf(row), command(runnable(row, own)))))
  )
