/* The key figures below the saving: what was spent, what your own model would have cost, and the quality. */
import type { Answers } from "./Answers.ts"
import type { Domain } from "./charts/Axis.ts"
import { shareTrack } from "./charts/BarChart.ts"
import { intervalTrack } from "./charts/IntervalChart.ts"
import { element, type Element } from "./Element.ts"
import { count, counted, money, percent, price, sumRange } from "./Figures.ts"
import { comparedOf, differenceRange, isUndecided, signedPoints } from "./Quality.ts"
import { isKnown, tiersOf } from "./SavingTiers.ts"

type Spend = Answers["savings"]["summary"]["spend"]

/** A key figure, what it rests on in a line, and its picture where it has an interval. */
interface KeyFigure {
  readonly title: string
  readonly figure: string
  readonly basis: string
  readonly track?: Element
}

const card = ({ basis, figure, title, track }: KeyFigure): Element =>
  element(
    "li",
    { class: "card" },
    element("h3", {}, title),
    element("p", { class: "figure" }, figure),
    track ?? null,
    element("p", {}, basis)
  )

/** "; $3.10 in the 30 days before"; empty where that is not known. */
const before = (
  { previous }: Answers,
  usd: (summary: Answers["savings"]["summary"]) => number | null
): string => {
  const found = previous === null ? null : usd(previous.summary)
  return previous === null || found === null
    ? ""
    : `; ${money(found)} in the ${counted(previous.days, "day")} before`
}

/** "$1.20 of it at list prices (12 calls)", or what all of it rests on */
const spentBy = ({ list_prices_usd: listed, n_billed: bills, n_list_prices: n }: Spend): string =>
  n === 0 ? `by the bills of ${counted(bills, "call")}`
    : `${bills === 0 ? "" : `${money(listed)} of it `}at list prices (${counted(n, "call")})`

/** All bills, and the tokens of calls without one at list prices. */
const spent = (answers: Answers): KeyFigure => {
  const { estimated, spend } = answers.savings.summary
  const { billed_usd: billed, coverage, n_billed: bills, n_list_prices: calls, cost_usd: usd } = spend
  const title = "You spent"
  if (bills + calls === 0) {
    return {
      title,
      figure: "not known",
      basis: `no feedback carried a bill or tokens; estimated ${money(estimated.cost_recommended_usd)}`
    }
  }
  const covered = coverage === null || coverage === 1 ? "" : `; of ${percent(coverage)} of the reports`
  return {
    title,
    figure: money(usd),
    track: shareTrack(usd === 0 ? 1 : billed / usd),
    basis: `${spentBy(spend)}${covered}${
      before(answers, ({ spend }) => spend.n_billed + spend.n_list_prices === 0 ? null : spend.cost_usd)
    }`
  }
}

/** What the calls of the saving would have cost, beside what they did; the difference is the saving. */
const ownModel = (answers: Answers): ReadonlyArray<KeyFigure> => {
  const tier = tiersOf(answers.savings.summary).find(({ saved }) => isKnown(saved))
  if (tier === undefined) return []
  const { kind, saved: { cost_baseline_usd: own, cost_usd: cost, n } } = tier
  return [{
    title: "Your own model would have cost",
    figure: money(own),
    basis: `against ${money(cost)}, on the ${counted(n, "followed call")} with ${kind.has}${
      before(answers, (summary) => kind.of(summary)?.cost_baseline_usd || null)
    }`
  }]
}

/** Around the interval, with 0 in it. */
const domainOf = (low: number, high: number): Domain =>
  ({ low: Math.min(low, 0) - 0.01, high: Math.max(high, 0) + 0.01 })

const quality = (answers: Answers): KeyFigure => {
  const compared = comparedOf(answers.savings.comparison)
  const title = "Success against your own model"
  if (compared === null) {
    return { title, figure: "not yet", basis: "the sentence above says what it takes" }
  }
  const { difference: value, high, low } = compared
  const figure = signedPoints(value)
  return {
    title,
    figure,
    track: intervalTrack({ name: title, words: figure, value, low, high }, domainOf(low, high), 0),
    basis: `95 % interval ${differenceRange(compared)}${isUndecided(compared) ? ", undecided" : ""}`
  }
}

const task = ({ savings: { tasks } }: Answers): ReadonlyArray<KeyFigure> => {
  if (tasks == null || tasks.cost_per_finished_usd === null) return []
  const { cost_high_usd: high, cost_low_usd: low, cost_per_finished_usd: usd } = tasks
  const within = low === null || high === null ? "" : `95 % interval ${sumRange(low, high)}, `
  return [{
    title: "A finished task cost",
    figure: price(usd),
    basis: `${within}${count(tasks.n_finished)} of ${counted(tasks.n, "task")} finished`
  }]
}

const feedback = ({ savings: { health, summary } }: Answers): KeyFigure => {
  const { feedback_coverage: coverage, recommendations } = health
  const share = summary.followed?.followed_share ?? null
  const followed = share === null ? "" : `; ${percent(share)} of reports follow the advice`
  return {
    title: "Feedback received",
    figure: percent(coverage),
    basis: `${coverage < 1 ? "of" : "for every one of"} ${counted(recommendations, "call")}${followed}`
  }
}

/** The key figures, each a card. */
export const keyFigures = (answers: Answers): Element =>
  element(
    "ul",
    { class: "cards" },
    ...[spent(answers), ...ownModel(answers), quality(answers), ...task(answers), feedback(answers)].map(card)
  )
