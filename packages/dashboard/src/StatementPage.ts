/* The statement of a month as a page, and as text for a terminal. */
import type { Statement } from "../../../src/domain/reports/Statement.ts"
import { element, type Element, paragraph, section, table } from "./Element.ts"
import { count, counted, money, rate, sumRange } from "./Figures.ts"
import { differenceRange, signedPoints } from "./Quality.ts"
import { savedSentences, tiersOf } from "./SavingTiers.ts"
import { staticPage } from "./StaticPage.ts"

type Stated = typeof Statement.Encoded

const fates: ReadonlyArray<readonly [Exclude<keyof Stated["decisions"], "n">, string]> = [
  ["by_bill", "counted by their bill"],
  ["at_list_prices", "counted at list prices: tokens and no bill"],
  ["not_reported", "left out: nothing was reported of them"],
  ["another_model", "left out: another model ran"],
  ["no_baseline", "left out: no baseline with a price was named"],
  ["no_cost", "left out: neither a bill nor tokens"],
  ["broken", "left out: the infrastructure broke the call"],
  ["outlier", "left out: a cost beyond belief"],
  ["shadow", "left out: asked in shadow"]
]

const fatesOf = ({ decisions }: Stated) =>
  fates.flatMap(([fate, words]) => decisions[fate] === 0 ? [] : [{ n: decisions[fate], words }])

/** "November 2026" */
const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString("en-GB", {
    month: "long", year: "numeric", timeZone: "UTC"
  })

const utc = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`

const sentencesOf = ({ decisions, savings: { comparison, summary } }: Stated): ReadonlyArray<string> => {
  if (decisions.n === 0) return ["The account has no decision of this month."]
  const { difference_high: high, difference_low: low } = comparison ?? {}
  const quality = comparison?.difference == null || comparison.success === null
    ? "Success against the baselines cannot be compared yet."
    : `${rate(comparison.success)} of the calls succeeded, and an estimated`
      + ` ${rate(comparison.baseline_success ?? 0)} would have with the baselines:`
      + ` ${signedPoints(comparison.difference)} (95 % interval`
      + ` ${differenceRange({ low: low ?? 0, high: high ?? 0 }).replace(" points", "")}).`
  return [savedSentences(summary), quality]
}

const caveatsOf = ({ is_running: isRunning, made_at: madeAt, reports: { n_missing: missing } }: Stated) => [
  ...(isRunning ? [`The month had not ended at ${utc(madeAt)}: these figures are of its first part.`] : []),
  ...(missing > 0
    ? [`${counted(missing, "report")} of this month ${missing === 1 ? "is" : "are"} no longer stored:`
      + " erased, or dropped by retention. Their decisions are in no figure."]
    : [])
]

const savingRows = ({ savings: { summary } }: Stated) =>
  tiersOf(summary).map(({ kind, saved }) => ({
    name: kind.isListed ? "at list prices" : "by bills",
    n: count(saved.n),
    cost: money(saved.cost_usd),
    baseline: money(saved.cost_baseline_usd),
    saving: money(saved.savings_usd),
    interval: saved.savings_low_usd === null || saved.savings_high_usd === null
      ? "not known" : sumRange(saved.savings_low_usd, saved.savings_high_usd)
  }))

export const statementTable = (stated: Stated): string => {
  const { account, decisions, made_at: madeAt, month, rows } = stated
  return [
    `${account}, ${monthName(month)}, as of ${utc(madeAt)}`,
    ...caveatsOf(stated),
    ...sentencesOf(stated),
    `${counted(decisions.n, "decision")}:`,
    ...fatesOf(stated).map(({ n, words }) => `${count(n).padStart(9)}  ${words}`),
    `SHA-256 over ${counted(rows.n, "row")}, ${rows.since} to ${rows.until}: ${rows.sha256}`
  ].join("\n")
}

const sectionsOf = (stated: Stated, command: string): ReadonlyArray<Element> => {
  const { account, decisions, method, month, reports, rows } = stated
  return [
    section(
      "saving", "What was saved",
      ...[...caveatsOf(stated), ...sentencesOf(stated)].map(paragraph),
      decisions.n === 0 ? null : table("The saving", [
        { title: "Costs", cell: ({ name }) => name },
        { title: "Decisions", cell: ({ n }) => n, isNumeric: true },
        { title: "Cost", cell: ({ cost }) => cost, isNumeric: true },
        { title: "Baselines", cell: ({ baseline }) => baseline, isNumeric: true },
        { title: "Saved", cell: ({ saving }) => saving, isNumeric: true },
        { title: "95 % interval", cell: ({ interval }) => interval, isNumeric: true }
      ], savingRows(stated))
    ),
    section(
      "decisions", `The ${counted(decisions.n, "decision")} of the month`,
      element("ul", { class: "plain" }, ...fatesOf(stated).map(({ n, words }) =>
        element("li", {}, element("strong", {}, count(n)), ` ${words}`)))
    ),
    section(
      "method", "Method",
      element("ul", { class: "plain" }, ...method.map((each) => element("li", {}, each)))
    ),
    section(
      "check", "Check it",
      paragraph(`The hash is over ${counted(rows.n, "row")} from ${rows.since} on, before ${rows.until}, as`
        + ` of report ${count(reports.revision)} of the account:`),
      element("pre", {}, `sha256 ${rows.sha256}`),
      paragraph("With the statement as JSON and an export of the account of the same time, anyone can make"
        + " the figures and the hash again:"),
      element("pre", {}, `${command} account export --instance ${account} ${account}.jsonl\n`
        + `${command} verify-statement ${account}-${month}.json --export ${account}.jsonl`)
    )
  ]
}

/** The statement as one HTML file; `command` is the command line that runs `sextant`. */
export const statementPage = (stated: Stated, command: string): string => {
  const { account, made_at: madeAt, month, service_version: version } = stated
  const subtitle = `${account}, ${monthName(month)}`
  return staticPage({
    title: `Sextant statement: ${subtitle}`,
    subtitle,
    sections: sectionsOf(stated, command),
    foot: paragraph(`Statement as of ${utc(madeAt)}, by Sextant ${version}. Days are UTC.`)
  })
}
