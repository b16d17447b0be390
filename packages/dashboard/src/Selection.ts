/* The selection of the reader, kept in the URL: a tab, a window and filters. */
import type { Grouping, ReportWindow } from "./Answers.ts"
import { groupings } from "./Groupings.ts"

export const tabs = {
  "": "Overview", quality: "Quality", models: "Models", decisions: "Decisions", "what-if": "What if"
} as const
export type Tab = keyof typeof tabs

/** The windows to choose from: their words by their number of days. */
export const windows: Readonly<Record<string, string>> = {
  "1": "24 hours", "7": "7 days", "30": "30 days", "90": "90 days", "365": "365 days"
}
const usualDays = "30"

export const outcomeFilters: Readonly<Record<string, string>> = {
  "": "any outcome", success: "succeeded", partial: "half succeeded", failure: "failed", none: "no feedback"
}

/** What the query of the URL selects. */
export interface Place extends ReportWindow {
  readonly tab: Tab
}

const isTab = (text: string): text is Tab => Object.hasOwn(tabs, text)
const isGrouping = (text: string): text is Grouping => Object.hasOwn(groupings, text)

/** Reads the selection from a URL query, in which a default replaces each invalid value. */
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

/** Writes the URL query of a selection; empty for the default selection. */
export const queryOf = (place: Place): string => {
  const days = place.dates !== "" || place.days === usualDays ? "" : place.days
  const by = place.by === "lane" ? "" : place.by
  const named = Object.entries({ ...place, days, by }).filter(([, value]) => value !== "")
  return named.length === 0 ? "" : `?${new URLSearchParams(named)}`
}
