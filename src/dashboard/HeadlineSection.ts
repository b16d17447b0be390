/* The first section of the page: the billed saving with its interval, key figures, or the first steps. */
import { interval95 } from "../stats/Wilson.ts"
import type { Answers } from "./Answers.ts"
import { intervalChart, intervalTrack } from "./charts/IntervalChart.ts"
import { shares } from "./charts/Axis.ts"
import { type Content, element, type Element, folded, paragraph, section, table } from "./Element.ts"
import { count, counted, interval, money, percent, relative, sumRange } from "./Figures.ts"
import { headlineFigures, meansOf, verdict } from "./Headline.ts"
import { type Followed, isKnown } from "./HeadlineBills.ts"

/** A key figure, what it rests on in a line, and its picture where it has an interval. */
interface KeyFigure {
  readonly title: string
  readonly figure: string
  readonly basis: string
  readonly isLoss?: boolean
  readonly track?: { readonly value: number; readonly of: number; readonly reference?: number }
}

const keyFigure = ({ basis, figure, isLoss = false, title, track }: KeyFigure): Element =>
  element(
    "li",
    { class: "card" },
    element("h3", {}, title),
    element("p", { class: isLoss ? "figure loss" : "figure" }, figure),
    track === undefined ? null : intervalTrack({
      name: title, words: figure, value: track.value, ...interval95(track.value, track.of)
    }, shares, track.reference),
    element("p", {}, basis)
  )

const estimated = ({ savings }: Answers): KeyFigure => {
  const { savings_vs_premium_usd: saved } = savings.summary.estimated
  return {
    title: "Estimated saving",
    figure: money(saved),
    isLoss: saved < 0,
    basis: "against the most expensive candidates"
  }
}

/** How many outcomes an interval of a share rests on, in a line. */
const ofOutcomes = (share: number, n: number): string => {
  const { high, low } = interval95(share, n)
  return `${interval(low, high)}, of ${count(n)}`
}

const followedAdvice = ({ savings }: Answers): KeyFigure => {
  const { followed } = savings.summary
  const share = followed?.followed_share ?? null
  if (followed == null || share === null || share === 0 && followed.n_followed > 0) {
    return { title: "Advice followed", figure: "not known", basis: "no feedback says which model ran" }
  }
  const { feedback_coverage: coverage, recommendations } = savings.health
  const reported = Math.round(coverage * recommendations)
  return {
    title: "Advice followed",
    figure: percent(share),
    basis: `${ofOutcomes(share, reported)} calls with feedback`,
    track: { value: share, of: reported }
  }
}

const feedback = ({ savings }: Answers): KeyFigure => {
  const { feedback_coverage: coverage, recommendations } = savings.health
  return {
    title: "Feedback received",
    figure: percent(coverage),
    basis: coverage < 1
      ? `of ${counted(recommendations, "call")}; the others are not known`
      : `for every one of ${counted(recommendations, "call")}`
  }
}

const succeeded = ({ calibration }: Answers): KeyFigure => {
  const [global] = calibration.reports
  const means = global === undefined ? null : meansOf(global)
  if (global === undefined || means === null) {
    return { title: "Success", figure: "not known", basis: "no outcome to compare with a prediction" }
  }
  return {
    title: "Success",
    figure: percent(means.realized),
    basis: `${ofOutcomes(means.realized, global.n)}; ${percent(means.predicted)} predicted (dashed)`,
    track: { value: means.realized, of: global.n, reference: means.predicted }
  }
}

/** What can be said of the saving at a glance. */
interface Lead {
  readonly figure: string
  readonly isLoss: boolean
  readonly within: string
  readonly basis: string
}

const leadOf = (followed: Followed | null): Lead => {
  if (followed === null || !isKnown(followed)) {
    return {
      figure: "not known",
      isLoss: false,
      within: "Not enough to tell: no bill confirms it.",
      basis: followed === null || followed.basis === "none"
        ? "It takes followed calls with a bill and a baseline_model_id."
        : "No call that ran your own model has a bill to compare with."
    }
  }
  const { cost_baseline_usd: baseline, n, savings_usd: saved } = followed
  const { savings_high_usd: high, savings_low_usd: low } = followed
  const basis = `${relative(saved, baseline)} than your own model, on ${counted(n, "followed, billed call")}.`
  if (followed.basis === "same_model") {
    const within = "Every call ran the model you would otherwise use."
    return { figure: money(0), isLoss: false, within, basis }
  }
  if (low === null || high === null) {
    const within = "No interval is known: not every model has a bill."
    return { figure: money(saved), isLoss: saved < 0, within, basis }
  }
  const isUndecided = low <= 0 && high >= 0
  return {
    figure: money(saved),
    isLoss: saved < 0,
    within: `95\u00a0% interval ${sumRange(low, high)}${isUndecided ? ": not enough to tell" : ""}`,
    basis
  }
}

