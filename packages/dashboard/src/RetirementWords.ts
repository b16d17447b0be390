/* A model's retirement in sentences, for the page, the card and the terminal. */
import { namespaceOf } from "../../../src/domain/LaneName.ts"
import type { RetirementResponse } from "../../../src/domain/reports/Retirement.ts"
import {
  count, counted, date, interval, kindOfTask, money, nameOf, percent, points, price
} from "./Figures.ts"

export type Retirement = typeof RetirementResponse.Encoded
export type RetirementRow = Retirement["kinds"][number]
type Successor = RetirementRow["successors"][number]
type Overall = NonNullable<Retirement["successor"]>
type Model = Successor["model"]

export const certaintyWords =
  { known: "Known", tried: "Tried, and not known yet", believed: "Only believed" } as const

/** When a model retires: "retires on 31 Dec 2026, in 31 days", "was retired on …", "has no date …". */
export const dayWords = (
  { days_left: left, retires_on: day }: Pick<Retirement, "days_left" | "retires_on">
): string => {
  if (day === null || left === null) return "has no date of retirement in the catalog"
  return left < 0
    ? `was retired on ${date(day)}`
    : `retires on ${date(day)}, ${left === 0 ? "today" : `in ${counted(left, "day")}`}`
}

const verdictsOf = ({ n_verdicts: n, success_basis: basis }: Model): string =>
  basis === "prediction" ? "predicted" : counted(n, "verdict")

/** A success rate with its interval and basis: "81 % (74 % to 87 %; 140 verdicts)". */
export const successWords = (model: Model): string =>
  `${percent(model.success)} (${interval(model.success_low, model.success_high)}; ${verdictsOf(model)})`

/** "$0.002", "$0.002 (estimate)" */
export const costWords = ({ cost_basis: basis, cost_usd: usd }: Model): string =>
  `${price(usd)}${basis === "estimate" ? " (estimate)" : ""}`

/** "$12.00 a month less" */
export const changeWords = (usd: number): string =>
  usd === 0 ? "the same cost" : `${money(Math.abs(usd))} a month ${usd < 0 ? "less" : "more"}`

const overallWords = (overall: Overall, old: string): string => {
  const change = overall.success_change
  const compared = Math.abs(change) < 0.0005
    ? `as often as ${old}`
    : `${points(change)} ${change < 0 ? "less" : "more"} often than ${old}`
  const part = overall.call_share < 0.995 ? `, compared on ${percent(overall.call_share)} of the calls` : ""
  const range = interval(overall.success_low, overall.success_high)
  const known = overall.known_share
  const sure = known > 0 && overall.certainty !== "known"
    ? `Known on ${percent(known)} of the calls`
    : certaintyWords[overall.certainty]
  return `${sure}: it succeeds at ${percent(overall.success)} (${range}), `
    + `${compared} on tasks as easy${part}; ${changeWords(overall.usd_per_month_change)}`
}

/** The successor and its comparison with the retiring model `old`, or that there is no successor. */
export const successorWords = (successor: Overall | null, old: string): string =>
  successor === null
    ? "No model is in sight that could replace it"
    : `${nameOf(successor)} may replace it. ${overallWords(successor, old)}`

export const usualWords = ({ usual }: RetirementRow, old: string): string =>
  usual === null
    ? `Nothing is known of ${old}'s success or cost there.`
    : `${old} succeeds at ${successWords(usual)}, ${costWords(usual)} a call.`

/** "shop, hard code" */
export const placeOf = ({ cluster, lane }: Pick<RetirementRow, "cluster" | "lane">): string =>
  `${namespaceOf(lane)}, ${kindOfTask(cluster)}`

/** A number of calls, and how many of them came by telemetry: "40 calls, 12 of them by telemetry". */
export const callsWords = (
  { n_calls: n, n_observed: observed }: Pick<Retirement, "n_calls" | "n_observed">
): string =>
  `${counted(n, "call")}${
    observed === 0 ? "" : `, ${observed === n ? "all" : `${count(observed)} of them`} by telemetry`}`

const successorLine = (successor: Successor): string =>
  `  ${nameOf(successor.model)}: ${successWords(successor.model)}, ${costWords(successor.model)} a call. `
  + `${certaintyWords[successor.certainty]}${successor.is_candidate ? "" : ", from the catalog"}.`

const kindLines = (row: RetirementRow, old: string): ReadonlyArray<string> => [
  `${placeOf(row)}: ${callsWords(row)}, ${money(row.spent_usd)}. ${usualWords(row, old)}`,
  ...row.usual === null || row.successors.length > 0 ? row.successors.map(successorLine) : ["  No successor."]
]

const usesLine = (title: string, uses: Retirement["users"]): ReadonlyArray<string> =>
  uses.length === 0
    ? []
    : [`${title}: ${uses.map(({ n_calls: n, name }) => `${name} (${count(n)})`).join(", ")}`]

export interface Step {
  readonly words: string
  readonly command: string
}

export const stepsOf = (
  { audition, guarantee, model_id: old, ...given }: Retirement
): ReadonlyArray<Step> => [
  ...audition === null ? [] : [{
    words: `To be sure: an audition on ${counted(audition.count, "prompt")} of your own, about ${
      money(audition.cost_usd)} beside its judge`,
    command: audition.command
  }],
  ...guarantee === null ? [] : [{
    words: `Until the day: a guarantee of ${old}'s success, whose trials try what may replace it`,
    command: guarantee
  }],
  ...given.switch === null ? [] : [
    { words: "To switch: the successor becomes the account's baseline", command: given.switch.command },
    {
      words: `In programs that name ${old}: an option of the clients, of TypeScript and Python`,
      command: `aliases: ${JSON.stringify(given.switch.aliases)}`
    }
  ]
]

export const useWords = (retirement: Retirement): string => {
  const { days, n_calls: n, spent_usd: spent, usd_per_month: month } = retirement
  if (n === 0) return `It ran no call in ${counted(days, "day")}.`
  const used = `It ran ${callsWords(retirement)}, in ${counted(days, "day")}, for ${money(spent)}`
  return money(month) === money(spent) ? `${used}.` : `${used}: ${money(month)} a month.`
}

export const retirementWords = (retirement: Retirement): string => {
  const { kinds, model_id: old, successor, tags, users } = retirement
  return [
    `${old} ${dayWords(retirement)}. ${useWords(retirement)}`,
    ...usesLine("Users", users), ...usesLine("Tags", tags),
    ...successor !== null ? [`Successor: ${nameOf(successor)}. ${overallWords(successor, old)}.`]
      : kinds.length > 0 ? [`${successorWords(null, old)}: name others as candidates.`] : [],
    ...kinds.flatMap((row) => ["", ...kindLines(row, old)]),
    ...stepsOf(retirement).flatMap(({ command, words }) => ["", `${words}.`, `  ${command}`])
  ].join("\n")
}
