/* The current alerts as cards: what happened, when, and what to do. */
import { runnable } from "./AdviceSection.ts"
import type { Answers } from "./Answers.ts"
import { command, element, type Element, folded } from "./Element.ts"
import { count, counted, day, kindOfTask, modelName, money, nameOf, percent, points } from "./Figures.ts"
import { comparedOf, differenceRange } from "./Quality.ts"
import { dayWords } from "./RetirementWords.ts"
import type { Tab } from "./Selection.ts"
import { groupings } from "./Groupings.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

interface Alert {
  readonly words: string
  /** What to do, in a sentence; `run` is the command for it. */
  readonly remedy: string
  readonly run?: string
  /** "last on 21 Nov", "until 1 Dec": a date, UTC. */
  readonly when?: string
  /** The tab that says more about the alert; empty if no tab does. */
  readonly tab: Tab
  /** True if the advice has already left the model that the alert is about. */
  readonly isPast?: boolean
}

type Flag = Answers["calibration"]["drift_flags"][number]

/** An alert appears if feedback came for less than this share of the calls. Chosen. */
const coverageMin = 0.5

const setAccount = ({ command, policyValue }: Answers): string =>
  `${command} account set --instance ${policyValue.org_id}`

const ofHealth = ({ health }: Answers): ReadonlyArray<Alert> =>
  (health?.models ?? []).filter((each) => !each.is_healthy).map((each) => ({
    words: `${each.model_id ?? `All of ${each.provider}`} cannot be called: ${each.failures} of ${
      counted(each.calls, "call")
    } failed.`,
    remedy: "The advice passes it by, where another model can run. Look at the provider's status page.",
    ...(each.failed_at === null ? {} : { when: `last on ${day(each.failed_at)}` }),
    tab: "models"
  }))

const ofRetirement = ({ advice, command }: Answers): ReadonlyArray<Alert> =>
  (advice?.retiring ?? []).map((each) => ({
    words: `${each.model_id} ${dayWords(each)}.`,
    remedy: each.successor === null
      ? "No model is in sight that could replace it: name others as candidates."
      : `${nameOf(each.successor)} may replace it; how sure that is:`,
    run: runnable(each, command),
    tab: "models"
  }))

const unread = (what: string, tab: Tab): ReadonlyArray<Alert> =>
  [{ words: `How the ${what} cannot be read now.`, remedy: "Refresh in a moment.", tab }]

const ofBudget = (answers: Answers): ReadonlyArray<Alert> => {
  const { budget } = answers
  if (budget === null) return unread("budget stands", "")
  const { budget_usd: whole, expected_usd: expected, hard, multiplier, period, spent_usd: spent } = budget
  if (whole === null || spent === null) return []
  const of = `${money(spent)} of the budget of ${money(whole)} per ${period} is spent`
  const alert = (words: string): ReadonlyArray<Alert> => [{
    words,
    remedy: "Raise it, or leave it to prefer cheaper models:",
    run: `${setAccount(answers)} --budget ${Math.ceil(Math.max(whole, expected ?? 0) * 1.2)}/${period}`,
    ...(budget.period_end === null ? {} : { when: `until ${day(budget.period_end)}` }),
    tab: ""
  }]
  if (spent >= whole) {
    return alert(`${of}: ${hard === true ? "requests are refused" : "the cheapest models run"}.`)
  }
  if ((multiplier ?? 0) > 0) return alert(`${of}: cheaper models are preferred to keep it.`)
  return expected !== null && expected > whole
    ? alert(`${of}, and ${money(expected)} is expected by its end.`)
    : []
}

const isUnearnable = ({ guarantee, kinds }: NonNullable<Answers["guarantees"]>): boolean =>
  guarantee?.trial_share === 0
  && kinds.every(({ candidates }) => candidates.every(({ outcomes }) => outcomes === 0))

