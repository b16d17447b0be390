/* Pages without a script or another file, to be mailed or printed: the first screen, or all tabs. */
import type { Answers } from "./Answers.ts"
import { type Element, note, section } from "./Element.ts"
import { counted } from "./Figures.ts"
import { firstScreen } from "./FirstScreen.ts"
import { staticPage } from "./StaticPage.ts"
import { tabSections } from "./Tabs.ts"

export interface Summary {
  readonly answers: Answers
  /** When the figures were read. */
  readonly madeAt: Date
  readonly version: string
}

/** "23 Nov 2026", UTC */
const dayOf = (date: Date): string =>
  date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })

const timeOf = (date: Date): string => `${dayOf(date)}, ${date.toISOString().slice(11, 16)} UTC`

/**
 * What is folded away, open or left out, and links into the page that runs, as text: paper has neither.
 */
const asPaper = (isOpen: boolean) => ({ attributes, children, tag }: Element): Element => {
  const { "data-state": state, ...others } = attributes
  const made = children.filter((child) => isOpen || typeof child === "string" || child.tag !== "details")
    .map((child) => typeof child === "string" ? child : asPaper(isOpen)(child))
  if (tag === "a" && state !== undefined) return { tag: "span", attributes: {}, children: made }
  return { tag, attributes: tag === "details" ? { ...others, open: "open" } : others, children: made }
}

const nothing = (): Element =>
  section("headline", "Nothing to report", note("There was no recommendation in this window."))

const pageWith = (
  sections: ReadonlyArray<Element>,
  { answers, madeAt, version }: Summary,
  isOpen: boolean
): string => {
  const { calibration: { health }, policyValue: { days, namespace, org_id: account, since } } = answers
  const where = `${account}, ${namespace === null ? "all namespaces" : namespace}`
  const when = `${dayOf(new Date(since))} to ${dayOf(madeAt)}`
  return staticPage({
    title: `Sextant summary: ${where}, ${when}`,
    subtitle: `${where}, ${when}`,
    sections: health.recommendations === 0 ? [nothing()] : sections.map(asPaper(isOpen)),
    foot: `${counted(health.recommendations, "recommendation")} in the last ${counted(days, "day")}, as of`
      + ` ${timeOf(madeAt)}, by Sextant ${version}. Days are UTC. Hollow marks and bars are predictions,`
      + " estimates or costs at list prices; filled ones were billed or measured. No task is shown."
  })
}

/** The first screen alone, to be mailed. */
export const mailPage = (summary: Summary): string =>
  pageWith(firstScreen(summary.answers), summary, false)

/** The first screen, and what the tabs say but the decisions. */
export const summaryPage = (summary: Summary): string =>
  pageWith([
    ...firstScreen(summary.answers), ...(["quality", "models", "what-if"] as const)
      .flatMap((tab) => tabSections(summary.answers, tab))
  ], summary, true)
