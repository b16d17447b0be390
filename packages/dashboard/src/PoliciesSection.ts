/* The section of policy values: the success and cost of other routing policies. */
import type { Answers, PolicyRow } from "./Answers.ts"
import { type Column, element, type Element, folded, note, section, table } from "./Element.ts"
import { count, interval, percent, points, priceOr, shareOr } from "./Figures.ts"
import { basisNames, markOf, nameOf } from "./PolicyWords.ts"
import { signedPoints } from "./Quality.ts"
import { settingChoices } from "./SettingChoices.ts"

const bases: Readonly<Record<PolicyRow["basis"], string>> = {
  "empirical": "the outcomes of the calls that did what this policy would do",
  "doubly-robust": "predictions, corrected by the outcomes that match this policy",
  "partly-model-based": "predictions, corrected where the log contains the same choice",
  "model-based": "Sextant's own predictions, for choices that were never made"
}

const columns: ReadonlyArray<Column<PolicyRow>> = [
  { title: "Way of choosing", cell: nameOf },
  { title: "Success", cell: ({ success_value: value }) => shareOr(value), isNumeric: true },
  {
    title: "95 % interval",
    cell: ({ success_high: high, success_low: low }) => interval(low, high) || "not known",
    isNumeric: true
  },
  { title: "Cost per call", cell: ({ cost_value: cost }) => priceOr(cost), isNumeric: true },
  { title: "Calls that did the same", cell: ({ matched_share: share }) => percent(share), isNumeric: true },
  {
    title: "Outcomes it rests on, about",
    cell: ({ effective_sample_size: size }) => count(Math.round(size)),
    isNumeric: true
  },
  { title: "Rests on", cell: ({ basis }) => basisNames[basis] }
]

/** How routing compares with the same picks in random order; null where the log is too short. */
const liftWords = (report: Answers["policyValue"]["report"]): string | null => {
  const { routing_lift: value = null, routing_lift_high: high = null, routing_lift_low: low = null } = report
  if (value === null) return null
  const between = low === null || high === null
    ? ""
    : ` (95 % interval ${signedPoints(low)} to ${signedPoints(high)})`
  return `Choosing a model for each task adds ${signedPoints(value)} of success to the same picks in random`
    + ` order${between}. A policy that always picks one model adds none.`
}

/** Smallest difference that is shown, share: a smaller one rounds to 0.0 points. */
const pointsFrom = 0.0005

const summaryOf = ({ report }: Answers["policyValue"]): string => {
  const { n_total_reconciled: all, n_trusted: trusting, regret_vs_oracle: regretShare } = report
  const trusted = `${count(trusting)} of ${count(all)} outcomes were verified by a check or a person; only`
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
export const policiesSection = ({ command, policyValue }: Answers): Element => {
  const { policies } = policyValue.report
  const title = "What to set: would another way of choosing have done better?"
  if (policies.length === 0) {
    return section("policies", title, note("No outcome was verified by a check or a person in this window."))
  }
  const lift = liftWords(policyValue.report)
  const seen = [...new Set(policies.map(({ basis }) => basis))]
  const all = table("Ways of choosing", columns, policies)
  const choices = settingChoices(`${command} account set --instance ${policyValue.org_id}`, policies, all)
  return section(
    "policies",
    title,
    note("Success of each way of choosing, with 95 % intervals. Where they overlap, nothing is decided."
      + (choices === null ? "" : " To spend less, choose a point: it says what to set.")),
    choices ?? all,
    folded(
      "What the figures are based on",
      note(summaryOf(policyValue)),
      ...(lift === null ? [] : [note(lift)]),
      element("ul", { class: "flags" }, ...seen.map((basis) =>
        element(
          "li",
          {},
          element("span", { "aria-hidden": "true" }, `${markOf(basis).character} `),
          element("strong", {}, basisNames[basis]),
          `: ${bases[basis]}.`
        )))
    )
  )
}
