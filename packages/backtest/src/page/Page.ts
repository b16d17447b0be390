/* A backtest's report as a single HTML file without a script. */
import { createHash } from "node:crypto"
import {
  type Content, element, type Element, folded, note, paragraph, section, table
} from "../../../dashboard/src/Element.ts"
import { price } from "../../../dashboard/src/Figures.ts"
import { type StaticPage, staticPage } from "../../../dashboard/src/StaticPage.ts"
import { style } from "../../../dashboard/src/Style.ts"
import type { BacktestPolicy, BacktestReport, Interval } from "../Report.ts"
import { calls, count, day, leftOutWords, share, span, titleOf } from "../Sentences.ts"

// In a browser window of medium width, an interval may stand below its figure.
const ownStyle = `
tbody th { min-width: 7.5rem; }
@media (min-width: 40.01rem) and (max-width: 64rem) { td.number { white-space: normal; } }
`

const finding = ({ best: { saving, verdict }, headline }: BacktestReport): Element => {
  const figures = {
    saves: saving === null ? "" : `${share(saving.value)} less`,
    not_shown: "No saving shown", none: "Nothing as good for less", not_enough: "Not enough to tell"
  }
  const isShown = verdict === "saves"
  return element(
    "section", { class: "first", "aria-labelledby": "finding" },
    element(
      "div", { class: "hero" },
      element("h2", { id: "finding" }, "What this log says"),
      element("p", { class: isShown ? "figure" : "figure unknown" }, figures[verdict]),
      saving === null ? null : element("p", { class: "within" }, `95 % interval: ${span(saving)} saved`),
      element("p", { class: "basis" }, headline)
    )
  )
}

const limits = ({ assumption, untold }: BacktestReport): Element =>
  section(
    "limits",
    "What the log cannot tell",
    untold === null ? null : paragraph(untold.sentence),
    paragraph(assumption)
  )

/** Costs are shown for this many calls, because the cost of one call is too small to read. */
const callsShown = 1_000

/** Joins a figure and its interval, so that a line can break only between the two. */
const unbroken = (figure: string, interval: string): string =>
  [figure, interval].map((part) => part.replaceAll(" ", "\u00a0")).join(" ")

const withSpan = (estimate: Interval | null, of: (value: number) => string): string =>
  estimate === null
    ? "?"
    : unbroken(of(estimate.value), `(${of(estimate.low)} to ${of(estimate.high)})`)

const shares = (estimate: Interval | null): string =>
  estimate === null ? "?" : unbroken(share(estimate.value), `(${span(estimate)})`)

const priceShown = (usd: number): string => price(usd * callsShown)

const saving = (policy: BacktestPolicy): string =>
  policy.verdict === "baseline" ? "what was spent" : shares(policy.saving)

const strong = (policy: BacktestPolicy): Content =>
  policy.picks !== null ? element("strong", {}, titleOf(policy)) : titleOf(policy)

const policyTable = ({ policies }: BacktestReport): Element =>
  table("Each way of choosing, with 95 % intervals", [
    { title: "Way", cell: strong },
    { title: "Saving", cell: saving, isNumeric: true },
    { title: "Success", cell: ({ success }) => shares(success), isNumeric: true },
    {
      title: `Cost of ${calls(callsShown)}`, isNumeric: true,
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

const ways = (report: BacktestReport): Element =>
  section(
    "ways",
    "Ways of choosing",
    note(`Sliders are what Sextant picks; "always" is one model for every call. Savings are against `
      + "what was spent. In brackets: 95 % intervals."),
    policyTable(report)
  )

/** Makes a page in one HTML file. The page's content security policy allows the page's own style alone. */
export const documentOf = (page: Omit<StaticPage, "styles" | "styleSource">): string => {
  const styles = `${style}${ownStyle}`
  const hash = createHash("sha256").update(styles).digest("base64")
  return staticPage({ ...page, styles, styleSource: `'sha256-${hash}'` })
}

export const pageOf = (report: BacktestReport): string => {
  const { log, notes, policies } = report
  return documentOf({
    title: "Backtest of a log of model calls",
    brand: "Backtest",
    subtitle: `${calls(log.rows)}, ${day(log.from)} to ${day(log.to)}`,
    sections: [
      finding(report),
      ...(policies.length === 0 ? [] : [ways(report)]),
      limits(report),
      folded(
        "How this was made",
        element("ul", { class: "plain" },
          ...[...notes, ...leftOutWords(report)].map((each) => element("li", {}, each)))
      )
    ],
    foot: "Made by sextant backtest on this machine. Nothing of the log was sent anywhere."
  })
}
