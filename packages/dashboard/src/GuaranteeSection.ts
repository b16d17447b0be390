/* The section of guarantees: which cheaper models are held, and how far the evidence of the others is. */
import type { Answers, Guarantees } from "./Answers.ts"
import { shares } from "./charts/Axis.ts"
import { intervalChart, type IntervalRow } from "./charts/IntervalChart.ts"
import { asTable, type Column, element, type Element, note, section, table } from "./Element.ts"
import { count, counted, percent, points, shareOr } from "./Figures.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

type Kind = Guarantees["kinds"][number]
type Candidate = Kind["candidates"][number]

/** A candidate in a kind of task; the candidate is null where none was tried. */
export interface GuaranteeRow {
  readonly kind: Kind
  readonly candidate: Candidate | null
}

/** Rows of the chart and of the table, count: an account may have asked for many guarantees. */
const chartRows = 8
const tableRows = 100

const ranks = { held: 0, withdrawn: 1, earning: 2 } as const

/** The candidate that counts most comes first: a held one, then the one with most outcomes. */
const byStanding = (one: Candidate, other: Candidate): number =>
  ranks[one.state] - ranks[other.state] || other.outcomes - one.outcomes

/** Every candidate of every kind of task; what is held comes first, then the kinds with most tasks. */
export const guaranteeRows = ({ kinds }: Guarantees): ReadonlyArray<GuaranteeRow> =>
  kinds.toSorted((one, other) => ranks[one.state] - ranks[other.state] || other.tasks - one.tasks)
    .flatMap((kind): ReadonlyArray<GuaranteeRow> =>
      kind.candidates.length === 0
        ? [{ kind, candidate: null }]
        : kind.candidates.toSorted(byStanding).map((candidate) => ({ kind, candidate })))

/** "95 %", "99.9 %": never rounded up to certainty. */
const confidenceWords = (confidence: number): string => `${Number((100 * confidence).toFixed(1))}\u00a0%`

/** What a candidate still needs, in words. */
const neededWords = ({ outcomes_needed: needed, state }: Candidate): string => {
  if (state === "held") return "none, it is held"
  return needed === null ? "not in sight" : `about ${count(needed)}`
}

/** A few words, which leave room for the name on a narrow screen. */
const stateWords = ({ outcomes_needed: needed, proven_loss: loss, state }: Candidate): string => {
  if (state === "withdrawn") return "withdrawn"
  if (state === "held") return loss === null ? "held" : `held: within ${points(loss)}`
  return needed === null ? "not in sight" : `${count(needed)} to go`
}

/** How much of the evidence is there, by the outcomes that it takes, in [0, 1]. */
const gathered = ({ outcomes, outcomes_needed: needed, state }: Candidate): number => {
  if (state === "held") return 1
  return state === "withdrawn" || needed === null ? 0 : outcomes / Math.max(1, outcomes + needed)
}

const chartRowOf = ({ candidate, kind }: GuaranteeRow, isOneLane: boolean): ReadonlyArray<IntervalRow> => {
  if (candidate === null) return []
  const value = gathered(candidate)
  const place = isOneLane ? kind.task_type : `${namespaceOf(kind.lane)}, ${kind.task_type}`
  return [{
    name: `${place}: ${candidate.model_id}`, words: stateWords(candidate), value, low: 0, high: value,
    isHollow: candidate.state !== "held"
  }]
}

const chartOf = (rows: ReadonlyArray<GuaranteeRow>): Element | null => {
  const isOneLane = new Set(rows.map(({ kind }) => kind.lane)).size === 1
  const drawn = rows.flatMap((row) => chartRowOf(row, isOneLane)).slice(0, chartRows)
  return drawn.length === 0 ? null : intervalChart({
    label: `Evidence gathered. ${drawn.map(({ name, words }) => `${name}, ${words}`).join("; ")}.`,
    rows: drawn,
    domain: shares,
    tickLabel: percent,
    reference: { value: 1, name: "held" }
  })
}

