/* The first screen of a backtest's page: one figure with its interval, and four facts. */
import { intervalChart } from "../../../dashboard/src/charts/IntervalChart.ts"
import { element, type Element } from "../../../dashboard/src/Element.ts"
import { money } from "../../../dashboard/src/Figures.ts"
import type { BacktestReport } from "../Report.ts"
import { fixedWords, mixtureWords, todayOf, withinWords } from "../SameQuality.ts"
import { calls, count, share, span } from "../Sentences.ts"

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

const bestFact = ({ sameQuality: { mixture } }: BacktestReport): Fact => ({
  title: "The best mixture",
  figure: mixture.map(({ share: part }) => share(part)).join(" and ") || "none",
  words: mixture.length === 0 ? "no way of choosing is as good" : `of calls: ${mixtureWords(mixture)}`
})

const fixedFact = ({ sameQuality: { fixedModel } }: BacktestReport): Fact => ({
  title: "One model for all",
  figure: fixedModel === null ? "beats none" : `beats ${fixedModel.beaten} of ${fixedModel.settings}`,
  words: fixedModel === null ? "of the sliders and values" : fixedWords(fixedModel)
})

/** The saving at the same quality, with its interval as a picture. */
const told = ({ baseline, headline, sameQuality: { saving, verdict } }: BacktestReport): Element | null => {
  if (saving === null) return null
  const isShown = verdict === "saves"
  return element(
    "div", { class: "facts" },
    element(
      "div", {},
      element("h2", { id: "finding" }, `As good as ${todayOf(baseline)} (${withinWords})`),
      element("p", { class: isShown ? "figure" : "figure unknown" },
        isShown ? `${share(saving.value)} less` : "No such saving shown"),
      element("p", { class: "within" }, `95 % interval: ${span(saving)} saved`),
      element("p", { class: "basis" }, headline)
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
    element("p", { class: "figure unknown" },
      report.sameQuality.verdict === "none" ? "Nothing as good for less" : "Not enough to tell"),
    element("p", { class: "basis" }, report.headline)
  )

/** The hero and the facts below it. */
export const hero = (report: BacktestReport): ReadonlyArray<Element> => {
  const isTold = report.sameQuality.verdict !== "not_enough"
  const facts = [
    spentFact(report), labelledFact(report), ...(isTold ? [bestFact(report), fixedFact(report)] : [])
  ]
  return [
    element(
      "section", { class: "first", "aria-labelledby": "finding" },
      element("div", { class: "hero" }, told(report) ?? untold(report)),
      element("ul", { class: "cards" }, ...facts.map(card))
    )
  ]
}
