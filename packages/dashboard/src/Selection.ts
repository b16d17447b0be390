/* What the reader selected: namespace, window, model, tag and user, in the controls and in the URL. */
import type { Answers, Grouping, ReportWindow } from "./Answers.ts"
import { domOf } from "./Dom.ts"
import { element } from "./Element.ts"
import { modelName } from "./Figures.ts"
import { groupings } from "./GroupsSection.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

/** The window of a link that names none, and the one whose dates the reader gives. */
const usualDays = "30"
const byDates = "dates"

/** The least date that is meant: while a year is typed, the field holds 0002, 0020 and 0202. */
const firstDate = "2000-01-01"

/** The controls, by what they select. */
interface Controls {
  readonly namespace: HTMLSelectElement
  readonly days: HTMLSelectElement
  readonly model: HTMLSelectElement
  readonly tag: HTMLInputElement
  readonly user: HTMLInputElement
  readonly from: HTMLInputElement
  readonly to: HTMLInputElement
}

const optionOf = (value: string, words = value) => domOf(element("option", { value }, words))

const has = (list: HTMLSelectElement, value: string): boolean =>
  [...list.options].some((option) => option.value === value)

/** Selects a value, which is added where it is missing: a link may name what the window has none of. */
const choose = (list: HTMLSelectElement, value: string): void => {
  if (!has(list, value)) list.append(optionOf(value))
  list.value = value
}

/** Fills a list anew, and keeps what is selected. */
const fill = (
  list: HTMLSelectElement,
  all: string,
  values: ReadonlyArray<readonly [value: string, words: string]>
): void => {
  const { value: selected } = list
  list.replaceChildren(optionOf("", all), ...values.map(([value, words]) => optionOf(value, words)))
  choose(list, selected)
}

const allNamespaces = "All namespaces"
const allModels = "All models"

/** The selection of these controls. */
export const makeSelection = ({ days, from, model, namespace, tag, to, user }: Controls) => {
  let by: Grouping = "lane"
  const datesOf = (): string => days.value === byDates ? `${from.value}/${to.value}` : ""
  const hasDates = (): boolean => from.value >= firstDate && to.value >= firstDate
  const showDates = (): void => {
    const box = from.closest<HTMLElement>("#dates")
    const isHidden = days.value !== byDates
    if (isHidden && box?.contains(document.activeElement) === true) days.focus()
    if (box !== null) box.hidden = isHidden
    // What is hidden must not keep the form from being sent.
    for (const date of [from, to]) date.disabled = isHidden
  }
  const self = {
    /** Null while a date is missing. */
    window: (): ReportWindow | null =>
      days.value === byDates && !hasDates() ? null : {
        namespace: namespace.value, days: days.value === byDates ? usualDays : days.value, dates: datesOf(),
        model: model.value, tag: tag.value.trim(), user: user.value.trim(), by
      },

    /** As the query of a URL, so that a link shows what its sender saw; empty for the usual one. */
    query: (): string => {
      const selected = new URLSearchParams()
      const set = (name: string, value: string) => value === "" ? undefined : selected.set(name, value)
      set("namespace", namespace.value)
      if (days.value === byDates) set("dates", datesOf())
      else if (days.value !== usualDays) set("days", days.value)
      set("model", model.value)
      set("tag", tag.value.trim())
      set("user", user.value.trim())
      if (by !== "lane") set("by", by)
      return selected.size === 0 ? "" : `?${selected}`
    },

    /** Selects what the query of a URL says; a window that the page does not offer is the usual one. */
    select: (query: string): void => {
      const asked = new URLSearchParams(query)
      choose(namespace, asked.get("namespace") ?? "")
      choose(model, asked.get("model") ?? "")
      tag.value = asked.get("tag") ?? ""
      user.value = asked.get("user") ?? ""
      const known = Object.keys(groupings) as ReadonlyArray<Grouping>
      by = known.find((each) => each === asked.get("by")) ?? "lane"
      const [first = "", last = ""] = (asked.get("dates") ?? "").split("/")
      from.value = first
      to.value = last
      const window = asked.get("days") ?? ""
      days.value = hasDates() ? byDates : has(days, window) ? window : usualDays
      showDates()
    },

    /** Fills the lists from an answer for all of them, namespaces with their decisions in the window. */
    list: ({ dashboard: { cluster_models: cells, shadow = null }, savings }: Answers): void => {
      if (model.value === "") {
        const names = new Set(cells.filter((cell) => cell.n_recommended > 0)
          .map((cell) => modelName(cell.model_id, cell.effort)))
        fill(model, allModels, [...names].sort().map((name) => [name, name]))
      }
      if (savings.namespace !== null) return
      const counts = new Map(savings.groups.map(({ key, summary }) => [key, summary.estimated.n]))
      for (const { lane, n } of shadow?.lanes ?? []) counts.set(lane, (counts.get(lane) ?? 0) + n)
      counts.delete("")
      fill(namespace, allNamespaces, [...counts].sort(([one], [other]) => one < other ? -1 : 1)
        .map(([lane, n]) => [namespaceOf(lane), `${namespaceOf(lane)} (${n})`]))
    },

    forget: (): void => {
      namespace.replaceChildren(optionOf("", allNamespaces))
      model.replaceChildren(optionOf("", allModels))
      for (const field of [tag, user]) field.value = ""
    },

    onChange: (act: () => void): void => {
      for (const control of [namespace, days, model, tag, user, from, to]) {
        control.addEventListener("change", () => {
          showDates()
          if (self.window() !== null) act()
        })
      }
    }
  }
  return self
}
