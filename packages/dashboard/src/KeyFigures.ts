/* The four key figures: spending, saving, success, and the cost of a finished task. */
import type { Answers } from "./Answers.ts"
import { shareTrack } from "./charts/ColumnChart.ts"
import { intervalTrack } from "./charts/IntervalChart.ts"
import { element, type Element } from "./Element.ts"
import {
  count, counted, money, percent, price, rate, relative, roughRange, sum,
  sumRange
} from "./Figures.ts"
import { comparedOf, differenceRange, isUndecided, nextStep, signedPoints } from "./Quality.ts"
import { intervalWords, isKnown, tiersOf, undecidedWords } from "./SavingTiers.ts"
import { ownModel, ownNames } from "./Sentence.ts"
import { modelsIn } from "./SpendSection.ts"

type Summary = Answers["savings"]["summary"]

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

const trackOf = (words: string, value: number, low: number, high: number, isHollow = false): Element => {
  const margin = Math.max(Math.abs(low), Math.abs(high)) * 0.06 || 1
  const domain = { low: Math.min(low, 0) - margin, high: Math.max(high, 0) + margin }
  return intervalTrack({ name: words, words, value, low, high, isHollow }, domain, 0)
}

/** "$3.10 in the 30 days before"; an empty list if not known. */
const before = ({ previous }: Answers, usd: (summary: Summary) => number | null): ReadonlyArray<string> => {
  const found = previous === null ? null : usd(previous.summary)
  return previous === null || found === null
    ? []
    : [`${money(found)} in the ${counted(previous.days, "day")} before`]
}

const namedModels = 2

/** The spending on two models and all others: "gpt-5 $3,673", "claude-sonnet-5 $2,107", "5 others $191". */
const onWhat = ({ dashboard: { spend_by_day: spent = [] } }: Answers): ReadonlyArray<string> => {
  const models = modelsIn(spent)
  const rest = models.slice(namedModels)
  const others = sum(rest.reduce((total, { usd }) => total + usd, 0))
  // In `spend_by_day`, an empty model name stands for several models.
  const isCounted = rest.every(({ name }) => name !== "")
  return [
    ...models.slice(0, namedModels).map(({ usd, words }) => `${words} ${sum(usd)}`),
    ...(rest.length === 0 ? [] : [`${isCounted ? counted(rest.length, "other") : "others"} ${others}`])
  ]
}

const spent = (answers: Answers): KeyFigure => {
  const { estimated, spend } = answers.savings.summary
  const { billed_usd: billed, coverage, list_prices_usd: listed, n_billed: bills, n_list_prices: n } = spend
  const title = "You spent"
  if (bills + n === 0) {
    const words = `no feedback carried a bill or tokens; estimated ${money(estimated.cost_recommended_usd)}`
    return { title, figure: "not known", lines: [words] }
  }
  const covered = coverage === null || coverage === 1 ? "" : `; of ${percent(coverage)} of the reports`
  const by = n === 0
    ? `by the bills of ${counted(bills, "call")}`
    : `${bills === 0 ? "" : `${sum(listed)} of it `}at list prices (${counted(n, "call")})`
  return {
    title,
    figure: money(spend.cost_usd),
    track: shareTrack(spend.cost_usd === 0 ? 1 : billed / spend.cost_usd),
    lines: [
      ...onWhat(answers),
      `${by}${covered}`,
      ...before(answers, ({ spend }) => spend.n_billed + spend.n_list_prices === 0 ? null : spend.cost_usd)
    ]
  }
}

/** The saving by bills and the saving at list prices; the two are not added. */
const saved = (answers: Answers): KeyFigure => {
  const [first, second] = tiersOf(answers.savings.summary).filter((tier) => isKnown(tier.saved))
  if (first === undefined) {
    return {
      title: "Saved against your own model",
      figure: "not known",
      lines: ["It takes followed calls with a baseline_model_id, and a bill or token counts."]
    }
  }
  const { kind, saved: { cost_baseline_usd: own, n, savings_usd: usd, ...ends } } = first
  const { savings_high_usd: high, savings_low_usd: low } = ends
  const within = intervalWords(first.saved)
  return {
    title: `${kind.isListed ? "Saved at list prices" : "Saved by the bills"} against ${ownModel(answers)}`,
    figure: money(usd),
    isLoss: usd < 0,
    ...(within === "" || low === null || high === null
      ? {}
      : { track: trackOf(`${money(usd)}, ${within}`, usd, low, high, kind.isListed) }),
    lines: [
      ...(ownNames(answers) === "" ? [] : [`most often ${ownNames(answers)}`]),
      `${relative(usd, own)} than ${sum(own)}, on ${counted(n, "call")} with ${kind.has}`,
      ...(within === "" || low === null || high === null ? [] : [
        `95\u00a0% interval ${roughRange(low, high)}${undecidedWords(first) === "" ? "" : ", undecided"}`
      ]),
      ...(second === undefined ? [] : [
        `and ${money(second.saved.savings_usd)} at list prices, on ${counted(second.saved.n, "other")}`
      ]),
      ...before(answers, (summary) => {
        const earlier = kind.of(summary)
        return earlier === null || earlier.n === 0 ? null : earlier.savings_usd
      })
    ]
  }
}

const quality = (answers: Answers): KeyFigure => {
  const compared = comparedOf(answers.savings.comparison)
  const title = `Success against ${ownModel(answers)}`
  if (compared === null) {
    const step = nextStep(answers)?.words ?? "The outcomes cannot be read now."
    return { title, figure: "not yet", lines: [step] }
  }
  const { baseline, difference, high, low, success } = compared
  const figure = signedPoints(difference)
  return {
    title,
    figure,
    isLoss: high < 0,
    track: trackOf(figure, difference, low, high),
    lines: [
      `${rate(success)} succeed, against ${rate(baseline)}`,
      `95\u00a0% interval ${differenceRange(compared)}${isUndecided(compared) ? ", undecided" : ""}`
    ]
  }
}

/** The cost of a finished task; if that is not known, the share of calls with feedback. */
const task = ({ savings: { health, summary, tasks } }: Answers): KeyFigure => {
  if (tasks?.cost_per_finished_usd != null) {
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

/** The key figures as cards; for a small account only the known figures. */
export const keyFigures = (answers: Answers, isSmall = false): Element =>
  element("ul", { class: "cards" }, ...[spent, saved, quality, task].map((each) => each(answers))
    .filter(({ figure }) => !isSmall || !figure.startsWith("not")).map(card))
