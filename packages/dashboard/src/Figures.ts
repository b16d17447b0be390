/* Numbers, money, dates and names in the spelling of the page. */
import { writtenOf } from "../../../src/domain/model/ModelVariant.ts"
import * as Words from "../../../src/domain/text/Words.ts"

/** "1,204" */
export const count = (n: number): string => n.toLocaleString("en-GB")

/** "1 outcome", "1,204 outcomes" */
export const counted = (n: number, noun: string): string => `${count(n)} ${Words.nounOf(n, noun)}`

/** "81 %", with a no-break space. */
export const percent = (share: number): string => Words.percent(share).replace(" %", "\u00a0%")

/** "81.3 %": a rate with one decimal, as differences in points have. */
export const rate = (share: number): string => `${(share * 100).toFixed(1)}\u00a0%`

/** "$9,825.51" */
const cents = (usd: number): string =>
  `$${usd.toLocaleString("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`

/** The cost of one call: "$0.00123", "$1,204.50". */
export const price = (usd: number): string => usd < 1 ? Words.dollars(usd) : cents(usd)

/** Sums from this size on are rounded to cents, USD; smaller sums keep more digits. */
const centsFrom = 0.1

const magnitude = (usd: number): string => usd < centsFrom ? price(usd) : cents(usd)

/** A sum of money, with a minus sign below 0: "$1,204.50", "−$0.05". */
export const money = (usd: number): string => usd < 0 ? `−${magnitude(-usd)}` : magnitude(usd)

/** From this size on, `sum` and `roughRange` show whole dollars, USD. */
const wholeFrom = 100

/** "$9,721", "$75.20": a sum of money in a sentence. */
export const sum = (usd: number): string =>
  Math.abs(usd) < wholeFrom ? money(usd) : money(Math.round(usd)).replace(/\.00$/, "")

export const moneyTick = (usd: number): string => money(usd).replace(/\.00$/, "")

/** "$1.10 to $5.00": an interval of money; ends of $0.10 or more are rounded outward to cents. */
export const sumRange = (low: number, high: number): string => {
  const outward = (usd: number, round: (cents: number) => number): number =>
    Math.abs(usd) < centsFrom ? usd : round(Number((usd * 100).toPrecision(12))) / 100
  return `${money(outward(low, Math.floor))} to ${money(outward(high, Math.ceil))}`
}

/** "$2,395 to $4,828": an interval of money in few characters, in whole dollars from $100 on. */
export const roughRange = (low: number, high: number): string => {
  const rounded = (usd: number, round: (usd: number) => number) =>
    sum(Math.abs(usd) < wholeFrom ? usd : round(usd))
  return `${rounded(low, Math.floor)} to ${rounded(high, Math.ceil)}`
}

export const priceOr = (usd: number | null): string => usd === null ? "not known" : price(usd)
export const shareOr = (share: number | null): string => share === null ? "not known" : percent(share)

/** "30 % less", "2 % more": a saving in percent of the cost `of`. */
export const relative = (savingUsd: number, of: number): string => {
  if (savingUsd === 0) return "neither more nor less"
  if (of === 0) return savingUsd < 0 ? "more" : "less"
  return `${percent(Math.abs(savingUsd) / of)} ${savingUsd < 0 ? "more" : "less"}`
}

/** "42 % to 71 %", or empty without an interval. */
export const interval = (low: number | null, high: number | null): string =>
  low === null || high === null ? "" : `${percent(low)} to ${percent(high)}`

/** "3.1 points": a difference of two shares, without its sign. */
export const points = (share: number): string => `${Math.abs(share * 100).toFixed(1)} points`

export const pointsOr = (share: number | null): string => share === null ? "not known" : points(share)

/** "21 Nov, 14:05" in the local time zone. */
export const moment = (iso: string): string =>
  new Date(iso).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit"
  })

/** "13 Nov", UTC. */
export const day = (iso: string): string =>
  new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })

/** "13 Nov 2026", UTC. */
export const date = (at: Date | string): string =>
  new Date(at).toLocaleDateString("en-GB", {
    day: "numeric", month: "short", year: "numeric", timeZone: "UTC"
  })

export const isRun = (cluster: string): boolean => cluster.split(":")[2] === "run"

/** A cluster in words: `code:medium:run` becomes "medium code, in runs of agents". */
export const kindOfTask = (cluster: string, saysRun = isRun(cluster)): string => {
  const [type = "", difficulty = ""] = cluster.split(":")
  const kind = `${difficulty} ${type.replaceAll("_", " ")}`.trim()
  return saysRun ? `${kind}, in runs of agents` : kind
}

/** A model with its level of effort, if it has one, as a request names it: "gpt-5#low". */
export const modelName = (modelId: string, effort?: string): string =>
  writtenOf({ modelId, ...(effort === undefined ? {} : { effort }) })

export const nameOf = ({ effort, model_id: modelId }: {
  readonly effort?: string
  readonly model_id: string
}): string => modelName(modelId, effort)
