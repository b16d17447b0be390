/* A backtest's report as a single HTML file without a script. */
import { createHash } from "node:crypto"
import { element, type Element, folded, note, paragraph, section } from "../../../dashboard/src/Element.ts"
import { htmlOf } from "../../../dashboard/src/Html.ts"
import { style } from "../../../dashboard/src/Style.ts"
import type { BacktestReport } from "../Report.ts"
import { calls, count, share, span } from "../Sentences.ts"
import { policyTable } from "./Tables.ts"

// In a window of medium width, an interval is below its figure.
const ownStyle = `
tbody th { min-width: 7.5rem; }
@media (min-width: 40.01rem) and (max-width: 64rem) { td.number { white-space: normal; } }
`

/** The first section: one figure with its interval, and the headline. */
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

const leftOutWords = ({ log: { leftOut } }: BacktestReport): ReadonlyArray<string> =>
  leftOut.map((each) => `Left out: ${count(each.count)} ${each.meaning}.`)

const day = (iso: string | null): string => iso?.slice(0, 10) ?? "?"

const ways = (report: BacktestReport): Element =>
  section(
    "ways",
    "Ways of choosing",
    note(`Sliders are what Sextant picks; "always" is one model for every call. Savings are against `
      + "what was spent. In brackets: 95 % intervals."),
    policyTable(report)
  )

const bodyOf = (report: BacktestReport): Element => {
  const { log, notes, policies } = report
  return element(
    "body",
    {},
    element("header", {}, element(
      "div", { class: "brand" },
      element("h1", {}, "Backtest"),
      element("p", {}, `${calls(log.rows)}, ${day(log.from)} to ${day(log.to)}`)
    )),
    element(
      "main", {},
      finding(report),
      ...(policies.length === 0 ? [] : [ways(report)]),
      limits(report),
      folded(
        "How this was made",
        element("ul", { class: "plain" },
          ...[...notes, ...leftOutWords(report)].map((each) => element("li", {}, each)))
      )
    ),
    element("footer", {}, "Made by sextant backtest on this machine. Nothing of the log was sent anywhere.")
  )
}

/** A page as a single HTML file. Its content policy allows its own style and nothing else. */
export const documentOf = (title: string, body: Element): string => {
  const ownStyles = `${style}${ownStyle}`
  const hash = createHash("sha256").update(ownStyles).digest("base64")
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  const head = [
    element("meta", { charset: "utf-8" }),
    element("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "referrer", content: "no-referrer" }),
    element("title", {}, title)
  ].map(htmlOf).join("")
  const styles = `<style>${ownStyles}</style>`
  return `<!doctype html><html lang="en"><head>${head}${styles}</head>${htmlOf(body)}</html>\n`
}

/** The page of a backtest as HTML. */
export const pageOf = (report: BacktestReport): string =>
  documentOf("Backtest of a log of model calls", bodyOf(report))
