/* Latency and broken calls by model. */
import type { Answers, Dashboard } from "./Answers.ts"
import { type Column, type Element, figures, note, section, table } from "./Element.ts"
import { count, counted, interval, nameOf, percent } from "./Figures.ts"
import * as Words from "../../../src/domain/text/Words.ts"
import { interval95 } from "../../../src/stats/Wilson.ts"

type Row = NonNullable<Dashboard["model_calls"]>[number]

const brokenWords = ({ n, n_broken: broken }: Row): string => {
  const { high, low } = interval95(broken / n, n)
  return `${percent(broken / n)} (${interval(low, high)})`
}

const latencyWords = (ms: number | null): string => ms === null ? "not known" : Words.duration(ms)

const columns: ReadonlyArray<Column<Row>> = [
  { title: "Model", cell: nameOf },
  figures("Calls", ({ n }) => count(n)),
  figures("Half within", ({ latency_ms_p50: ms }) => latencyWords(ms)),
  figures("95 % within", ({ latency_ms_p95: ms }) => latencyWords(ms)),
  figures("Broken calls", ({ n_broken: broken }) => count(broken)),
  figures("Share (95 % interval)", brokenWords)
]

/** Shows latency and broken calls by model, over the newest reported calls; null if none was reported. */
export const speedSection = (
  { dashboard: { model_calls: rows = [] } }: Pick<Answers, "dashboard">
): Element | null =>
  rows.length === 0 ? null : section(
    "speed",
    "Latency and errors by model",
    note(`The newest ${counted(rows.reduce((n, each) => n + each.n, 0), "reported call")}. Broken: the`
      + " infrastructure failed, not the answer."),
    table("The newest calls, by model", columns, rows)
  )
