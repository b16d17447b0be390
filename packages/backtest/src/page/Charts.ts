/* The charts of a backtest's page: saving, success, and both costs and success in one plane. */
import {
  intervalChart, type IntervalRow, type MarkShape
} from "../../../dashboard/src/charts/IntervalChart.ts"
import { planeChart } from "../../../dashboard/src/charts/PlaneChart.ts"
import { element, type Element } from "../../../dashboard/src/Element.ts"
import { price } from "../../../dashboard/src/Figures.ts"
import type { BacktestPolicy, BacktestReport, Interval } from "../Report.ts"
import { share, span } from "../Sentences.ts"
import { callsShown, callsTitle, titleOf } from "./Titles.ts"

const shapeOf = ({ kind }: BacktestPolicy): MarkShape =>
  kind === "slider" || kind === "value" ? "circle" : kind === "always" ? "square" : "triangle"

const figure = (caption: string, ...content: ReadonlyArray<Element>): Element =>
  element("figure", {}, element("figcaption", {}, caption), ...content)

const rowOf = (
  policy: BacktestPolicy,
  { high, low, value }: Interval,
  isEmphasized: boolean
): IntervalRow => ({
  name: titleOf(policy), words: `${share(value)} (${span({ high, low, value })})`, value, low, high,
  shape: shapeOf(policy), isEmphasized
})

const savings = ({ policies }: BacktestReport, emphasized: ReadonlySet<string>): Element | null => {
  const rows = policies.flatMap((policy) =>
    policy.saving === null ? [] : [rowOf(policy, policy.saving, emphasized.has(policy.name))])
  return rows.length === 0 ? null : figure("Saving", intervalChart({
    label: "Saving of each way of choosing, with 95 % intervals; the table below has the figures",
    rows,
    tickLabel: share,
    reference: { value: 0, name: "no saving" }
  }))
}

const successes = ({ policies }: BacktestReport, emphasized: ReadonlySet<string>): Element | null => {
  const rows = policies.flatMap((policy) =>
    policy.success === null ? [] : [rowOf(policy, policy.success, emphasized.has(policy.name))])
  return rows.length === 0 ? null : figure("Success", intervalChart({
    label: "Success of each way of choosing, with 95 % intervals; the table below has the figures",
    rows,
    tickLabel: share
  }))
}

/**
 * The points of the best mixture have a name, and the log's own: more would collide. Of a value, the title
 * says which one leads there.
 */
const plane = ({ policies }: BacktestReport, emphasized: ReadonlySet<string>): Element | null => {
  const points = policies.flatMap((policy) => {
    const { costUsd, kind, success } = policy
    if (costUsd === null || success === null) return []
    return [{
      title: `${titleOf(policy)}: ${share(success.value)} at ${price(costUsd.value * callsShown)}`,
      ...(emphasized.has(policy.name) || kind === "logged" ? { name: titleOf(policy) } : {}),
      x: costUsd.value * callsShown, xLow: costUsd.low * callsShown, xHigh: costUsd.high * callsShown,
      y: success.value, yLow: success.low, yHigh: success.high,
      shape: shapeOf(policy), isHollow: kind === "always" || kind === "value"
    }]
  })
  return points.length < 2 ? null : figure("Success against cost", planeChart({
    label: "Success of each way of choosing against its cost; the table below has the figures",
    points,
    x: { title: `cost of ${callsTitle}`, tickLabel: (usd) => price(usd).replace(/\.00$/, "") },
    y: { title: "success", tickLabel: share }
  }))
}

/** All charts of which the log can tell something. */
export const pictures = (report: BacktestReport): ReadonlyArray<Element> => {
  const emphasized = new Set(report.sameQuality.mixture.map(({ name }) => name))
  return [savings(report, emphasized), successes(report, emphasized), plane(report, emphasized)]
    .filter((each) => each !== null)
}
