/* The section of the last decisions. */
import type { Answers, Recent } from "./Answers.ts"
import { fragmentOf } from "./DecisionPage.ts"
import { element, type Element, folded, note, section } from "./Element.ts"
import { kindOfTask, modelName, moment, price } from "./Figures.ts"
import { outcomeWords, provenanceWords } from "./Outcomes.ts"
import { warningWords } from "./WarningWords.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

const recommendedIn = ({ recommended_effort: effort, recommended_model_id: modelId }: Recent): string =>
  modelName(modelId, effort)

/** The model that ran, where it is not the advised one; in shadow it is the caller's own default. */
const ranWith = (ran: string, recommended: string, { shadow = false }: Recent) =>
  shadow ? [`with your default ${ran}`] : ran === recommended ? [] : [`with ${ran} instead`]

const outcomeOf = (recent: Recent): string => {
  const { outcome } = recent
  if (outcome === null) return "no feedback yet"
  const { actual_cost_usd: cost, computed_cost_usd: computed = null, provenance } = outcome
  const ran = modelName(outcome.model_id, outcome.effort)
  return [
    outcomeWords[outcome.outcome],
    provenanceWords(provenance),
    ...ranWith(ran, recommendedIn(recent), recent),
    ...(cost === null ? [] : [`billed ${price(cost)}`]),
    ...(computed === null ? [] : [`${price(computed)} by its tokens at list prices`]),
    ...(outcome.teaches || provenance === "none" ? [] : ["not counted for learning"])
  ].join(", ")
}

const fact = (name: string, value: string): Element =>
  element("div", {}, element("dt", {}, name), element("dd", {}, value))

const comparison = (recent: Recent): string => {
  const { baseline_model_id: baseline, cost_declared_usd: declared, cost_premium_usd: premium } = recent
  const premiumCost = `the most expensive ${price(premium)}`
  return baseline === null || declared === null ? premiumCost : `${premiumCost}, your `
    + `${modelName(baseline, recent.baseline_effort)} ${price(declared)}`
}

const card = (recent: Recent): Element =>
  element(
    "li",
    { class: `decision ${recent.outcome?.outcome ?? "open"}` },
    element(
      "p",
      { class: "what" },
      element("strong", {}, recommendedIn(recent)),
      ` for ${kindOfTask(recent.cluster)} in ${namespaceOf(recent.lane)}, `,
      element("time", { datetime: recent.created_at }, moment(recent.created_at)),
      ...(recent.shadow === true ? [", asked in shadow"] : [])
    ),
    element("p", { class: "outcome" }, outcomeOf(recent)),
    element("p", {}, recent.rationale),
    element(
      "dl",
      {},
      fact("Estimated", `${price(recent.est_cost_usd)}, ${comparison(recent)}`),
      ...(recent.warnings.length === 0
        ? []
        : [fact("Worth knowing", recent.warnings.map(warningWords).join(" "))]),
      fact("Id", recent.recommendation_id)
    ),
    element(
      "p",
      {},
      element("a", { href: fragmentOf(recent.recommendation_id) }, `Why ${recommendedIn(recent)}?`)
    )
  )

/** Decisions that are shown at first, count. */
const shownFirst = 10

/** The last decisions, newest first, each with its rationale and its outcome. */
export const decisionsSection = ({ dashboard }: Answers): Element => {
  const { decisions } = dashboard
  const cards = decisions.map(card)
  const list = (of: ReadonlyArray<Element>) => element("ol", { class: "decisions" }, ...of)
  const rest = cards.slice(shownFirst)
  return section(
    "decisions",
    "Last decisions",
    ...(cards.length === 0
      ? [note("No decision in this window.")]
      : [
        note("Newest first. Tasks are not shown, because they may be confidential."),
        list(cards.slice(0, shownFirst)),
        ...(rest.length === 0
          ? []
          : [folded(`${rest.length} more decisions`, list(rest))])
      ])
  )
}
