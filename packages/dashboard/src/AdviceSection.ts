/* The section of what to change: a cheaper model by kind of task, and how sure that is. */
import { namespaceOf } from "../../../src/domain/LaneName.ts"
import type { AdviceResponse } from "../../../src/domain/reports/Advice.ts"
import type { Answers } from "./Answers.ts"
import { element, type Element, note, section } from "./Element.ts"
import { count, counted, interval, kindOfTask, modelName, money, percent, price } from "./Figures.ts"

type Row = (typeof AdviceResponse.Encoded)["rows"][number]
type Model = Row["usual"]
type Way = Row["settle"][number]

const nameOf = ({ effort, model_id: modelId }: Model): string => modelName(modelId, effort)

const basisOf = ({ n_verdicts: n, success_basis: basis }: Model): string =>
  basis === "prediction" ? "predicted" : counted(n, "verdict")

/** "81 % (74 to 87 %; 140 verdicts)". */
const successOf = (model: Model): string =>
  `${percent(model.success)} (${interval(model.success_low, model.success_high)}; ${basisOf(model)})`

const costOf = ({ cost_basis: basis, cost_usd: usd }: Model): string =>
  `${price(usd)}${basis === "estimate" ? " (estimate)" : ""}`

const standingWords =
  { known: "Known", tried: "Tried, and not known yet", believed: "Only believed" } as const

const inDays = (days: number): string => `, ${counted(Math.max(1, Math.ceil(days)), "day")} at your rate`

const wayWords = ({ by, cost_usd: usd, count: n, days }: Way): string => {
  switch (by) {
    case "audition":
      return `an audition on ${counted(n, "prompt")} of your own, about ${price(usd)} beside its judge`
    case "guarantee":
      return `a guarantee with trials, about ${counted(n, "outcome")}${inDays(days)}`
    case "verdicts":
      return `${n === 1 ? "1 more verdict" : `${count(n)} more verdicts`}${inDays(days)}`
  }
}

const actionWords = ({ action, settle }: Row): string =>
  action === "move" ? "Move" : `To know: ${settle.map(wayWords).join("; or ")}`

/** What to change, how sure that is, and what to do. */
const sentencesOf = (row: Row): string => {
  const { candidate, cluster, lane, saving_usd_per_month: savingUsd, standing, usual } = row
  return `${namespaceOf(lane)}, ${kindOfTask(cluster)}: ${nameOf(candidate)} in place of ${nameOf(usual)}, `
    + `${money(savingUsd)} a month less. ${standingWords[standing]}: it succeeds at ${successOf(candidate)} `
    + `against ${successOf(usual)}, and costs ${costOf(candidate)} a call against ${costOf(usual)}. `
    + `${actionWords(row)}.`
}

/** The same with the command in a line of its own. */
export const adviceWords = (row: Row): string => `${sentencesOf(row)}\n  ${row.command}`

/** What to change, most money first; null where there is nothing, or while it cannot be read. */
export const adviceSection = ({ advice }: Answers): Element | null =>
  advice === null || advice.rows.length === 0 ? null : section(
    "advice",
    "What should I change?",
    note(
      "Known means: by verdicts and costs of both models on this kind of task, less than 5 points worse and "
      + "cheaper, each with a 95\u00a0% interval. What is only believed rests on a prediction."
    ),
    element("ul", {}, ...advice.rows.map((row) =>
      element("li", {}, sentencesOf(row), element("br", {}), element("code", {}, row.command))))
  )
