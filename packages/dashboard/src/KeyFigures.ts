/* The key figures below the saving: what was spent, what your own model would have cost, and the quality. */
import type { Answers } from "./Answers.ts"
import type { Domain } from "./charts/Axis.ts"
import { intervalTrack } from "./charts/IntervalChart.ts"
import { element, type Element } from "./Element.ts"
import { count, counted, money, percent, price, sumRange } from "./Figures.ts"
import { comparedOf, differenceRange, isUndecided, signedPoints } from "./Quality.ts"
import { isKnown, type Saved, type Tier, tiersOf } from "./SavingTiers.ts"

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

/** "; $3.10 in the 30 days before", of the same kind of cost; empty where none is known. */
const before = ({ previous }: Answers, { kind }: Tier, of: (saved: Saved) => number): string => {
  const saved = previous === null ? null : kind.of(previous.summary)
  return previous === null || saved === null || saved.n === 0
    ? ""
    : `; ${money(of(saved))} in the ${counted(previous.days, "day")} before`
}

/** What the calls of the saving cost, and what they would have; the difference of the two is the saving. */
const spending = (answers: Answers): ReadonlyArray<KeyFigure> => {
  const { summary } = answers.savings
  const tiers = tiersOf(summary)
  const tier = tiers.find(({ saved }) => isKnown(saved))
  if (tier === undefined) {
    const { estimated, realized } = summary
    return [realized.n_reconciled === 0
      ? {
        title: "You spent",
        figure: "not known",
        basis: `no feedback carried a cost; estimated ${money(estimated.cost_recommended_usd)}`
      }
      : {
        title: "You spent",
        figure: money(realized.realized_cost_usd),
        basis: `by the bills of ${counted(realized.n_reconciled, "call")}`
      }]
  }
  const { kind, saved: { cost_baseline_usd: own, cost_usd: cost, n } } = tier
  return [
    {
      title: "You spent",
      figure: money(cost),
      basis: `on ${counted(n, "followed call")} with ${kind.has}${
        before(answers, tier, ({ cost_usd: usd }) => usd)
      }`
    },
    {
      title: "Your own model would have cost",
      figure: money(own),
      basis: `for the same calls${before(answers, tier, (saved) => saved.cost_baseline_usd)}`
    }
  ]
}

/** Around the interval, with 0 in it. */
const domainOf = (low: number, high: number): Domain =>
  ({ low: Math.min(low, 0) - 0.01, high: Math.max(high, 0) + 0.01 })

const quality = (answers: Answers): KeyFigure => {
  const compared = comparedOf(answers.savings.comparison)
  const title = "Success against your own model"
  if (compared === null) {
    return { title, figure: "not yet", basis: "the first line says what it takes" }
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
  const followed = share === null ? "" : `; ${percent(share)} of these followed the advice`
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
    ...[...spending(answers), quality(answers), ...task(answers), feedback(answers)].map(card)
  )
