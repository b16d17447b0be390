/* The first screen of a backtest's page: one figure with its interval, and four facts. */
import { intervalChart } from "../../../dashboard/src/charts/IntervalChart.ts"
import { element, type Element } from "../../../dashboard/src/Element.ts"
import { money } from "../../../dashboard/src/Figures.ts"
import type { BacktestPolicy, BacktestReport } from "../Report.ts"
import { calls, count, differenceWords, headlinePolicy, share, span } from "../Sentences.ts"
import { titleOf } from "./Titles.ts"

interface Fact {
  readonly title: string
  readonly figure: string
  readonly words: string
}

const card = ({ figure, title, words }: Fact): Element =>
  element(
    "li", { class: "card" },
    element("h3", {}, title), element("p", { class: "figure" }, figure), element("p", {}, words)
  )

const spentFact = ({ log, spent }: BacktestReport): Fact => ({
  title: "Spent",
  figure: money(spent.usd),
  words: [
    `on ${calls(log.rows - log.repeated)}`,
    ...(spent.computedRows === 0 ? [] : [`${count(spent.computedRows)} by list prices`]),
    ...(spent.unknownRows === 0 ? [] : [`${count(spent.unknownRows)} of unknown cost`])
  ].join(", ")
})

const labelledFact = ({ log }: BacktestReport): Fact => ({
  title: "Labelled",
  figure: share(log.judged === 0 ? 0 : log.labelled / log.judged),
  words: `${count(log.labelled)} of ${calls(log.judged)} say how good the answer was`
})

const successFact = ({ success, successDifference }: BacktestPolicy): Fact => ({
  title: "Success",
  figure: success === null ? "not known" : share(success.value),
  words: successDifference === null ? "no comparison" : differenceWords(successDifference)
})

const evidenceFact = ({ effectiveSampleSize, matchedLabelled, matchedShare }: BacktestPolicy): Fact => ({
  title: "Evidence",
  figure: share(matchedShare),
  words: `of calls show its pick: ${count(matchedLabelled)} labelled, worth ${count(effectiveSampleSize)}`
})

/** The figure of a policy that can be told: what it saves, with its interval as a picture. */
const told = (policy: BacktestPolicy, baseline: string): Element | null => {
  const { saving } = policy
  if (saving === null || policy.verdict === "not_enough") return null
  const isLoss = saving.value < 0
  return element(
    "div", { class: "facts" },
    element(
      "div", {},
      element("h2", { id: "finding" }, `${titleOf(policy)} would have cost`),
      element("p", { class: isLoss ? "figure loss" : "figure" },
        `${share(Math.abs(saving.value))} ${isLoss ? "more" : "less"}`),
      element("p", { class: "within" }, `95 % interval: ${span(saving)} saved`),
      element("p", { class: "basis" }, `than ${baseline}.`)
    ),
    intervalChart({
      label: `Saving of ${span(saving)}`,
      rows: [{
        name: "", words: span(saving), value: saving.value, low: saving.low, high: saving.high,
        isEmphasized: true
      }],
      tickLabel: share,
      reference: { value: 0, name: "no saving" }
    })
  )
}

const untold = (report: BacktestReport): Element =>
  element(
    "div", {},
    element("h2", { id: "finding" }, "What this log says"),
    element("p", { class: "figure unknown" }, "Not enough to tell"),
    element("p", { class: "basis" }, report.headline)
  )

/** The hero and the facts below it. */
export const hero = (report: BacktestReport): ReadonlyArray<Element> => {
  const policy = headlinePolicy(report.policies)
  const facts = [
    spentFact(report), labelledFact(report),
    ...(policy === null ? [] : [successFact(policy), evidenceFact(policy)])
  ]
  return [
    element(
      "section", { class: "first", "aria-labelledby": "finding" },
      element("div", { class: "hero" },
        (policy === null ? null : told(policy, report.baseline)) ?? untold(report)),
      element("ul", { class: "cards" }, ...facts.map(card))
    )
  ]
}
