/* The summary of a window as one static page: no script, no other file, to be mailed or printed. */
import type { Answers } from "./Answers.ts"
import { budgetSection } from "./BudgetSection.ts"
import { element, type Element, note, section } from "./Element.ts"
import { counted } from "./Figures.ts"
import { guaranteeSection } from "./GuaranteeSection.ts"
import { grounds, headlineSection } from "./HeadlineSection.ts"
import { htmlOf } from "./Html.ts"
import { coverageSection } from "./CoverageSection.ts"
import { judgesSection } from "./JudgesSection.ts"
import { driftSection, modelsSection } from "./ModelsSection.ts"
import { policiesSection } from "./PoliciesSection.ts"
import { reliabilitySection } from "./ReliabilitySection.ts"
import { savingsSection } from "./SavingsSection.ts"
import { shadowSection } from "./ShadowSection.ts"
import { shortfallsOf } from "./Shortfalls.ts"
import { style } from "./Style.ts"
import { taskSection } from "./TaskSection.ts"
import { adviceSection } from "./AdviceSection.ts"
import { untriedSection } from "./UntriedSection.ts"
import { verdictsSection } from "./VerdictsSection.ts"

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

/** Everything that is folded away, open: paper has nothing to select. */
const opened = (content: Element): Element => ({
  ...content,
  attributes: content.tag === "details" ? { ...content.attributes, open: "" } : content.attributes,
  children: content.children.map((child) => typeof child === "string" ? child : opened(child))
})

/** Without what is folded away, which a section of its own says. */
const unfolded = (content: Element): Element => ({
  ...content,
  children: content.children
    .filter((child) => typeof child === "string" || child.tag !== "details")
    .map((child) => typeof child === "string" ? child : unfolded(child))
})

const shortfallsSection = (answers: Answers): Element => {
  const shortfalls = shortfallsOf(answers)
  return section(
    "shortfalls",
    "What falls short",
    shortfalls.length === 0
      ? note("Nothing: every call has feedback, bills confirm the saving, and the outcomes are enough.")
      : element("ul", { class: "plain" }, ...shortfalls.map((each) => element("li", {}, each)))
  )
}

const nothing = (): Element =>
  section("headline", "Nothing to report", note("There was no recommendation in this window."))

/** The sections of the summary; the tables of models stay folded, since they may be long. */
const sectionsOf = (answers: Answers): ReadonlyArray<Element> => {
  if (answers.calibration.health.recommendations === 0) return [nothing()]
  const open = (content: Element | null): ReadonlyArray<Element> => content === null ? [] : [opened(content)]
  return [
    unfolded(headlineSection(answers)),
    shortfallsSection(answers),
    ...open(budgetSection(answers)),
    ...open(guaranteeSection(answers)),
    ...open(shadowSection(answers)),
    ...open(savingsSection(answers)),
    ...open(taskSection(answers)),
    ...open(coverageSection(answers)),
    ...open(adviceSection(answers)),
    ...open(untriedSection(answers)),
    ...open(verdictsSection(answers)),
    ...open(judgesSection(answers)),
    modelsSection(answers),
    ...open(policiesSection(answers)),
    ...open(reliabilitySection(answers)),
    driftSection(answers),
    ...(answers.savings.health.recommendations === 0
      ? []
      : [section("grounds", "What the headline figures rest on", grounds(answers))])
  ]
}

/** Nothing is loaded and nothing runs, wherever the page is opened. */
const policy = "default-src 'none'; style-src 'unsafe-inline'"

/** The page as HTML. */
export const summaryPage = ({ answers, madeAt, version }: Summary): string => {
  const { calibration: { health }, policyValue: { days, namespace, org_id: account, since } } = answers
  const where = `${account}, ${namespace === null ? "all namespaces" : namespace}`
  const when = `${dayOf(new Date(since))} to ${dayOf(madeAt)}`
  const title = `Sextant summary: ${where}, ${when}`
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "color-scheme", content: "light dark" }),
    element("title", {}, title)
  )
  const body = element(
    "body",
    {},
    element(
      "header",
      {},
      element("div", { class: "brand" }, element("h1", {}, "Sextant"), element("p", {}, `${where}, ${when}`))
    ),
    element("main", {}, ...sectionsOf(answers)),
    element("footer", {}, element(
      "p",
      {},
      `${counted(health.recommendations, "recommendation")} in the last ${counted(days, "day")}, as of`
      + ` ${timeOf(madeAt)}, by Sextant ${version}. Days are UTC. Hollow marks and bars are predictions,`
      + " estimates or costs at list prices; filled ones were billed or measured. No task is shown."
    ))
  )
  // The styles are ours, and hold nothing that an entity would have to stand for.
  const styled = htmlOf(head).replace("</head>", () => `<style>${style}</style></head>`)
  return `<!doctype html>\n<html lang="en">${styled}${htmlOf(body)}</html>\n`
}
