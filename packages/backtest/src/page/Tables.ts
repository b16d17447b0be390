/* The tables of a backtest's page. */
import { type Content, element, type Element, table } from "../../../dashboard/src/Element.ts"
import { price } from "../../../dashboard/src/Figures.ts"
import type { BacktestPolicy, BacktestReport, Interval } from "../Report.ts"
import { count, share, span } from "../Sentences.ts"
import { callsShown, callsTitle, titleOf } from "./Titles.ts"

/** A figure and its interval, which a narrow column breaks between the two alone. */
const unbroken = (figure: string, interval: string): string =>
  [figure, interval].map((part) => part.replaceAll(" ", "\u00a0")).join(" ")

const withSpan = (estimate: Interval | null, of: (value: number) => string): string =>
  estimate === null
    ? "not enough to tell"
    : unbroken(of(estimate.value), `(${of(estimate.low)} to ${of(estimate.high)})`)

const shares = (estimate: Interval | null): string =>
  estimate === null ? "not enough to tell" : unbroken(share(estimate.value), `(${span(estimate)})`)

/** A price of as many calls as are shown. */
const priceShown = (usd: number): string => price(usd * callsShown)

const saving = ({ saving, verdict }: BacktestPolicy): string => {
  if (verdict === "baseline") return "the baseline"
  return verdict === "not_enough" ? "not enough to tell" : shares(saving)
}

const hiddenCause = ({ hiddenCauseOdds }: BacktestPolicy): string => {
  if (hiddenCauseOdds === null) return "–"
  return hiddenCauseOdds >= 50 ? "over 50 times" : `${hiddenCauseOdds.toFixed(1)} times`
}

const strong = (policy: BacktestPolicy): Content =>
  policy.picks !== null ? element("strong", {}, titleOf(policy)) : titleOf(policy)

/** All ways of choosing, with what the log shows of each. */
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
    { title: "Hidden cause that undoes it", cell: hiddenCause, isNumeric: true }
  ], policies)

/** The models as the log shows them. */
export const candidateTable = ({ candidates }: BacktestReport): Element =>
  table("What each model came to on its own calls", [
    { title: "Model", cell: ({ modelId }) => modelId },
    { title: "Calls", cell: ({ rows }) => count(rows), isNumeric: true },
    { title: "Labelled", cell: ({ labelled }) => count(labelled), isNumeric: true },
    {
      title: "Success", isNumeric: true,
      cell: ({ success }) => success === null ? "not known" : share(success)
    },
    {
      title: `Cost of ${callsTitle}`, isNumeric: true,
      cell: ({ costUsd }) => costUsd === null ? "not known" : priceShown(costUsd)
    }
  ], candidates)

/** What each slider and value would have picked. */
export const picksTable = ({ policies }: BacktestReport): Element =>
  table("What each slider would have picked", [
    { title: "Slider", cell: ({ name, slider }) => slider === null ? name : String(slider) },
    {
      title: "Models",
      cell: ({ picks }) => (picks ?? []).map((pick) => `${pick.modelId} ${share(pick.share)}`).join(", ")
    }
  ], policies.filter(({ picks }) => picks !== null))
