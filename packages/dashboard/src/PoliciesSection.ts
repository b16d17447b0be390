/* Estimated success and cost of other ways of choosing, and the setting of each. */
import type { Answers, PolicyRow } from "./Answers.ts"
import { type MarkShape } from "./charts/IntervalChart.ts"
import { planeChart } from "./charts/PlaneChart.ts"
import {
  asTable, type Column, command, element, type Element, figures, folded, note, paragraph, section, table
} from "./Element.ts"
import { count, interval, moneyTick, percent, points, price, priceOr, shareOr } from "./Figures.ts"
import { signedPoints } from "./Quality.ts"

type Report = Answers["policyValue"]["report"]

interface Point extends PolicyRow {
  readonly success_value: number
  readonly cost_value: number
}

const isPoint = (row: PolicyRow): row is Point => row.success_value !== null && row.cost_value !== null

const named: Readonly<Record<string, string>> = {
  "deployed": "Sextant as it ran",
  "cheapest-eligible": "Always the cheapest that is likely enough",
  "always-premium": "Always the most expensive",
  "always-cheapest": "Always the cheapest",
  "best-single": "Best single model",
  "slider-0": "Cost against quality at 0 of 10, the cheapest",
  "slider-10": "Cost against quality at 10 of 10, the best"
}

/** Reads the setting in a policy's name: "slider" and 7.5, or "value" and 0.3; null if it names none. */
const settingOf = ({ policy }: PolicyRow) => {
  const [, kind, number = ""] = /^(slider|value)-(.+)$/.exec(policy) ?? []
  return kind === "slider" || kind === "value" ? { kind, number } as const : null
}

const nameOf = (row: PolicyRow): string => {
  const setting = settingOf(row)
  return named[row.policy] ?? (setting === null
    ? row.policy
    : setting.kind === "slider"
    ? `Cost against quality at ${setting.number} of 10`
    : `A success worth ${moneyTick(Number(setting.number))}`)
}

const shortName = (row: PolicyRow): string | null => {
  const setting = settingOf(row)
  if (setting !== null) return setting.kind === "slider" ? setting.number : moneyTick(Number(setting.number))
  return row.policy === "deployed" ? "as it ran" : null
}

/** The words and the mark for each way to estimate. */
const bases: { readonly [B in PolicyRow["basis"]]: Basis } = {
  "empirical": { name: "counted", words: "outcomes of the calls that did the same", shape: "circle" },
  "doubly-robust": {
    name: "corrected by outcomes", words: "predictions, corrected by the outcomes that match", shape: "square"
  },
  "partly-model-based": {
    name: "partly predicted", words: "predictions, corrected where the log contains the same choice",
    shape: "triangle"
  },
  "model-based": {
    name: "predicted", words: "Sextant's own predictions, for choices that were never made", shape: "triangle"
  }
}

interface Basis {
  readonly name: string
  readonly words: string
  readonly shape: MarkShape
}

const columns: ReadonlyArray<Column<PolicyRow>> = [
  { title: "Way of choosing", cell: nameOf },
  figures("Success", ({ success_value: value }) => shareOr(value)),
  figures("95 % interval", ({ success_high: high, success_low: low }) => interval(low, high) || "not known"),
  figures("Cost per call", ({ cost_value: cost }) => priceOr(cost)),
  figures("Calls that did the same", ({ matched_share: share }) => percent(share)),
  figures("Outcomes it rests on, about", ({ effective_sample_size: size }) => count(Math.round(size))),
  { title: "Rests on", cell: ({ basis }) => bases[basis].name }
]

/** If an estimate rests on fewer outcomes than this, the page says that they are not enough. Chosen. */
const outcomesMin = 30

const verdictOf = (point: Point, deployed: Point | undefined): string => {
  const { basis, effective_sample_size: size, success_high: high, success_low: low } = point
  if (basis === "model-based" || size < outcomesMin || low === null || high === null) {
    return `It rests on ${count(Math.floor(size))} outcomes and predictions: not enough to tell.`
  }
  if (deployed === undefined || deployed.success_low === null || deployed.success_high === null) return ""
  if (low > deployed.success_high) return "It succeeds more often than what ran."
  return high < deployed.success_low
    ? "It succeeds less often than what ran."
    : "Not enough to tell whether it succeeds more or less often than what ran."
}

const idOf = ({ policy }: PolicyRow): string => `choose-${policy}`