/** The saving and its interval beside no saving at all; null where no interval is known. */
const savingPicture = (followed: Followed | null): Element | null => {
  if (followed === null || !isKnown(followed)) return null
  const { savings_high_usd: high, savings_low_usd: low, savings_usd: value } = followed
  if (low === null || high === null || low === high) return null
  const words = `${money(value)}, 95\u00a0% interval ${sumRange(low, high)}`
  return intervalChart({
    label: `Billed saving: ${words}. Zero is no saving.`,
    rows: [{ name: "", words, value, low, high }],
    tickLabel: money,
    reference: { value: 0, name: "no saving" }
  })
}

/** The sentences behind the headline figures, which say what each covers and leaves open. */
export const grounds = (answers: Answers): Element => {
  const figures = headlineFigures(answers)
  return element(
    "div",
    { class: "grounds" },
    element("p", { class: "verdict" }, verdict(answers)),
    ...figures.flatMap(({ sentences, title }) => [element("h3", {}, title), ...sentences.map(paragraph)]),
    table("The figures above", [
      { title: "Figure", cell: ({ title }) => title },
      { title: "Value", cell: ({ figure }) => figure, isNumeric: true }
    ], figures)
  )
}

const windowOf = ({ savings }: Answers): string =>
  `${savings.days === 1 ? "last 24 hours" : `last ${count(savings.days)} days`}, ${
    savings.namespace === null ? "all namespaces" : savings.namespace
  }`

const hero = (answers: Answers, more: ReadonlyArray<Content>): Element => {
  const followed = answers.savings.summary.followed ?? null
  const lead = leadOf(followed)
  const kind = lead.isLoss ? "figure loss" : lead.figure === "not known" ? "figure unknown" : "figure"
  return element(
    "section",
    { class: "first", "aria-labelledby": "headline" },
    element(
      "figure",
      { class: "hero" },
      element(
        "div",
        { class: "facts" },
        element(
          "div",
          {},
          element("h2", { id: "headline" }, `Billed saving, ${windowOf(answers)}`),
          element("p", { class: kind }, lead.figure),
          element("p", { class: "within" }, lead.within),
          element("p", { class: "basis" }, lead.basis)
        ),
        savingPicture(followed)
      ),
      folded("What these figures rest on", grounds(answers))
    ),
    element(
      "ul",
      { class: "cards" },
      ...[estimated, followedAdvice, feedback, succeeded].map((figure) => keyFigure(figure(answers)))
    ),
    ...more
  )
}

/** What stands in place of the headline figures where every decision was asked in shadow. */
const allInShadow = ({ calibration: { health } }: Answers): Element =>
  section(
    "headline",
    "Asked in shadow",
    paragraph(`${counted(health.recommendations, "recommendation")} in this window, and no saving.`),
    element("p", { class: "note" }, "The callers ran their own default, whatever the answer was.")
  )

const firstSteps = ({ savings: { namespace } }: Answers): Element =>
  section(
    "headline",
    "Nothing to report yet",
    paragraph(`There was no recommendation${namespace === null ? "" : ` in the namespace ${namespace}`}`
      + " in this window."),
    element(
      "ol",
      {},
      element("li", {}, "Request a recommendation before you call a model: ", element("code", {}, "POST "
        + "/v1/recommend"), "."),
      element("li", {}, "Run the model, then report the outcome: ", element("code", {}, "POST "
        + "/v1/feedback"), ".")
    ),
    element(
      "p",
      {},
      element("a", { href: "/docs" }, "The API"),
      " is documented. To fill this page with sample traffic, run ",
      element("code", {}, "npm run demo"),
      "."
    )
  )

/**
 * The headline figures, where savings count any decision; without a decision, how to request the first one.
 */
export const headlineSection = (answers: Answers, ...more: ReadonlyArray<Content>): Element => {
  if (answers.savings.health.recommendations > 0) return hero(answers, more)
  return answers.calibration.health.recommendations > 0 ? allInShadow(answers) : firstSteps(answers)
}
