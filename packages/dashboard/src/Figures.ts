/* Figures as the page spells them. */
import { writtenOf } from "../../../src/domain/model/ModelVariant.ts"
import * as Words from "../../../src/domain/text/Words.ts"

/** "1,204" */
export const count = (n: number): string => n.toLocaleString("en-GB")

/** "1 outcome", "1,204 outcomes" */
export const counted = (n: number, noun: string): string => `${count(n)} ${Words.nounOf(n, noun)}`

/** "81 %", with a space that does not break. */
export const percent = (share: number): string => Words.percent(share).replace(" %", "\u00a0%")

/** "81.3 %": a rate beside a difference in points. */
export const rate = (share: number): string => `${(share * 100).toFixed(1)}\u00a0%`

/** "$9,825.51" */
const cents = (usd: number): string =>
  `$${usd.toLocaleString("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`

/** What one call costs: "$0.00123", "$1,204.50". */
export const price = (usd: number): string => usd < 1 ? Words.dollars(usd) : cents(usd)

/** Smallest sum that is rounded to cents, USD; a smaller one is spelled like a price. */
const centsFrom = 0.1

const magnitude = (usd: number): string => usd < centsFrom ? price(usd) : cents(usd)

/** A sum of money: "$1,204.50", "−$0.05"; losses keep their sign. */
export const money = (usd: number): string => usd < 0 ? `−${magnitude(-usd)}` : magnitude(usd)

/** Smallest sum that is read without its cents, USD. */
const wholeFrom = 100

/** "$9,721", "$75.20": a sum of a sentence. */
export const sum = (usd: number): string =>
  Math.abs(usd) < wholeFrom ? money(usd) : money(Math.round(usd)).replace(/\.00$/, "")

/** "$2,500": a label of an axis, where whole dollars need no cents. */
export const moneyTick = (usd: number): string => money(usd).replace(/\.00$/, "")

/** "$1.10 to $5.00": the ends of an interval, each rounded away from the other, so that none is narrowed. */
export const sumRange = (low: number, high: number): string => {
  const outward = (usd: number, round: (cents: number) => number): number =>
    Math.abs(usd) < centsFrom ? usd : round(Number((usd * 100).toPrecision(12))) / 100
  return `${money(outward(low, Math.floor))} to ${money(outward(high, Math.ceil))}`
}

/** "$2,395 to $4,828": the same in whole dollars from a hundred on, for a place with little room. */
export const roughRange = (low: number, high: number): string => {
  const rounded = (usd: number, round: (usd: number) => number) =>
    sum(Math.abs(usd) < wholeFrom ? usd : round(usd))
  return `${rounded(low, Math.floor)} to ${rounded(high, Math.ceil)}`
}

export const priceOr = (usd: number | null): string => usd === null ? "not known" : price(usd)
export const shareOr = (share: number | null): string => share === null ? "not known" : percent(share)

/** "30 % less", "2 % more": what was paid compared with `of`. */
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

/** "2.4 points": a distance of shares. */
export const pointsOr = (share: number | null): string => share === null ? "not known" : points(share)

/** "21 Nov, 14:05" in the reader's own time. */
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

/** Whether a cluster is of whole runs of agents. */
export const isRun = (cluster: string): boolean => cluster.split(":")[2] === "run"

/** A cluster in words: `code:medium:run` is `medium code, in runs of agents`. */
export const kindOfTask = (cluster: string, saysRun = isRun(cluster)): string => {
  const [type = "", difficulty = ""] = cluster.split(":")
  const kind = `${difficulty} ${type.replaceAll("_", " ")}`.trim()
  return saysRun ? `${kind}, in runs of agents` : kind
}

/** A model, and its level of effort where it has one, as a request names them: "gpt-5#low". */
export const modelName = (modelId: string, effort?: string): string =>
  writtenOf({ modelId, ...(effort === undefined ? {} : { effort }) })