const ofCandidate = (words: (candidate: Candidate) => string) => ({ candidate }: GuaranteeRow): string =>
  candidate === null ? "" : words(candidate)

const states = { held: "held", withdrawn: "withdrawn", earning: "gathering evidence" } as const

/** The state, and from when trials count where a model became another one. */
const stateSince = ({ evidence_since: since, state }: Candidate): string =>
  since === null ? states[state] : `${states[state]}, from nothing since ${since.slice(0, 10)}`

const columns: ReadonlyArray<Column<GuaranteeRow>> = [
  { title: "Namespace and kind", cell: ({ kind }) => `${namespaceOf(kind.lane)}, ${kind.task_type}` },
  {
    title: "Baseline, loss, confidence",
    cell: ({ kind }) =>
      `${kind.baseline_model_id}, ${points(kind.max_quality_loss)}, ${confidenceWords(kind.confidence)}`
  },
  { title: "Candidate", cell: ({ candidate }) => candidate?.model_id ?? "none yet" },
  {
    title: "State",
    cell: ({ candidate, kind }) => candidate === null ? states[kind.state] : stateSince(candidate)
  },
  { title: "Its success", cell: ofCandidate(({ success }) => shareOr(success)), isNumeric: true },
  {
    title: "Baseline's success", cell: ofCandidate((each) => shareOr(each.baseline_success)), isNumeric: true
  },
  { title: "Outcomes", cell: ofCandidate(({ outcomes }) => count(outcomes)), isNumeric: true },
  { title: "More needed", cell: ofCandidate(neededWords), isNumeric: true },
  {
    title: "Proven within",
    cell: ofCandidate(({ proven_loss: loss }) => loss === null ? "not yet" : points(loss)),
    isNumeric: true
  },
  { title: "Tasks of the kind", cell: ({ kind }) => count(kind.tasks), isNumeric: true }
]

/** "Held in 1 of 3 kinds of task, withdrawn in 1" */
const caption = ({ kinds }: Guarantees): string => {
  const withdrawn = kinds.filter(({ state }) => state === "withdrawn").length
  return `Held in ${kinds.filter(({ state }) => state === "held").length} of ${
    counted(kinds.length, "kind")
  } of task${withdrawn === 0 ? "" : `, withdrawn in ${withdrawn}`}`
}

const promise = ({ guarantee }: Guarantees): string =>
  guarantee === null
    ? "Requests ask for a guarantee of their own; the account has none."
    : `Cheaper models only once they are known to be that near, with ${
      confidenceWords(guarantee.confidence ?? 0.95)
    } confidence. ${guarantee.trial_share === 0
      ? "Trials are off."
      : `Trials run on at most ${percent(guarantee.trial_share ?? 0.2)} of the tasks.`}`

const titleOf = ({ guarantee }: Guarantees): string =>
  guarantee === null
    ? "Guarantees of requests"
    : `Guarantee: within ${points(guarantee.max_quality_loss ?? 0.05)} of ${guarantee.baseline_model_id}`

/** How the guarantees stand; null for an account that has none and whose requests have none. */
export const guaranteeSection = ({ guarantees }: Answers): Element | null => {
  if (guarantees === null) {
    return section("guarantee", "Guarantees", note("How the guarantees stand cannot be read now."))
  }
  const rows = guaranteeRows(guarantees)
  if (rows.length === 0) {
    return guarantees.guarantee === null ? null : section(
      "guarantee", titleOf(guarantees), note(promise(guarantees)),
      note("No recommendation that was made under it has been counted yet.")
    )
  }
  const leftOut = rows.length - tableRows
  return section(
    "guarantee",
    titleOf(guarantees),
    note(promise(guarantees)),
    element(
      "figure",
      {},
      element("figcaption", {}, caption(guarantees)),
      note("Share of the outcomes needed, about."),
      chartOf(rows),
      asTable(table("Candidates of guarantees", columns, rows.slice(0, tableRows)))
    ),
    leftOut <= 0 ? null : note(`${counted(leftOut, "more candidate")} in the export.`)
  )
}
