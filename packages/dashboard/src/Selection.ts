/* What the reader selected: the namespace and the window, in the controls and in the URL. */
import type { Answers, ReportWindow } from "./Answers.ts"
import { domOf } from "./Dom.ts"
import { element } from "./Element.ts"
import { namespaceOf } from "./Figures.ts"

/** The window of a link that names none. */
const usualDays = "30"

const has = (list: HTMLSelectElement, value: string): boolean =>
  [...list.options].some((option) => option.value === value)

const allNamespaces = () => domOf(element("option", { value: "" }, "All namespaces"))

/** The selection of these two lists. */
export const makeSelection = (namespace: HTMLSelectElement, days: HTMLSelectElement) => ({
  window: (): ReportWindow => ({ namespace: namespace.value, days: days.value }),

  /** As the query of a URL, so that a link shows what its sender saw; empty for the usual one. */
  query: (): string => {
    const selected = new URLSearchParams()
    if (namespace.value !== "") selected.set("namespace", namespace.value)
    if (days.value !== usualDays) selected.set("days", days.value)
    return selected.size === 0 ? "" : `?${selected}`
  },

  /** Selects what the query of a URL says; a window that the page does not offer is the usual one. */
  select: (query: string): void => {
    const asked = new URLSearchParams(query)
    const name = asked.get("namespace") ?? ""
    if (!has(namespace, name)) namespace.append(domOf(element("option", { value: name }, name)))
    namespace.value = name
    const window = asked.get("days") ?? ""
    days.value = has(days, window) ? window : usualDays
  },

  /** Fills the list of namespaces from an answer for all of them, with their decisions in the window. */
  list: ({ dashboard: { shadow = null }, savings }: Answers): void => {
    if (savings.namespace !== null) return
    const counts = new Map(savings.groups.map(({ key, summary }) => [key, summary.estimated.n]))
    for (const { lane, n } of shadow?.lanes ?? []) counts.set(lane, (counts.get(lane) ?? 0) + n)
    namespace.replaceChildren(
      allNamespaces(),
      ...[...counts].sort(([one], [other]) => one < other ? -1 : 1).map(([lane, n]) =>
        domOf(element("option", { value: namespaceOf(lane) }, `${namespaceOf(lane)} (${n})`)))
    )
  },

  forget: (): void => namespace.replaceChildren(allNamespaces()),

  onChange: (act: () => void): void => {
    for (const list of [namespace, days]) list.addEventListener("change", act)
  }
})
