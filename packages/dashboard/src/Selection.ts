/* What the reader selected: a tab, a window and filters, as the URL keeps them. */
import type { Grouping, ReportWindow } from "./Answers.ts"
import { groupings } from "./Groupings.ts"

/** The views of the page, in their order. */
export const tabs = {
  "": "Overview", quality: "Quality", models: "Models", decisions: "Decisions", "what-if": "What if"
} as const
export type Tab = keyof typeof tabs

/** The windows that the page offers, days; a link may name dates instead. */
export const windows: Readonly<Record<string, string>> = {
  "1": "24 hours", "7": "7 days", "30": "30 days", "90": "90 days", "365": "365 days"
}
const usualDays = "30"

/** What calls can be searched by, as `GET /v1/calls` names it. */
export const outcomeFilters: Readonly<Record<string, string>> = {
  "": "any outcome", success: "succeeded", partial: "half succeeded", failure: "failed", none: "no feedback"
}

/** A place of the page: everything that is in its URL but the decision. */
export interface Place extends ReportWindow {
  readonly tab: Tab
}

const isTab = (text: string): text is Tab => Object.hasOwn(tabs, text)
const isGrouping = (text: string): text is Grouping => Object.hasOwn(groupings, text)

/** What the query of a URL says; a window that the page does not offer is the usual one. */
export const placeOf = (query: string): Place => {
  const asked = new URLSearchParams(query)
  const given = (name: string): string => (asked.get(name) ?? "").trim()
  const [tab, by, days] = [given("tab"), given("by"), given("days")]
  return {
    tab: isTab(tab) ? tab : "",
    namespace: given("namespace"),
    days: Object.hasOwn(windows, days) ? days : usualDays,
    dates: /^\d{4}-\d\d-\d\d\/\d{4}-\d\d-\d\d$/.test(given("dates")) ? given("dates") : "",
    model: given("model"),
    tag: given("tag"),
    user: given("user"),
    by: isGrouping(by) ? by : "lane",
    outcome: Object.hasOwn(outcomeFilters, given("outcome")) ? given("outcome") : "",
    before: /^[\da-f-]{36}$/i.test(given("before")) ? given("before") : ""
  }
}

/** As the query of a URL, so that a link shows what its sender saw; empty for the usual place. */
export const queryOf = (place: Place): string => {
  const days = place.dates !== "" || place.days === usualDays ? "" : place.days
  const by = place.by === "lane" ? "" : place.by
  const named = Object.entries({ ...place, days, by }).filter(([, value]) => value !== "")
  return named.length === 0 ? "" : `?${new URLSearchParams(named)}`
}
