/* The first screen or all tabs as a single file, for mail and print. */
import type { Answers } from "./Answers.ts"
import { type Element, note, paragraph, section } from "./Element.ts"
import { counted, date } from "./Figures.ts"
import { firstScreen } from "./FirstScreen.ts"
import { inMail } from "./MailStyle.ts"
import { staticPage } from "./StaticPage.ts"
import { tabSections } from "./Tabs.ts"

export interface Summary {
  readonly answers: Answers
  readonly madeAt: Date
  readonly version: string
}

type Folds = "opened" | "kept" | "left out"

/** Makes an element readable without a script: links that need the script become text. */
const asPaper = (folds: Folds) => ({ attributes, children, tag }: Element): Element => {
  const { "data-state": state, ...others } = attributes
  const made = children
    .filter((child) => folds !== "left out" || typeof child === "string" || child.tag !== "details")
    .map((child) => typeof child === "string" ? child : asPaper(folds)(child))
  if (tag === "a" && state !== undefined) return { tag: "span", attributes: {}, children: made }
  const isOpen = tag === "details" && folds === "opened"
  return { tag, attributes: isOpen ? { ...others, open: "open" } : others, children: made }
}

const nothing = (): Element =>
  section("headline", "Nothing to report", note("There was no recommendation in this window."))

const pageWith = (sections: ReadonlyArray<Element>, { answers, madeAt, version }: Summary): string => {
  const { calibration: { health }, policyValue: { days, namespace, org_id: account, since } } = answers
  const where = `${account}, ${namespace === null ? "all namespaces" : namespace}`
  const when = `${date(since)} to ${date(madeAt)}`
  return staticPage({
    title: `Sextant summary: ${where}, ${when}`,
    subtitle: `${where}, ${when}`,
    sections: health.recommendations === 0 ? [nothing()] : sections,
    foot: paragraph(
      `${counted(health.recommendations, "recommendation")} in the last ${counted(days, "day")}, as of`
      + ` ${date(madeAt)}, ${madeAt.toISOString().slice(11, 16)} UTC, by Sextant ${version}. Days are UTC.`
      + " Hollow marks and bars are predictions, estimates or costs at list prices; filled ones were billed"
      + " or measured. No task is shown."
    )
  })
}

export const mailPage = (summary: Summary): string =>
  pageWith(firstScreen(summary.answers).map(asPaper("left out")).map(inMail), summary)

/** All tabs except Decisions as HTML. Folded parts are opened, except in the tab of models. */
export const summaryPage = (summary: Summary): string => {
  const { answers } = summary
  return pageWith([
    ...[...firstScreen(answers), ...tabSections(answers, "quality")].map(asPaper("opened")),
    ...tabSections(answers, "models").map(asPaper("kept")),
    ...tabSections(answers, "what-if").map(asPaper("opened"))
  ], summary)
}
