/* The first section of the page: the saving with its interval, key figures, or the first steps. */
import { alertList } from "./Alerts.ts"
import type { Answers } from "./Answers.ts"
import { intervalChart } from "./charts/IntervalChart.ts"
import { type Content, element, type Element, folded, note, paragraph, section, table } from "./Element.ts"
import { count, counted, money, moneyTick, relative } from "./Figures.ts"
import { headlineFigures, verdict } from "./Headline.ts"
import { keyFigures } from "./KeyFigures.ts"
import { comparisonSentence, nextStep } from "./Quality.ts"
import { billedParts } from "./Reconciliation.ts"
import { intervalWords, isKnown, type Tier, tiersOf, undecidedWords } from "./SavingTiers.ts"

/** What can be said of a saving at a glance. */
interface Lead {
  readonly title: string
  readonly figure: string
  readonly isLoss: boolean
  readonly within: string
  readonly basis: string
}

const leadOf = (tier: Tier): Lead => {
  const { kind, saved: all } = tier
  const { basis, cost_baseline_usd: baseline, n, savings_high_usd: high, savings_low_usd: low } = all
  const { n_missing: missing, savings_usd: saved } = all
  const { title } = kind
  if (!isKnown(all)) {
    return {
      title,
      figure: "not known",
      isLoss: false,
      within: `Not enough to tell: no ${kind.cost} of your own model.`,
      basis: `${counted(n, "followed call")} cost ${money(all.cost_usd)}; your own model, unchecked,`
        + ` ${money(baseline)}.`
    }
  }
  return {
    title,
    figure: money(saved),
    isLoss: saved < 0,
    within: basis === "same_model"
      ? "Every call ran the model you would otherwise use."
      : low === null || high === null
      ? `No interval is known: not every model has a ${kind.cost}.`
      : `${intervalWords(all)}${undecidedWords(tier) === "" ? "" : ": not enough to tell"}`,
    basis: `${relative(saved, baseline)} than your own model, on ${missing ? `${count(n)} of ` : ""}${
      counted(n + (missing ?? 0), "followed call")
    } with ${kind.has}.`
  }
}

const noLead: Lead = {
  title: "Saving",
  figure: "not known",
  isLoss: false,
  within: "Not enough to tell: no cost confirms it.",
  basis: "It takes followed calls with a baseline_model_id, and a bill or token counts."
}

/** Each tier's saving and interval beside no saving at all; null where no interval is known. */
const savingPicture = (tiers: ReadonlyArray<Tier>): Element | null => {
  const rows = tiers.flatMap(({ kind, saved }) => {
    const { savings_high_usd: high, savings_low_usd: low, savings_usd: value } = saved
    const within = intervalWords(saved)
    return !isKnown(saved) || within === ""
      ? []
      : [{ name: kind.title, words: `${money(value)}, ${within}`, value, low, high, isHollow: kind.isListed }]
  })
  const [only] = rows
  return only === undefined ? null : intervalChart({
    label: `${rows.map(({ name, words }) => `${name}: ${words}`).join(". ")}. Zero is no saving.`,
    rows: rows.length === 1 ? [{ ...only, name: "" }] : rows,
    tickLabel: moneyTick,
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

const windowOf = ({ asked, savings }: Answers): string => {
  const { dates = "", model = "", tag = "", user = "" } = asked ?? {}
  const [from, to] = dates.split("/")
  return [
    dates !== ""
      ? `${from} to ${to}, UTC`
      : savings.days === 1 ? "last 24 hours" : `last ${count(savings.days)} days`,
    savings.namespace ?? "all namespaces",
    ...(model === "" ? [] : [`where ${model} was advised`]),
    ...(tag === "" ? [] : [`tag ${tag}`]),
    ...(user === "" ? [] : [`user ${user}`])
  ].join(", ")
}

/** A lead below its heading. */
const led = (heading: Element, { basis, figure, isLoss, within }: Lead): ReadonlyArray<Element> => {
  const kind = isLoss ? "figure loss" : figure === noLead.figure ? "figure unknown" : "figure"
  return [
    heading,
    element("p", { class: kind }, figure),
    element("p", { class: "within" }, within),
    element("p", { class: "basis" }, basis)
  ]
}

const hero = (answers: Answers, more: ReadonlyArray<Content>): Element => {
  const tiers = tiersOf(answers.savings.summary)
  const step = nextStep(answers)
  const leads = tiers.map(leadOf)
  const lead = leads.find(({ figure }) => figure !== noLead.figure) ?? leads[0] ?? noLead
  return element(
    "section",
    { class: "first", "aria-labelledby": "headline" },
    element("p", { class: "sentence" }, comparisonSentence(answers)),
    step === null ? null : note(step.words),
    step?.run === undefined ? null : element("pre", {}, element("code", {}, step.run)),
    alertList(answers),
    element(
      "figure",
      { class: "hero" },
      element(
        "div",
        { class: "facts" },
        element(
          "div",
          {},
          ...led(element("h2", { id: "headline" }, `${lead.title}, ${windowOf(answers)}`), lead),
          // The other kind of cost, which is never added to the first.
          ...leads.filter((each) => each !== lead).flatMap((each) => led(element("h3", {}, each.title), each))
        ),
        savingPicture(tiers)
      ),
      folded("What these figures rest on", grounds(answers))
    ),
    keyFigures(answers),
    billedParts(answers.savings.summary),
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
      element("a", { href: "docs" }, "The API"),
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
