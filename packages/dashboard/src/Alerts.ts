/* The alerts that hold now: what a reader should act on, one line each. */
import type { Answers } from "./Answers.ts"
import { element, type Element, folded, note } from "./Element.ts"
import { count, counted, money, percent, points } from "./Figures.ts"
import { groupings } from "./GroupsSection.ts"
import { driftWords } from "./ModelsSection.ts"
import { comparedOf, differenceRange } from "./Quality.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

interface Alert {
  readonly words: string
  /** The id of the section that says more. */
  readonly section: string
  /** Whether the advice has met it already. */
  readonly isPast?: boolean
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

/** Each model of recent calls that will soon be retired, once. */
const ofRetirement = ({ dashboard }: Answers): ReadonlyArray<Alert> => {
  const said = new Set(dashboard.decisions.flatMap(({ warnings }) => warnings))
  return [...said].flatMap((warning) => {
    const [, modelId, day] = /^model_retiring:(.+):(.+)$/.exec(warning) ?? []
    return modelId === undefined ? [] : [{
      words: `${modelId}, which recent calls ran or named, retires on ${day}: the advice leaves it out after`
        + " that day.",
      section: "decisions"
    }]
  })
}

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

/** Whether the account's guarantee draws no trials, and no pair has come either. */
const isUnearnable = ({ guarantee, kinds }: NonNullable<Answers["guarantees"]>): boolean =>
  guarantee?.trial_share === 0
  && kinds.every(({ candidates }) => candidates.every(({ outcomes }) => outcomes === 0))

const ofGuarantees = ({ guarantees }: Answers): ReadonlyArray<Alert> =>
  guarantees === null
    ? [{ words: "How the guarantees stand cannot be read now.", section: "guarantee" }]
    : isUnearnable(guarantees)
    ? [{
      words: "The guarantee can hold no cheaper model: its trials are off (--guarantee-trials 0.2 turns them"
        + " on).",
      section: "guarantee"
    }]
    : guarantees.kinds.filter(({ state }) => state === "withdrawn").map(({ lane, task_type: type }) => ({
      words: `The guarantee was withdrawn for ${type} in ${namespaceOf(lane)}: a cheaper model did worse than`
        + " it allows.",
      section: "guarantee"
    }))

/** The group whose success suffers most of those that certainly suffer, as they are grouped on the page. */
const ofGroups = ({ asked, grouped, savings }: Answers): ReadonlyArray<Alert> => {
  const worse = (grouped ?? savings).groups.flatMap(({ comparison, key }) => {
    const compared = comparedOf(comparison)
    return compared === null || compared.high >= 0 ? [] : [{ key, compared }]
  }).sort((one, other) => one.compared.difference - other.compared.difference)
  const [worst] = worse
  if (worst === undefined) return []
  const { name, none, of } = groupings[grouped === null ? "lane" : asked?.by ?? "lane"]
  const { key, compared } = worst
  const where = key === "" ? `For calls with ${none}` : `For the ${name} ${of(key)}`
  const rest = worse.length === 1 ? "" : ` It does for ${count(worse.length - 1)} more.`
  return [{
    words: `${where}, the advice succeeds ${points(compared.difference)} less often than your own model, 95`
      + `\u00a0% interval ${differenceRange(compared)}.${rest}`,
    section: "groups"
  }]
}

const ofDrift = ({ calibration }: Answers): ReadonlyArray<Alert> =>
  calibration.drift_flags.filter(({ direction }) => direction === "over_predicting")
    .map((flag) => ({ words: driftWords(flag), section: "drift", isPast: flag.left_at != null }))
    .sort((one, other) => Number(one.isPast) - Number(other.isPast))

const ofFeedback = ({ calibration: { health } }: Answers): ReadonlyArray<Alert> =>
  health.feedback_coverage >= coverageMin ? [] : [{
    words: `Feedback came for only ${percent(health.feedback_coverage)} of ${
      counted(health.recommendations, "call")
    }: what became of the others is not known.`,
    section: "headline"
  }]

/** Every alert, those about money and quality that was promised first. */
export const alertsOf = (answers: Answers): ReadonlyArray<Alert> =>
  [ofBudget, ofGuarantees, ofGroups, ofHealth, ofRetirement, ofDrift, ofFeedback]
    .flatMap((each) => each(answers))

/** Alerts that are shown at first, count. */
const shownFirst = 3

const item = ({ isPast = false, section, words }: Alert): Element =>
  element("li", isPast ? { class: "past" } : {},
    element("span", { "aria-hidden": "true" }, isPast ? "✓ " : "▲ "), `${words} `,
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
