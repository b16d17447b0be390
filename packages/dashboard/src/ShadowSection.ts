/* The section of decisions in shadow: the cost of the picks beside that of the models that ran. */
import type { Answers } from "./Answers.ts"
import { shares } from "./charts/Axis.ts"
import { intervalChart } from "./charts/IntervalChart.ts"
import { asTable, element, type Element, type Fact, facts, folded, note, section, table } from "./Element.ts"
import {
  count, counted, interval, money, moneyTick, percent, relative, sumRange
} from "./Figures.ts"
import { isKnown } from "./SavingTiers.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

type Shadow = NonNullable<Answers["dashboard"]["shadow"]>

const isShown = ({ basis, difference_usd: difference }: Shadow): boolean =>
  isKnown({ basis, savings_usd: difference })

const basisWords: { readonly [B in Shadow["basis"]]: string } = {
  none: "No shadow has a bill.",
  same_model: "Every billed shadow ran the recommended model anyway.",
  bills: "The cost of the picks is estimated by their own bills.",
  partly_estimate: "Some picks have no bill, so no interval is known.",
  estimate: "No pick has a bill, so its cost is unchecked."
}

/** "$3.20 (95 % interval $1.10 to $5.00)": what following would have kept; below 0, it costs more. */
const keptWords = (shadow: Shadow): string => {
  if (!isShown(shadow)) return "not known"
  const { difference_high_usd: high, difference_low_usd: low, difference_usd: difference } = shadow
  if (low === null || high === null || low === high) return money(difference)
  const undecided = low <= 0 && high >= 0 ? ": not enough to tell" : ""
  return `${money(difference)} (95\u00a0% interval ${sumRange(low, high)}${undecided})`
}

const caption = (shadow: Shadow): string =>
  isShown(shadow) && shadow.difference_usd < 0
    ? `Following would have cost ${money(-shadow.difference_usd)} more`
    : `Following would have kept ${
      isShown(shadow) ? money(shadow.difference_usd) : "an amount that is not known"
    }`

const factsOf = (shadow: Shadow): ReadonlyArray<Fact> => [
  { name: "Decisions in shadow", value: count(shadow.n) },
  { name: "With feedback", value: count(shadow.n_feedback) },
  { name: "With a bill", value: count(shadow.n_billed) },
  { name: "Of these, ran the pick anyway", value: count(shadow.n_same_model) },
  { name: "Billed for what ran", value: money(shadow.cost_usd) },
  {
    name: "The picks would have cost",
    value: isShown(shadow) ? money(shadow.cost_followed_usd) : "not known"
  },
  { name: "Following would have kept", value: keptWords(shadow) },
  {
    name: "What ran succeeded",
    value: shadow.success_rate === null
      ? "not known"
      : `${percent(shadow.success_rate)} (${interval(shadow.success_low, shadow.success_high)}), of ${
        counted(shadow.n_outcomes, "outcome")
      }`
  }
]

const moneyChart = (shadow: Shadow): Element | null => {
  const { difference_high_usd: high, difference_low_usd: low, difference_usd: value } = shadow
  if (!isShown(shadow) || low === null || high === null || low === high) return null
  return intervalChart({
    label: `Following would have kept ${keptWords(shadow)}. Zero is no difference.`,
    rows: [{
      name: "Would have been kept", words: `${money(value)} (${sumRange(low, high)})`, value, low, high,
      isHollow: true
    }],
    tickLabel: moneyTick,
    reference: { value: 0, name: "no difference" }
  })
}

const successChart = (shadow: Shadow): Element | null => {
  const { success_high: high, success_low: low, success_rate: value } = shadow
  return value === null ? null : intervalChart({
    label: `What ran succeeded in ${percent(value)}, 95 % interval ${interval(low, high)}.`,
    rows: [{
      name: "What ran succeeded", words: `${percent(value)} (${interval(low, high)})`, value, low, high
    }],
    domain: shares,
    tickLabel: percent
  })
}

/** What decisions in shadow say; null while the account has none. */
export const shadowSection = ({ dashboard: { shadow = null } }: Answers): Element | null => {
  if (shadow === null) return null
  const share = isShown(shadow) && shadow.basis !== "same_model"
    ? note(`${relative(shadow.difference_usd, shadow.cost_usd)} than what ran.`)
    : null
  return section(
    "shadow",
    "Had you followed, in shadow",
    note("None of this happened, and no saving counts it."),
    element(
      "figure",
      {},
      element("figcaption", {}, caption(shadow)),
      share,
      note(basisWords[shadow.basis]),
      moneyChart(shadow),
      successChart(shadow),
      asTable(facts("Decisions in shadow", factsOf(shadow)))
    ),
    shadow.lanes.length < 2 ? null : folded("By namespace", table("Decisions in shadow by namespace", [
      { title: "Namespace", cell: ({ lane }: Shadow["lanes"][number]) => namespaceOf(lane) },
      { title: "Decisions", cell: ({ n }: Shadow["lanes"][number]) => count(n), isNumeric: true }
    ], shadow.lanes))
  )
}