const ofGuarantees = (answers: Answers): ReadonlyArray<Alert> => {
  const { guarantees } = answers
  if (guarantees === null) return unread("guarantees stand", "quality")
  if (isUnearnable(guarantees)) {
    return [{
      words: "The guarantee can hold no cheaper model: its trials are off.",
      remedy: "Let a fifth of the tasks try one:",
      run: `${setAccount(answers)} --guarantee-trials 0.2`,
      tab: "quality"
    }]
  }
  return guarantees.kinds.filter(({ state }) => state === "withdrawn").map(({ lane, task_type: type }) => ({
    words: `The guarantee was withdrawn for ${type} in ${namespaceOf(lane)}: a cheaper model did worse than`
      + " it allows.",
    remedy: "Your own model runs there again; nothing is to be done.",
    tab: "quality"
  }))
}

const ofGroups = (answers: Answers): ReadonlyArray<Alert> => {
  const { asked, dashboard: { baselines = [] }, grouped, savings } = answers
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
  const [own, other] = baselines
  return [{
    words: `${where}, the advice succeeds ${points(compared.difference)} less often than your own model, 95`
      + `\u00a0% interval ${differenceRange(compared)}.${rest}`,
    remedy: "Keep it within 5 points of your own model:",
    run: `${setAccount(answers)} --guarantee-baseline ${
      own === undefined || other !== undefined ? "MODEL" : modelName(own.model_id, own.effort)
    } --guarantee-trials 0.2`,
    tab: "quality"
  }]
}

/** "gpt-5 keeps doing worse than predicted on hard code."; in the past tense if other models took over. */
export const driftWords = (
  { cluster, direction, effort, left_at: left = null, model_id: modelId }: Flag
): string => {
  const name = modelName(modelId, effort)
  const side = direction === "over_predicting" ? "worse" : "better"
  const how = `${side} than predicted on ${kindOfTask(cluster)}`
  return left === null ? `${name} keeps doing ${how}.` : `${name} did ${how}: it was left on ${day(left)}.`
}

const ofDrift = ({ calibration }: Answers): ReadonlyArray<Alert> =>
  calibration.drift_flags.filter(({ direction }) => direction === "over_predicting")
    .map((flag): Alert => ({
      words: driftWords(flag),
      remedy: flag.left_at == null
        ? "Each outcome lowers its prediction there; to stop at once, leave it out (candidate_models)."
        : "The advice has met it.",
      tab: "quality",
      isPast: flag.left_at != null
    }))
    .sort((one, other) => Number(one.isPast) - Number(other.isPast))

const ofFeedback = ({ calibration: { health } }: Answers): ReadonlyArray<Alert> =>
  health.feedback_coverage >= coverageMin ? [] : [{
    words: `Feedback came for only ${percent(health.feedback_coverage)} of ${
      counted(health.recommendations, "call")
    }: what became of the others is not known.`,
    remedy: "Report each call; the adapters do so by themselves.",
    tab: "quality"
  }]

export const alertsOf = (answers: Answers): ReadonlyArray<Alert> =>
  [ofBudget, ofGuarantees, ofGroups, ofHealth, ofRetirement, ofDrift, ofFeedback]
    .flatMap((each) => each(answers))

const shownFirst = 1

const card = ({ isPast = false, remedy, run, tab, when, words }: Alert): Element =>
  element(
    "li",
    { class: isPast ? "card alert past" : "card alert" },
    element("p", {}, element("strong", {}, `${isPast ? "✓" : "▲"} ${words}`),
      ...(when === undefined ? [] : [" ", element("span", { class: "when" }, `${when}.`)])),
    element("p", {}, `${remedy} `, tab === "" ? null : element(
      "a", { href: `?tab=${tab}`, "data-state": "", "aria-label": `More on: ${words}` }, "More"
    )),
    run === undefined ? null : command(run)
  )

export const alertCards = (answers: Answers): Element | null => {
  const cards = alertsOf(answers).map(card)
  const rest = cards.slice(shownFirst)
  return cards.length === 0 ? null : element(
    "div",
    { class: "alerts" },
    element("ul", { "aria-label": "Alerts" }, ...cards.slice(0, shownFirst)),
    rest.length === 0 ? null : folded(counted(rest.length, "more alert"), element("ul", {}, ...rest))
  )
}