/** The figures of a policy, and the setting to copy for it; null if the policy has no setting. */
const choiceOf = (setAccount: string, point: Point, deployed: Point | undefined): Element | null => {
  const setting = settingOf(point)
  if (setting === null) return null
  const { cost_value: cost, success_high: high, success_low: low, success_value: success } = point
  const within = interval(low, high)
  const { kind, number } = setting
  return element(
    "details",
    { id: idOf(point) },
    element("summary", {}, `${nameOf(point)}: ${percent(success)} at ${price(cost)} a call`),
    paragraph(`${within === "" ? "" : `95\u00a0% interval ${within}. `}${verdictOf(point, deployed)}`),
    ...(kind === "slider" ? [command(`"cost_quality_tradeoff": ${number}`)] : [
      paragraph(`At this point one success more costs about ${moneyTick(Number(number))}.`),
      command(`"success_value_usd": ${number}`),
      command(`${setAccount} --success-value ${number}`)
    ])
  )
}

const drawn = (point: Point) => {
  const { basis, cost_value: cost, success_value: success } = point
  const name = shortName(point)
  return {
    title: `${nameOf(point)}: ${percent(success)} at ${price(cost)}, ${bases[basis].name}`,
    ...(name === null ? {} : { name }),
    ...(settingOf(point) === null ? {} : { opens: idOf(point) }),
    x: cost, y: success, yLow: point.success_low, yHigh: point.success_high,
    shape: bases[basis].shape, isHollow: bases[basis].shape === "triangle"
  }
}

/** Says how much more success the choice for each task gives than the same picks in random order. */
const liftWords = (report: Report): ReadonlyArray<string> => {
  const { routing_lift: value = null, routing_lift_high: high = null, routing_lift_low: low = null } = report
  const between = low === null || high === null
    ? ""
    : ` (95 % interval ${signedPoints(low)} to ${signedPoints(high)})`
  return value === null ? [] : [
    `Choosing a model for each task adds ${signedPoints(value)} of success to the same picks in random`
    + ` order${between}. A policy that always picks one model adds none.`
  ]
}

/** Minimum difference that is shown, share, because a smaller one rounds to 0.0 points. */
const pointsFrom = 0.0005

const groundsOf = (report: Report): ReadonlyArray<string> => {
  const { n_total_reconciled: all, n_trusted: n, regret_vs_oracle: regret } = report
  const { stochastic_share: drawn } = report
  return [
    `${count(n)} of ${count(all)} outcomes were verified by a check or a person; only these are compared.`,
    ...(Math.abs(regret) < pointsFrom ? [] : [
      `By Sextant's predictions, a perfect choice would succeed ${points(regret)}`
      + (regret < 0
        ? " less often than Sextant, so the predictions are too low."
        : " more often than Sextant.")
    ]),
    drawn === 0
      ? "No pick was drawn at random: choices that are not in the log are known by prediction only."
      : `${percent(drawn)} of the picks were drawn at random, which makes the comparison more reliable.`,
    ...liftWords(report)
  ]
}

export const policiesSection = (answers: Pick<Answers, "command" | "policyValue">): Element => {
  const { org_id: account, report } = answers.policyValue
  const title = "What to set: would another way of choosing have done better?"
  if (report.policies.length === 0) {
    return section("policies", title, note("No outcome was verified by a check or a person in this window."))
  }
  // The policy `cheapest-eligible` is not drawn, because its point may hide the point of `deployed`.
  const plane = report.policies.filter(isPoint).filter(({ policy }) => policy !== "cheapest-eligible")
    .sort((one, other) => one.cost_value - other.cost_value)
  const deployed = plane.find(({ policy }) => policy === "deployed")
  const setAccount = `${answers.command} account set --instance ${account}`
  const all = table("Ways of choosing", columns, report.policies)
  return section(
    "policies",
    title,
    note("Success of each way of choosing, with 95 % intervals. Where they overlap, nothing is decided. To"
      + " spend less, choose a point: it says what to set."),
    plane.length < 2 ? all : element(
      "figure",
      {},
      element("figcaption", {}, "Success against cost: choose a point"),
      planeChart({
        label: "Success of each way of choosing against its cost, with 95 % intervals. The table contains the"
          + " figures.",
        points: plane.map(drawn),
        x: { title: "cost per call", tickLabel: moneyTick },
        y: { title: "success", tickLabel: percent }
      }),
      note("Numbers are the slider (cost_quality_tradeoff), dollars the value of a success."),
      element("div", { class: "choices" }, ...plane.map((point) => choiceOf(setAccount, point, deployed))),
      asTable(all)
    ),
    folded(
      "What the figures are based on",
      ...groundsOf(report).map(note),
      ...[...new Set(report.policies.map(({ basis }) => basis))]
        .map((basis) => note(`${bases[basis].name}: ${bases[basis].words}.`))
    )
  )
}
