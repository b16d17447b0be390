/* The table of a backtest's page. */
import { type Content, element, type Element, table } from "../../../dashboard/src/Element.ts"
import { price } from "../../../dashboard/src/Figures.ts"
import type { BacktestPolicy, BacktestReport, Interval } from "../Report.ts"
import { count, share, span, titleOf } from "../Sentences.ts"

/** Number of calls in a shown cost, because the cost of one call is too small to read. */
export const callsShown = 1_000

/** "1,000 calls" */
export const callsTitle = `${callsShown.toLocaleString("en-GB")} calls`

/** A figure and its interval. A narrow column breaks the line only between the two. */
const unbroken = (figure: string, interval: string): string =>
  [figure, interval].map((part) => part.replaceAll(" ", "\u00a0")).join(" ")

const withSpan = (estimate: Interval | null, of: (value: number) => string): string =>
  estimate === null
    ? "?"
    : unbroken(of(estimate.value), `(${of(estimate.low)} to ${of(estimate.high)})`)

const shares = (estimate: Interval | null): string =>
  estimate === null ? "?" : unbroken(share(estimate.value), `(${span(estimate)})`)

/** The price of {@link callsShown} calls. */
const priceShown = (usd: number): string => price(usd * callsShown)

const saving = (policy: BacktestPolicy): string =>
  policy.verdict === "baseline" ? "what was spent" : shares(policy.saving)

const strong = (policy: BacktestPolicy): Content =>
  policy.picks !== null ? element("strong", {}, titleOf(policy)) : titleOf(policy)

/** All ways of choosing with their estimates. */
export const policyTable = ({ policies }: BacktestReport): Element =>
  table("Each way of choosing, with 95 % intervals", [
    { title: "Way", cell: strong },
    { title: "Saving", cell: saving, isNumeric: true },
    { title: "Success", cell: ({ success }) => shares(success), isNumeric: true },
    {
      title: `Cost of ${callsTitle}`, isNumeric: true,
      cell: ({ costUsd }) => withSpan(costUsd, priceShown)
    },
    { title: "Calls that show it", cell: ({ matchedShare }) => share(matchedShare), isNumeric: true },
    {
      title: "Labelled (worth)", isNumeric: true,
      cell: ({ effectiveSampleSize, matchedLabelled }) =>
        `${count(matchedLabelled)} (${count(effectiveSampleSize)})`
    },
    {
      title: "Picks",
      cell: ({ picks }) => (picks ?? []).map((pick) => `${pick.modelId} ${share(pick.share)}`).join(", ")
    }
  ], policies)
