/* The calls of the window, searched by the filters of the page, by outcome and by id. */
import type { Answers, Recent } from "./Answers.ts"
import { fragmentOf } from "./DecisionPage.ts"
import {
  type Column, element, type Element, figures, list, note, section, stateLink, table
} from "./Element.ts"
import { isRun, kindOfTask, modelName, moment, price } from "./Figures.ts"
import { outcomeWords, provenanceWords } from "./Outcomes.ts"
import { outcomeFilters } from "./Selection.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

const recommendedIn = ({ recommended_effort: effort, recommended_model_id: modelId }: Recent): string =>
  modelName(modelId, effort)

/** Names the model that ran if it is not the advised model, or if the call was a shadow decision. */
const ranWith = (ran: string, recommended: string, { shadow = false }: Recent) =>
  shadow ? [`with your default ${ran}`] : ran === recommended ? [] : [`with ${ran} instead`]

const outcomeOf = (recent: Recent): string => {
  const { outcome } = recent
  if (outcome === null) return "no feedback yet"
  return [
    outcomeWords[outcome.outcome],
    provenanceWords(outcome.provenance),
    ...ranWith(modelName(outcome.model_id, outcome.effort), recommendedIn(recent), recent),
    ...(outcome.teaches || outcome.provenance === "none" ? [] : ["not counted for learning"])
  ].join(", ")
}

const costOf = ({ outcome }: Recent): string => {
  const { actual_cost_usd: billed = null, computed_cost_usd: computed = null } = outcome ?? {}
  if (billed !== null) return `billed ${price(billed)}`
  return computed === null ? "not known" : `${price(computed)}, list prices`
}

const estimateOf = ({ baseline_effort: effort, baseline_model_id: own, ...recent }: Recent): string =>
  price(recent.est_cost_usd) + (own === null || recent.cost_declared_usd === null
    ? ""
    : `; ${modelName(own, effort)} ${price(recent.cost_declared_usd)}`)

const columns: ReadonlyArray<Column<Recent>> = [
  {
    title: "When, and why",
    cell: ({ created_at: at, recommendation_id: id }) => element("a", { href: fragmentOf(id) }, moment(at))
  },
  {
    title: "Advised",
    cell: (recent) => `${recommendedIn(recent)}${recent.shadow === true ? ", asked in shadow" : ""}`
  },
  {
    title: "Kind of task",
    cell: ({ cluster }) => isRun(cluster)
      ? element("span", {}, `${kindOfTask(cluster, false)} `,
        element("span", { class: "badge" }, "agent's run"))
      : kindOfTask(cluster)
  },
  { title: "Namespace", cell: ({ lane }) => namespaceOf(lane) },
  { title: "Outcome", cell: outcomeOf },
  figures("Cost", costOf),
  figures("Estimated", estimateOf)
]

const searchForm = (outcome: string): Element =>
  element(
    "form",
    { id: "search" },
    list("outcome", "Outcome", outcome, Object.entries(outcomeFilters)),
    element(
      "div",
      {},
      element("label", { for: "recommendation" }, "Id of a recommendation"),
      element("input", {
        id: "recommendation", name: "recommendation", type: "search", autocomplete: "off", spellcheck: "false"
      })
    ),
    element("button", { type: "submit", class: "quiet" }, "Search")
  )

export const callsSection = ({ asked, calls, dashboard }: Answers): Element => {
  const { decisions, next = null } = calls ?? { decisions: dashboard.decisions }
  const outcome = asked?.outcome ?? ""
  return section(
    "decisions",
    "Calls",
    note("Newest first, as the filters above narrow them. Tasks are not shown: they may be confidential."),
    searchForm(outcome),
    decisions.length === 0
      ? note("No such call in this window.")
      : table("Calls that match", columns, decisions),
    element("p", { class: "pages" },
      (asked?.before ?? "") === "" ? null : stateLink("Newest", `?${new URLSearchParams({ outcome })}`), " ",
      next === null ? null : stateLink("Older", `?${new URLSearchParams({ outcome, before: next })}`))
  )
}
