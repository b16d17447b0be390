/* Shadow decisions: the cost of the picks against the cost of the models that ran. */
import type { Answers } from "./Answers.ts"
import { element, type Element, facts, note, section } from "./Element.ts"
import { count, counted, interval, money, percent, relative, sumRange } from "./Figures.ts"
import { isKnown } from "./SavingTiers.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

type Shadow = NonNullable<Answers["dashboard"]["shadow"]>

const basisWords: { readonly [B in Shadow["basis"]]: string } = {
  none: "No shadow has a bill.",
  same_model: "Every billed shadow ran the recommended model anyway.",
  bills: "The cost of the picks is estimated by their own bills.",
  partly_estimate: "Some picks have no bill, so no interval is known.",
  estimate: "No pick has a bill, so its cost is unchecked."
}

/** What following the advice would have saved or cost: "kept $3.20 (95 % interval …)", "cost $3.20 more". */
const keptWords = (shadow: Shadow): string => {
  const { basis, difference_high_usd: high, difference_low_usd: low, difference_usd: difference } = shadow
  if (!isKnown({ basis, savings_usd: difference })) return "kept an amount that is not known"
  const undecided = low !== null && high !== null && low <= 0 && high >= 0 ? ": not enough to tell" : ""
  const within = low === null || high === null || low === high
    ? ""
    : ` (95\u00a0% interval ${sumRange(low, high)}${undecided})`
  return `${difference < 0 ? `cost ${money(-difference)} more` : `kept ${money(difference)}`}${within}`
}

export const shadowSection = ({ dashboard }: Pick<Answers, "dashboard">): Element | null => {
  const { shadow = null } = dashboard
  if (shadow === null) return null
  const { basis, cost_usd: paid, difference_usd: difference, success_rate: rate } = shadow
  const isShown = isKnown({ basis, savings_usd: difference })
  return section(
    "shadow",
    "Had you followed, in shadow",
    note("None of this happened, and no saving counts it."),
    element(
      "figure",
      {},
      element("figcaption", {}, `Following would have ${keptWords(shadow)}`),
      note(`${isShown && basis !== "same_model" ? `${relative(difference, paid)} than what ran. ` : ""}${
        basisWords[basis]
      }`),
      facts("Decisions in shadow", [
        { name: "Decisions in shadow", value: count(shadow.n) },
        { name: "With feedback", value: count(shadow.n_feedback) },
        { name: "With a bill", value: count(shadow.n_billed) },
        { name: "Of these, ran the pick anyway", value: count(shadow.n_same_model) },
        { name: "Billed for what ran", value: money(paid) },
        { name: "The picks would have cost", value: isShown ? money(shadow.cost_followed_usd) : "not known" },
        {
          name: "What ran succeeded",
          value: rate === null
            ? "not known"
            : `${percent(rate)} (${interval(shadow.success_low, shadow.success_high)}), of ${
              counted(shadow.n_outcomes, "outcome")
            }`
        },
        ...(shadow.lanes.length < 2 ? [] : shadow.lanes.map(({ lane, n }) =>
          ({ name: `In ${namespaceOf(lane)}`, value: count(n) })))
      ])
    )
  )
}
