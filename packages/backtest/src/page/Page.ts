/* A backtest's report as a page in one file: no script, no picture or style from elsewhere. */
import { createHash } from "node:crypto"
import { element, type Element, folded, note, paragraph, section } from "../../../dashboard/src/Element.ts"
import { htmlOf } from "../../../dashboard/src/Html.ts"
import { style } from "../../../dashboard/src/Style.ts"
import type { BacktestReport } from "../Report.ts"
import { calls, count, taskSentences } from "../Sentences.ts"
import { pictures } from "./Charts.ts"
import { hero } from "./Hero.ts"
import { candidateTable, picksTable, policyTable } from "./Tables.ts"

const ownStyle = `
.terms { display: grid; gap: 0.2rem 2.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }
.terms p { max-width: 40rem; font-size: 0.95rem; }
tbody th { min-width: 7.5rem; }
@media (min-width: 40.01rem) and (max-width: 64rem) { td.number { white-space: normal; } }
main > section > .note + figure, figure + figure { margin-top: 0.9rem; }
`

/** What the log can and cannot tell: the assumption, and each policy of which it cannot tell enough. */
const limits = ({ assumption, policies, unknowable }: BacktestReport): Element => {
  const unknown = policies.filter(({ kind, verdict }) => kind !== "logged" && verdict === "not_enough")
  return section(
    "limits",
    "What the log cannot tell",
    element("div", { class: "terms" }, paragraph(assumption), paragraph(unknowable)),
    unknown.length === 0 ? null : element(
      "ul", { class: "plain" }, ...unknown.map(({ sentence }) => element("li", {}, sentence))
    )
  )
}

const leftOutWords = ({ log: { leftOut } }: BacktestReport): ReadonlyArray<string> =>
  leftOut.map((each) => `Left out: ${count(each.count)} ${each.meaning}.`)

const day = (iso: string | null): string => iso?.slice(0, 10) ?? "?"

/** How a reader finds the value of a point. */
const valueWords = "Of a value, Sextant picks what is worth most at that much a success. Find the point of "
  + "the plane where you want to be: its value is what one more success may cost you there, and what to send "
  + "as success_value_usd."

const ways = (report: BacktestReport): Element =>
  section(
    "ways",
    "Ways of choosing",
    note(`Sliders are what Sextant picks; "always" is one model for every call. Savings are against `
      + `${report.baseline}. Lines are 95 % intervals.`),
    ...(report.policies.some(({ kind }) => kind === "value") ? [note(valueWords)] : []),
    ...pictures(report),
    policyTable(report)
  )

const models = (report: BacktestReport): Element =>
  section(
    "models",
    "Models of the log",
    note("As the log shows them: each on the tasks that it was given, so that they do not compare."),
    candidateTable(report),
    picksTable(report)
  )

/** Calls as attempts at tasks: what these came to, and the plans that the log shows. */
const tasks = (report: BacktestReport): ReadonlyArray<Element> => {
  const [about, ...plans] = taskSentences(report)
  return about === undefined ? [] : [section(
    "tasks",
    "Tasks and second attempts",
    note(about),
    element("ul", { class: "plain" }, ...plans.map((each) => element("li", {}, each)))
  )]
}

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
      ...hero(report),
      ...(policies.length === 0 ? [] : [ways(report)]),
      ...tasks(report),
      limits(report),
      ...(report.candidates.length === 0 ? [] : [models(report)]),
      folded(
        "How this was made",
        element("ul", { class: "plain" },
          ...[...notes, ...leftOutWords(report)].map((each) => element("li", {}, each)))
      )
    ),
    element("footer", {}, "Made by sextant backtest on this machine. Nothing of the log was sent anywhere.")
  )
}

/** A page in one file. Its policy of content allows its own style and nothing else. */
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

/** The page of a backtest. */
export const pageOf = (report: BacktestReport): string =>
  documentOf("Backtest of a log of model calls", bodyOf(report))
