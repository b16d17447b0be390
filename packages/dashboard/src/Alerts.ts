/* The alerts that hold now: what a reader should act on, one line each. */
import type { Answers } from "./Answers.ts"
import { element, type Element, folded, note } from "./Element.ts"
import { counted, kindOfTask, modelName, money, namespaceOf, percent } from "./Figures.ts"

interface Alert {
  readonly words: string
  /** The id of the section that says more. */
  readonly section: string
}

/** Share of calls with feedback below which an alert says so. Chosen. */
const coverageMin = 0.5

const ofHealth = ({ health }: Answers): ReadonlyArray<Alert> =>
  (health?.models ?? []).filter((each) => !each.is_healthy).map((each) => ({
    words: `${each.model_id ?? `All of ${each.provider}`} cannot be called: ${each.failures} of ${
      counted(each.calls, "call")
    } failed. The advice passes it by, where another model can run.`,
    section: "models"
  }))

const ofBudget = ({ budget }: Answers): ReadonlyArray<Alert> => {
  if (budget === null) return [{ words: "How the budget stands cannot be read now.", section: "budget" }]
  const { budget_usd: whole, expected_usd: expected, hard, multiplier, period, spent_usd: spent } = budget
  if (whole === null || spent === null) return []
  const of = `${money(spent)} of the budget of ${money(whole)} per ${period} is spent`
  const alert = (words: string) => [{ words, section: "budget" }]
  if (spent >= whole) {
    return alert(`${of}: ${hard === true ? "requests are refused" : "the cheapest models run"}.`)
  }
  if ((multiplier ?? 0) > 0) return alert(`${of}: cheaper models are preferred to keep it.`)
  return expected !== null && expected > whole
    ? alert(`${of}, and ${money(expected)} is expected by its end.`)
    : []
}

const ofGuarantees = ({ guarantees }: Answers): ReadonlyArray<Alert> =>
  guarantees === null
    ? [{ words: "How the guarantees stand cannot be read now.", section: "guarantee" }]
    : guarantees.kinds.filter(({ state }) => state === "withdrawn").map(({ lane, task_type: type }) => ({
      words: `The guarantee was withdrawn for ${type} in ${namespaceOf(lane)}: a cheaper model did worse than`
        + " it allows.",
      section: "guarantee"
    }))

const ofDrift = ({ calibration }: Answers): ReadonlyArray<Alert> =>
  calibration.drift_flags.filter(({ direction }) => direction === "over_predicting")
    .map(({ cluster, effort, model_id: id }) => ({
      words: `${modelName(id, effort)} keeps doing worse than predicted on ${kindOfTask(cluster)}.`,
      section: "drift"
    }))

const ofFeedback = ({ calibration: { health } }: Answers): ReadonlyArray<Alert> =>
  health.feedback_coverage >= coverageMin ? [] : [{
    words: `Feedback came for only ${percent(health.feedback_coverage)} of ${
      counted(health.recommendations, "call")
    }: what became of the others is not known.`,
    section: "headline"
  }]

/** Every alert, those about money and quality that was promised first. */
export const alertsOf = (answers: Answers): ReadonlyArray<Alert> =>
  [ofBudget, ofGuarantees, ofHealth, ofDrift, ofFeedback].flatMap((each) => each(answers))

/** Alerts that are shown at first, count. */
const shownFirst = 3

const item = ({ section, words }: Alert): Element =>
  element("li", {}, element("span", { "aria-hidden": "true" }, "▲ "), `${words} `,
    element("a", { href: `#${section}`, "aria-label": `More on: ${words}` }, "More"))

/** The list of alerts, or one quiet line. */
export const alertList = (answers: Answers): Element => {
  const items = alertsOf(answers).map(item)
  if (items.length === 0) return note("No alert: budget, guarantees, models, predictions and feedback.")
  const rest = items.slice(shownFirst)
  return element(
    "div",
    { class: "alerts" },
    element("ul", { "aria-label": "Alerts" }, ...items.slice(0, shownFirst)),
    rest.length === 0 ? null : folded(counted(rest.length, "more alert"), element("ul", {}, ...rest))
  )
}
