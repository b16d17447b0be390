/* The page of one decision: its candidates, the nearest setting with another pick, and its reports. */
import type { KeptDecision, KeptCandidate } from "./Answers.ts"
import {
  type Column, element, type Element, facts, figures, folded, note, paragraph, section, stateLink, table
} from "./Element.ts"
import {
  count, counted, isRun, kindOfTask, modelName, moment, nameOf, percent, points, price, priceOr, shareOr
} from "./Figures.ts"
import { outcomeWords, provenanceWords } from "./Outcomes.ts"
import { warningWords } from "./WarningWords.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

export const fragmentOf = (recommendationId: string): string => `#decision/${recommendationId}`

const idPattern = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/**
 * The decision's id in a fragment; null if the fragment opens no decision. A malformed id becomes an empty
 * text, because anyone can write a link and its text must not be shown.
 */
export const decisionIn = (fragment: string): string | null => {
  const start = fragmentOf("")
  if (!fragment.startsWith(start)) return null
  const id = fragment.slice(start.length)
  return idPattern.test(id) ? id : ""
}

const recommendedIn = (kept: KeptDecision): string =>
  modelName(kept.recommended_model_id, kept.recommended_effort)

const standingOf = (kept: KeptDecision, candidate: KeptCandidate): string => {
  const { est_cost_usd: cost, predicted_success: success, standing } = candidate
  const pick = kept.candidates.find((each) => each.standing === "recommended")
  if (standing === "recommended") return kept.exploration ? "the pick, drawn to explore" : "the pick"
  if (standing === "below_threshold") return `${points(kept.threshold - success)} below the threshold`
  if (standing === "excluded") return "reaches the threshold, but a constraint ruled it out"
  if (pick === undefined) return "reaches the threshold"
  const more = cost - pick.est_cost_usd
  return `reaches the threshold, costs ${more > 0 ? `${price(more)} more` : "no more"}`
}

const columnsOf = (kept: KeptDecision): ReadonlyArray<Column<KeptCandidate>> => [
  { title: "Candidate", cell: nameOf },
  { title: "Standing", cell: (candidate) => standingOf(kept, candidate) },
  figures("Predicted", ({ predicted_success: success }) => percent(success)),
  figures("Estimated cost", ({ est_cost_usd: cost }) => price(cost)),
  figures("Similar outcomes", ({ n_neighbours: n }) => count(n)),
  figures("Their weight", ({ neighbour_weight: share }) => share === null ? "none" : percent(share))
]

const forecastColumns: ReadonlyArray<Column<KeptCandidate>> = [
  { title: "Candidate", cell: nameOf },
  figures("By task type", ({ forecast }) => shareOr(forecast?.base ?? null)),
  figures("By kind of task", ({ forecast }) => shareOr(forecast?.cells ?? null)),
  figures("By similar tasks", ({ forecast }) => shareOr(forecast?.local ?? null)),
  figures("Together", ({ forecast }) => shareOr(forecast?.mixed ?? null))
]

const candidatesSection = (kept: KeptDecision): Element => {
  const { candidates, n_neighbours: n, threshold } = kept
  const forecast = candidates.filter((each) => each.forecast !== null)
  return section(
    "candidates",
    "The candidates",
    note(typeof kept.success_value_usd === "number"
      ? "The pick is worth most: the value of a success times its predicted success, less its cost."
      : `As a rule the pick is the cheapest that reaches the threshold of ${percent(threshold)} within the`
        + " constraints."),
    element("figure", {}, table("Candidates", columnsOf(kept), candidates)),
    note(`${n === 0 ? "No outcome on a similar task was" : `${counted(n, "outcome")} on similar tasks were`}`
      + " recalled. The ledger keeps predictions without their intervals."),
    forecast.length === 0
      ? null
      : folded("What each predictor said", table("Predicted success by predictor", forecastColumns, forecast))
  )
}

const flipWords = (kept: KeptDecision): string => {
  const { exploration, flip, success_value_usd: value, threshold, warnings } = kept
  const because = warnings.includes("budget_paced") ? ", lowered to keep the budget" : ""
  const setting = typeof value === "number" ? "value of a success" : "threshold"
  const now = typeof value === "number"
    ? `A success counted as worth ${price(value)}${because}.`
    : `The threshold was ${percent(threshold)} (${Number(threshold.toFixed(4))})${because}.`
  if (flip === null) {
    const why = exploration
      ? `The pick was drawn, so no ${setting} gives it.`
      : `No other ${setting} gives another model, or ${recommendedIn(kept)} was not picked by prediction and`
        + " cost alone."
    return `${why} ${now}`
  }
  const doubt = flip.is_certain ? "" : ", unless a constraint ruled it out, which the ledger does not keep"
  const at = typeof flip.success_value_usd === "number" ? price(flip.success_value_usd) : flip.threshold
  return `${nameOf(flip)} is picked where the ${setting} is at ${flip.side} ${at}${doubt}. ${now}`
}

