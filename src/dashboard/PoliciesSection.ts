/* The section of policy values: what other routing policies would have achieved. */
import type { Answers, PolicyRow } from "./Answers.ts"
import { chart, type Drawing } from "./Charts.ts"
import { asTable, type Column, element, note, section, table } from "./Element.ts"
import { count, interval, percent, points, priceOr, shareOr } from "./Figures.ts"

const named: Readonly<Record<string, string>> = {
  "deployed": "Sextant as it ran",
  "cheapest-eligible": "Cheapest eligible",
  "always-premium": "Always the most expensive",
  "always-cheapest": "Always the cheapest",
  "best-single": "Best single model"
}

const nameOf = ({ policy }: PolicyRow): string =>
  named[policy] ?? (policy.startsWith("slider-") ? `Slider at ${policy.slice(7)}` : policy)

const bases: Readonly<Record<PolicyRow["basis"], string>> = {
  "empirical": "the outcomes of the calls that did what this policy would do",
  "doubly-robust": "predictions, corrected by the outcomes that match this policy",
  "partly-model-based": "predictions, corrected where the log contains the same choice",
  "model-based": "Sextant's own predictions, for choices that were never made"
}

interface Mark {
  readonly pointStyle: "circle" | "rect" | "triangle"
  readonly character: string
}

/** Shapes distinguish bases without colour: filled for measured ones, hollow for predicted ones. */
const marks: Readonly<Record<string, Mark>> = {
  "empirical": { pointStyle: "circle", character: "●" },
  "doubly-robust": { pointStyle: "rect", character: "■" }
}
const hollow: Mark = { pointStyle: "triangle", character: "△" }
const markOf = (basis: string): Mark => marks[basis] ?? hollow

interface Valued extends PolicyRow {
  readonly success_value: number
}

const isValued = (policy: PolicyRow): policy is Valued => policy.success_value !== null

const drawingOf = (policies: ReadonlyArray<Valued>): Drawing => ({ line, realized, surface, text }) => ({
  type: "bar",
  data: {
    labels: policies.map(nameOf),
    datasets: [
      {
        type: "line",
        label: "Success",
        data: policies.map(({ success_value: value }) => value),
        showLine: false,
        clip: false,
        pointStyle: policies.map(({ basis }) => markOf(basis).pointStyle),
        pointRadius: 5.5,
        pointBackgroundColor: policies.map(({ basis }) => markOf(basis) === hollow ? surface : realized),
        pointBorderColor: text,
        pointBorderWidth: 1.5
      },
      {
        label: "95 % interval",
        data: policies.map(({ success_high: high, success_low: low }) =>
          low === null || high === null ? null : [low, high] as [number, number]),
        backgroundColor: realized,
        barThickness: 4
      }
    ]
  },
  options: {
    indexAxis: "y",
    scales: {
      x: {
        min: 0, max: 1, grid: { color: line },
        title: { display: true, text: "Success, with 95 % interval" },
        ticks: { callback: (value) => `${Math.round(Number(value) * 100)} %` }
      },
      y: {
        grid: { display: false },
        ticks: { color: text, autoSkip: false }
      }
    },
    plugins: {
      legend: { display: false },
      tooltip: {
        callbacks: {
          label: ({ dataIndex }) => {
            const policy = policies[dataIndex]
            if (policy === undefined) return ""
            const { basis, success_high: high, success_low: low, success_value: value } = policy
            return `${percent(value)} (${interval(low, high)}), ${basis}`
          }
        }
      }
    }
  }
})

const columns: ReadonlyArray<Column<PolicyRow>> = [
  { title: "Policy", cell: nameOf },
  { title: "Success", cell: ({ success_value: value }) => shareOr(value), isNumeric: true },
  {
    title: "95 % interval",
    cell: ({ success_high: high, success_low: low }) => interval(low, high) || "not known",
    isNumeric: true
  },
  { title: "Cost per call", cell: ({ cost_value: cost }) => priceOr(cost), isNumeric: true },
  { title: "Matched", cell: ({ matched_share: share }) => percent(share), isNumeric: true },
  {
    title: "Effective sample size",
    cell: ({ effective_sample_size: size }) => count(Math.round(size)),
    isNumeric: true
  },
  { title: "Basis", cell: ({ basis }) => basis }
]

/** How routing compares with the same picks in random order; null where the log is too short. */
const liftWords = (report: Answers["policyValue"]["report"]): string | null => {
  const { routing_lift: value = null, routing_lift_high: high = null, routing_lift_low: low = null } = report
  if (value === null) return null
  const signed = (share: number): string => `${share < 0 ? "−" : "+"}${points(share)}`
  const between = low === null || high === null ? "" : ` (95 % interval ${signed(low)} to ${signed(high)})`
  return `Choosing a model for each task adds ${signed(value)} of success to the same picks in random`
    + ` order${between}. A policy that always picks one model adds none.`
}

/** Smallest difference that is shown, share: a smaller one rounds to 0.0 points. */
const pointsFrom = 0.0005

const summaryOf = ({ report }: Answers["policyValue"]): string => {
  const { n_total_reconciled: all, n_trusted: trusting, regret_vs_oracle: regretShare } = report
  const trusted = `${count(trusting)} of ${count(all)} outcomes carry the label of a gate or a human; only`
    + " these are used to compare policies."
  const regret = Math.abs(regretShare) < pointsFrom
    ? ""
    : ` By Sextant's predictions, a perfect choice would succeed ${points(regretShare)}`
      + (regretShare < 0
        ? " less often than Sextant, so the predictions are too low."
        : " more often than Sextant.")
  const random = report.stochastic_share === 0
    ? " No pick was drawn at random: choices that are not in the log are known by prediction only."
    : ` ${percent(report.stochastic_share)} of the picks were drawn at random, which makes the comparison `
      + "more reliable."
  return trusted + regret + random
}

/** What other policies would have achieved on the same tasks. */
export const policiesSection = ({ policyValue }: Answers): HTMLElement => {
  const { policies } = policyValue.report
  const title = "Would another policy have done better?"
  if (policies.length === 0) {
    return section("policies", title, note("No outcome with the label of a gate or a human in this window."))
  }
  const lift = liftWords(policyValue.report)
  const seen = [...new Set(policies.map(({ basis }) => basis))]
  const valued = policies.filter(isValued)
  const size = valued.length > 8 ? "tall" : valued.length > 3 ? "medium" : "low"
  const label = "Policies by success with 95 % intervals. The table contains the figures."
  return section(
    "policies",
    title,
    note(summaryOf(policyValue)),
    ...(lift === null ? [] : [note(lift)]),
    element(
      "figure",
      {},
      element("figcaption", {}, "Success of each policy"),
      chart(label, drawingOf(valued), size),
      asTable(table("Policies", columns, policies))
    ),
    element("h3", {}, "What the figures are based on"),
    element("ul", { class: "flags" }, ...seen.map((basis) =>
      element(
        "li",
        {},
        element("span", { "aria-hidden": "true" }, `${markOf(basis).character} `),
        element("strong", {}, basis),
        `: ${bases[basis]}.`
      )))
  )
}
