/* The four figures below the sentence: spent, saved, succeeded, and what a finished task cost. */
import type { Answers } from "./Answers.ts"
import type { Domain } from "./charts/Axis.ts"
import { shareTrack } from "./charts/ColumnChart.ts"
import { intervalTrack } from "./charts/IntervalChart.ts"
import { element, type Element } from "./Element.ts"
import { count, counted, money, percent, price, rate, relative, sum, sumRange } from "./Figures.ts"
import { comparedOf, differenceRange, isUndecided, nextStep, signedPoints } from "./Quality.ts"
import { intervalWords, isKnown, type Tier, tiersOf, undecidedWords } from "./SavingTiers.ts"
import { ownModel } from "./Sentence.ts"

type Summary = Answers["savings"]["summary"]

/** A key figure, lines on what it rests on, and its picture where it has an interval. */
interface KeyFigure {
  readonly title: string
  readonly figure: string
  readonly lines: ReadonlyArray<string>
  readonly track?: Element
  readonly isLoss?: boolean
}

const card = ({ figure, isLoss = false, lines, title, track }: KeyFigure): Element =>
  element(
    "li",
    { class: "card" },
    element("h3", {}, title),
    element("p", { class: isLoss ? "figure loss" : "figure" }, figure),
    track ?? null,
    ...lines.map((line) => element("p", {}, line))
  )

/** "$3.10 in the 30 days before"; none where that is not known. */
const before = ({ previous }: Answers, usd: (summary: Summary) => number | null): ReadonlyArray<string> => {
  const found = previous === null ? null : usd(previous.summary)
  return previous === null || found === null
    ? []
    : [`${money(found)} in the ${counted(previous.days, "day")} before`]
}

/** "$1.20 of it at list prices (12 calls)", or what all of it rests on */
const spentBy = ({ list_prices_usd: listed, n_billed: bills, n_list_prices: n }: Summary["spend"]): string =>
  n === 0 ? `by the bills of ${counted(bills, "call")}`
    : `${bills === 0 ? "" : `${sum(listed)} of it `}at list prices (${counted(n, "call")})`

/** All bills, and the tokens of calls without one at list prices. */
const spent = (answers: Answers): KeyFigure => {
  const { estimated, spend } = answers.savings.summary
  const { billed_usd: billed, coverage, n_billed: bills, n_list_prices: calls, cost_usd: usd } = spend
  const title = "You spent"
  if (bills + calls === 0) {
    return {
      title,
      figure: "not known",
      lines: [`no feedback carried a bill or tokens; estimated ${money(estimated.cost_recommended_usd)}`]
    }
  }
  const covered = coverage === null || coverage === 1 ? "" : `; of ${percent(coverage)} of the reports`
  return {
    title,
    figure: money(usd),
    track: shareTrack(usd === 0 ? 1 : billed / usd),
    lines: [
      `${spentBy(spend)}${covered}`,
      ...before(answers, ({ spend }) => spend.n_billed + spend.n_list_prices === 0 ? null : spend.cost_usd)
    ]
  }
}

/** Around the interval, with 0 in it. */
const domainOf = (low: number, high: number, margin: number): Domain =>
  ({ low: Math.min(low, 0) - margin, high: Math.max(high, 0) + margin })

const savedLines = (tier: Tier): ReadonlyArray<string> => {
  const { kind, saved } = tier
  const { cost_baseline_usd: own, n, savings_usd: usd } = saved
  const undecided = undecidedWords(tier) === "" ? "" : ", undecided"
  return [
    `${relative(usd, own)} than ${sum(own)}, on ${counted(n, "call")} with ${kind.has}`,
    ...(intervalWords(saved) === "" ? [] : [`${intervalWords(saved)}${undecided}`])
  ]
}

/** The saving by bills, and beside it that at list prices: they are not added up here. */
const saved = (answers: Answers): KeyFigure => {
  const tiers = tiersOf(answers.savings.summary).filter((tier) => isKnown(tier.saved))
  const [first, second] = tiers
  const title = `${first?.kind.isListed === true ? "Saved at list prices" : "Saved by the bills"} against ${
    ownModel(answers)
  }`
  if (first === undefined) {
    return {
      title: "Saved against your own model",
      figure: "not known",
      lines: ["It takes followed calls with a baseline_model_id, and a bill or token counts."]
    }
  }
  const { savings_high_usd: high, savings_low_usd: low, savings_usd: value } = first.saved
  const within = low === null || high === null || low === high ? null : { low, high }
  return {
    title,
    figure: money(value),
    isLoss: value < 0,
    ...(within === null ? {} : {
      track: intervalTrack(
        { name: title, words: money(value), value, ...within, isHollow: first.kind.isListed },
        domainOf(within.low, within.high, Math.max(Math.abs(within.low), Math.abs(within.high)) * 0.06), 0
      )
    }),
    lines: [
      ...savedLines(first),
      ...(second === undefined ? [] : [
        `and ${money(second.saved.savings_usd)} at list prices, on ${counted(second.saved.n, "other")}`
      ]),
      ...before(answers, (summary) => {
        const earlier = first.kind.of(summary)
        return earlier === null || earlier.n === 0 ? null : earlier.savings_usd
      })
    ]
  }
}

const quality = (answers: Answers): KeyFigure => {
  const { comparison } = answers.savings
  const compared = comparedOf(comparison)
  if (compared === null) {
    return {
      title: "Success against your own model",
      figure: "not yet",
      lines: [nextStep(answers)?.words ?? "The outcomes cannot be read now."]
    }
  }
  const title = `Success against ${ownModel(answers)}`
  const { baseline, difference: value, high, low, success } = compared
  const figure = signedPoints(value)
  return {
    title,
    figure,
    isLoss: high < 0,
    track: intervalTrack({ name: title, words: figure, value, low, high }, domainOf(low, high, 0.01), 0),
    lines: [
      `${rate(success)} succeed, against ${rate(baseline)}`,
      `95\u00a0% interval ${differenceRange(compared)}${isUndecided(compared) ? ", undecided" : ""}`
    ]
  }
}

const task = ({ savings: { tasks } }: Answers): KeyFigure | null => {
  if (tasks == null || tasks.cost_per_finished_usd === null) return null
  const { cost_high_usd: high, cost_low_usd: low, cost_per_finished_usd: usd } = tasks
  return {
    title: "A finished task cost",
    figure: price(usd),
    lines: [
      `${count(tasks.n_finished)} of ${counted(tasks.n, "task")} finished`,
      ...(low === null || high === null ? [] : [`95\u00a0% interval ${sumRange(low, high)}`])
    ]
  }
}

const feedback = ({ savings: { health, summary } }: Answers): KeyFigure => {
  const { feedback_coverage: coverage, recommendations } = health
  const share = summary.followed?.followed_share ?? null
  return {
    title: "Feedback received",
    figure: percent(coverage),
    lines: [
      `${coverage < 1 ? "of" : "for every one of"} ${counted(recommendations, "call")}`,
      ...(share === null ? [] : [`${percent(share)} of reports follow the advice`])
    ]
  }
}

/** The key figures, each a card. */
export const keyFigures = (answers: Answers): Element =>
  element(
    "ul",
    { class: "cards" },
    ...[spent(answers), saved(answers), quality(answers), task(answers) ?? feedback(answers)].map(card)
  )