const endWords: { readonly [End in string]?: string } = {
  finished: "ended by itself", limit: "ended at a limit", error: "ended by a fault", interrupted: "stopped"
}

const where = <A>(value: A | null, words: (value: A) => string): ReadonlyArray<string> =>
  value === null ? [] : [words(value)]

/** Describes one feedback on the decision: its source, cost, latency, and signals of an agent's run. */
const reportWords = (each: KeptDecision["outcomes"][number]): string => {
  const { signals = {} } = each
  const { ended = null, output_tokens: tokens = null, steps = null, tool_errors: errors = null } = signals
  return [
    provenanceWords(each.provenance),
    ...where(each.error_cause, (cause) => causes[cause]),
    ...where(each.actual_cost_usd, (usd) => `billed ${price(usd)}`),
    ...where(each.computed_cost_usd, (usd) => `${price(usd)} by its tokens at list prices`),
    ...where(each.latency_ms, (ms) => `${count(ms)} ms`),
    ...where(steps, (n) => counted(n, "step")),
    ...where(tokens, (n) => counted(n, "output token")),
    ...where(errors, (n) => `${counted(n, "tool call")} failed`),
    ...where(ended, (end) => endWords[end] ?? end),
    ...(each.teaches ? [] : ["not counted for learning"]),
    moment(each.feedback_at)
  ].join(", ")
}

const outcomesSection = ({ outcomes }: KeptDecision): Element =>
  section(
    "outcomes",
    "What came of it",
    outcomes.length === 0
      ? note("Nothing was reported yet.")
      : element("ul", { class: "decisions" }, ...outcomes.map((each) =>
        element("li", { class: `decision ${each.outcome}` },
          element("p", { class: "outcome" },
            `${outcomeWords[each.outcome]}, ran ${nameOf(each)}`),
          paragraph(reportWords(each)))))
  )

const causes: { readonly [C in NonNullable<KeptDecision["outcomes"][number]["error_cause"]>]: string } = {
  quality: "the answer was not good enough",
  infra: "the call broke, not the model"
}

const keptWords: { readonly [K in KeptDecision["task_kept"]]: string } = {
  excerpt: "an excerpt, which is not shown here",
  vectors: "vectors without words",
  nothing: "nothing"
}

const factsSection = (kept: KeptDecision): Element =>
  section(
    "facts",
    "The record",
    facts("What the ledger keeps", [
      { name: "Id", value: kept.recommendation_id },
      { name: "Worth knowing", value: kept.warnings.map(warningWords).join(" ") || "nothing" },
      {
        name: "How it was picked",
        value: kept.selection_policy === "argmin"
          ? "the cheapest that is likely enough to succeed"
          : `drawn at random, with a chance of ${percent(kept.propensity)}`
      },
      { name: "Most expensive candidate", value: price(kept.cost_premium_usd) },
      {
        name: "Your model otherwise",
        value: kept.baseline_model_id === null
          ? "not named"
          : `${modelName(kept.baseline_model_id, kept.baseline_effort)}, ${priceOr(kept.cost_declared_usd)}`
      },
      { name: "Tags", value: kept.tags.length === 0 ? "none" : kept.tags.join(", ") },
      { name: "Catalog", value: kept.catalog_version },
      { name: "Decided within", value: `${count(Math.ceil(kept.latency_ms))} ms` },
      ...where(kept.reasoner_cost_usd, price).map((value) => ({ name: "Reasoner", value })),
      { name: "Kept of the task", value: keptWords[kept.task_kept] }
    ])
  )

/**
 * The page of a decision; `kept` is null if no decision was found.
 * @param query the URL query of the page with the figures, for the link back
 */
export const decisionPage = (
  recommendationId: string,
  kept: KeptDecision | null,
  query = ""
): ReadonlyArray<Element> => {
  const back = element("p", {}, stateLink("← All figures", query))
  if (kept === null) {
    return [section("headline", "No such decision", back, paragraph(
      recommendationId === ""
        ? "The link is incomplete or misspelt: what it names is no id of a decision."
        : `This account has no decision ${recommendationId}; it may be past its retention.`
    ))]
  }
  return [
    element(
      "section",
      { class: "first", "aria-labelledby": "headline" },
      back,
      element("h2", { id: "headline", tabindex: "-1" }, `Why ${recommendedIn(kept)}`),
      isRun(kept.cluster) ? element("p", { class: "badge" }, "A whole run of an agent, not one call.") : null,
      note(`For ${kindOfTask(kept.cluster)} in ${namespaceOf(kept.lane)}, ${moment(kept.created_at)}${
        kept.shadow ? ", asked in shadow" : ""
      }.`),
      element("p", { class: "rationale" }, kept.rationale),
      element("p", {}, element("strong", {}, "What would change it: "), flipWords(kept))
    ),
    candidatesSection(kept),
    outcomesSection(kept),
    factsSection(kept)
  ]
}
