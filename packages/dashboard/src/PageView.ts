/* The whole page as elements: the head with its controls, the tabs, and the report. */
import { namespaceOf } from "../../../src/domain/LaneName.ts"
import { dayMs, dayOf } from "../../../src/domain/Days.ts"
import type { Answers, KeptDecision } from "./Answers.ts"
import { decisionPage } from "./DecisionPage.ts"
import { type Choice, element, type Element, exportButton, list, stateLink } from "./Element.ts"
import { exportOf } from "./Exports.ts"
import { nameOf } from "./Figures.ts"
import { type Place, queryOf, type Tab, tabs, windows } from "./Selection.ts"
import { tabSections } from "./Tabs.ts"

export interface State {
  readonly hasKey: boolean
  readonly place: Place
  readonly answers: Answers | null
  readonly decision: { readonly id: string; readonly kept: KeptDecision | null } | null
  readonly isBusy: boolean
  readonly status: string
  readonly problem: string
}

const field = (id: string, label: string, value: string, more: Readonly<Record<string, string>>): Element =>
  element("div", {}, element("label", { for: id }, label), element("input", { id, name: id, value, ...more }))

/** Namespaces to choose from, each with its number of decisions in the window. */
const namespacesIn = (answers: Answers | null): ReadonlyArray<Choice> => {
  if (answers === null || answers.savings.namespace !== null) return []
  const counts = new Map(answers.savings.groups.map(({ key, summary }) => [key, summary.estimated.n]))
  for (const { lane, n } of answers.dashboard.shadow?.lanes ?? []) {
    counts.set(lane, (counts.get(lane) ?? 0) + n)
  }
  counts.delete("")
  return [...counts].sort(([one], [other]) => one < other ? -1 : 1)
    .map(([lane, n]) => [namespaceOf(lane), `${namespaceOf(lane)} (${n})`])
}

const modelsIn = (answers: Answers | null): ReadonlyArray<Choice> => {
  const names = new Set((answers?.dashboard.cluster_models ?? []).filter((cell) => cell.n_recommended > 0)
    .map(nameOf))
  return [...names].sort().map((name) => [name, name])
}

/** The value that selects dates in the list of windows. */
export const byDates = "dates"

/** First and last date of the last `days` days, `2026-11-01/2026-11-14`. */
export const datesOf = (days: string): string =>
  `${dayOf(Date.now() - Number(days) * dayMs)}/${dayOf(Date.now())}`

const controls = ({ answers, place }: State): Element => {
  const { dates, days, model, namespace, tag, user } = place
  const [from = "", to = ""] = dates.split("/")
  const search = {
    type: "search", autocomplete: "off", spellcheck: "false", placeholder: "any", maxlength: "256"
  }
  const date = { type: "date", min: "2000-01-01", required: "required" }
  return element(
    "form",
    { id: "controls" },
    list("namespace", "Namespace", namespace, [["", "All namespaces"], ...namespacesIn(answers)]),
    list("days", "Window", dates === "" ? days : byDates, [
      ...Object.entries(windows), [byDates, "Dates, UTC"]
    ]),
    ...(dates === ""
      ? []
      : [field("from", "From (UTC)", from, date), field("to", "To, included", to, date)]),
    list("model", "Advised model", model, [["", "All models"], ...modelsIn(answers)]),
    field("tag", "Tag", tag, search),
    field("user", "User", user, search),
    element("button", { type: "submit" }, "Refresh"),
    element("button", { type: "button", id: "forget", class: "quiet" }, "Forget key")
  )
}

const keyForm = (): Element =>
  element(
    "form",
    { id: "key-form", "aria-label": "The key" },
    element("label", { for: "key" }, "Your key"),
    element("input", {
      id: "key", name: "key", type: "password", autocomplete: "off", spellcheck: "false",
      required: "required", placeholder: "sxt_…"
    }),
    element("button", { type: "submit" }, "Show my figures"),
    element(
      "p",
      { class: "note" },
      "The key stays in this tab until you close the tab or select Forget key, and is sent only to this"
      + " service. The ", element("a", { href: "/" }, "start page"), " says how to create one."
    )
  )

const tabList = (selected: Tab, isOpen: boolean): Element =>
  element("nav", { class: "tabs", "aria-label": "Views" }, ...Object.entries(tabs).map(([tab, words]) => {
    const link = stateLink(words, `?tab=${tab}`)
    const isHere = tab === selected && !isOpen
    return { ...link, attributes: { ...link.attributes, ...(isHere ? { "aria-current": "page" } : {}) } }
  }))

const foot = (): Element =>
  element("footer", {}, element("p", {}, "The figures come from ", element("a", { href: "docs" }, "the API"),
    ": savings, calibration, policy value, advice, dashboard. Days are UTC. Tasks are never shown here."))

const exportable = (answers: Answers) => (section: Element): Element => {
  const [heading, ...rest] = section.children
  const id = section.attributes["aria-labelledby"] ?? ""
  if (heading === undefined || typeof heading === "string" || exportOf(answers, id) === null) return section
  const children = [heading, exportButton(id, heading.children.join("")), ...rest]
  return { ...section, attributes: { ...section.attributes, class: "exporting" }, children }
}

const shown = ({ answers, decision, place }: State): ReadonlyArray<Element> =>
  decision !== null
    ? decisionPage(decision.id, decision.kept, queryOf(place))
    : answers === null ? [] : tabSections(answers, place.tab).map(exportable(answers))

export const pageView = (state: State): ReadonlyArray<Element> => {
  const { decision, hasKey, isBusy, place, problem, status } = state
  const busy = isBusy ? { "aria-busy": "true" } : {}
  return [
    element("a", { class: "skip", href: "#report" }, "Skip to the report"),
    element(
      "header",
      {},
      element("div", { class: "brand" }, element("h1", {}, "Sextant")),
      hasKey ? controls(state) : null
    ),
    ...(hasKey ? [tabList(place.tab, decision !== null)] : [keyForm()]),
    ...(problem === "" ? [] : [element("p", { id: "problem", role: "alert" }, problem)]),
    element("main", { id: "report", tabindex: "-1", ...busy }, ...shown(state)),
    element("p", { id: "status", role: "status", "aria-live": "polite" }, status),
    foot()
  ]
}
