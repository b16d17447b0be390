/* An audition's report as a single HTML file. */
import { documentOf } from "../../backtest/src/page/Page.ts"
import { share } from "../../backtest/src/Sentences.ts"
import { intervalChart } from "../../dashboard/src/charts/IntervalChart.ts"
import { planeChart } from "../../dashboard/src/charts/PlaneChart.ts"
import { element, type Element, note, paragraph, section, table } from "../../dashboard/src/Element.ts"
import { count, money, percent, price } from "../../dashboard/src/Figures.ts"
import { counted, duration } from "../../../src/domain/text/Words.ts"
import { atValue } from "./Figures.ts"
import type { AuditionReport } from "./Report.ts"
import { answersShown, costCell, leftOutLines, shareCell, spentSentence } from "./Table.ts"

const costTitle = `Cost of ${answersShown.toLocaleString("en-GB")} answers`

const card = (title: string, figure: string, words: string): Element =>
  element("li", { class: "card" },
    element("h3", {}, title), element("p", { class: "figure" }, figure), element("p", {}, words))

const hero = ({ budgetUsd, calls, ended, headline, models, named, spentUsd }: AuditionReport): Element => {
  const isClear = ended === "clear"
  const graded = models.reduce((sum, { trials }) => sum + trials, 0)
  return element(
    "section", { class: "first", "aria-labelledby": "finding" },
    element("div", { class: "hero" }, element(
      "div", {},
      element("h2", { id: "finding" },
        named === null ? "What was seen" : `${isClear ? "Best" : "Leading"} ${atValue(named.valueUsd)}`),
      element("p", { class: named === null ? "figure unknown" : "figure" }, named?.modelId ?? "Not known"),
      element("p", { class: "basis" }, headline)
    )),
    element(
      "ul", { class: "cards" },
      card("Spent", money(spentUsd), `of ${money(budgetUsd)}`),
      card("Calls", count(calls), `${count(graded)} graded`),
      ...(named === null
        ? []
        : [card("Chance", percent(named.chance), "that no other model is worth more")])
    )
  )
}

const chart = ({ models, named }: AuditionReport): Element | null => {
  const rows = models.flatMap(({ modelId, success }) =>
    success === null ? [] : [{
      name: modelId, words: shareCell(success), ...success, isEmphasized: modelId === named?.modelId
    }])
  const label = "Success of each model, with 95 % intervals; the table below has the figures"
  return rows.length === 0 ? null : element(
    "figure", {}, element("figcaption", {}, "Success"), intervalChart({ label, rows, tickLabel: share })
  )
}

const plane = ({ models }: AuditionReport): Element | null => {
  const points = models.flatMap(({ costUsd, modelId, success }) =>
    success === null || costUsd === null ? [] : [{
      name: modelId, title: `${modelId}: ${share(success.value)} at ${price(costUsd.value * answersShown)}`,
      x: costUsd.value * answersShown, xLow: costUsd.low * answersShown, xHigh: costUsd.high * answersShown,
      y: success.value, yLow: success.low, yHigh: success.high
    }])
  return points.length < 2 ? null : element(
    "figure", {}, element("figcaption", {}, "Success against cost"),
    planeChart({
      label: "Success of each model against its cost; the table below has the figures", points,
      x: { title: costTitle.toLowerCase(), tickLabel: price }, y: { title: "success", tickLabel: share }
    })
  )
}

const models = (report: AuditionReport): Element =>
  section(
    "models", "Models",
    note("On your prompts. Lines and brackets are 95 % intervals, which hold although the audition ends "
      + "when it is sure."),
    chart(report), plane(report),
    table("Each model, with 95 % intervals", [
      { title: "Model", cell: ({ modelId }) => modelId },
      { title: "Graded", cell: ({ trials }) => count(trials), isNumeric: true },
      { title: "Success", cell: ({ success }) => shareCell(success), isNumeric: true },
      { title: costTitle, cell: ({ costUsd }) => costCell(costUsd), isNumeric: true },
      {
        title: "Time", isNumeric: true,
        cell: ({ latencyMs }) => latencyMs === null ? "not known" : duration(latencyMs)
      }
    ], report.models)
  )

const kinds = (report: AuditionReport): Element =>
  section(
    "kinds", "By kind of task",
    table("Success by kind, with 95 % intervals", [
      { title: "Kind", cell: ({ kind }) => kind },
      { title: "Model", cell: ({ modelId }) => modelId },
      { title: "Graded", cell: ({ trials }) => count(trials), isNumeric: true },
      { title: "Success", cell: ({ success }) => shareCell(success), isNumeric: true }
    ], report.models.flatMap(({ kinds: own, modelId }) => own.map((kind) => ({ ...kind, modelId })))
      .sort((one, other) => one.kind < other.kind ? -1 : one.kind > other.kind ? 1 : 0))
  )

const values = ({ naming }: AuditionReport): Element =>
  section(
    "values", "Which model at which value",
    note("A model is named by its success times the value, less its cost."),
    table("The model that is named at a value of a success", [
      { title: "Value", cell: ({ valueUsd }) => valueUsd === null ? "success alone" : price(valueUsd) },
      { title: "Model", cell: ({ modelId }) => modelId },
      { title: "Chance that it is best", cell: ({ chance }) => percent(chance), isNumeric: true }
    ], naming)
  )

export const pageOf = (report: AuditionReport): string => {
  const leftOut = leftOutLines(report.models)
  return documentOf({
    title: "Audition of models",
    brand: "Audition",
    subtitle: counted(report.prompts, "prompt"),
    sections: [
      hero(report), models(report), values(report), kinds(report),
      section(
        "spent", "What it cost, and what was left out", paragraph(spentSentence(report)),
        leftOut.length === 0
          ? paragraph("No call was left out.")
          : element("ul", { class: "plain" }, ...leftOut.map((line) => element("li", {}, line)))
      )
    ],
    foot: "Made by sextant audition on this machine. Prompts and answers went to the models alone."
  })
}
