/* The guarantees: the cheaper models that are held, and the evidence on the other candidates. */
import type { Answers, Guarantees } from "./Answers.ts"
import { type Column, element, type Element, figures, note, section, table } from "./Element.ts"
import { count, counted, percent, points, shareOr } from "./Figures.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

type Kind = Guarantees["kinds"][number]
type Candidate = Kind["candidates"][number]

/** A kind of task and one of its candidates, which is null if no candidate was tried on this kind. */
interface GuaranteeRow {
  readonly kind: Omit<Kind, "candidates">
  readonly candidate: Candidate | null
}

/** Maximum number of rows in the table of guarantees; the export has all rows. */
const tableRows = 100

const ranks = { held: 0, withdrawn: 1, earning: 2 } as const

/** One row for each candidate of each kind of task, and one row for a kind without candidates. */
export const guaranteeRows = ({ kinds }: Guarantees): ReadonlyArray<GuaranteeRow> =>
  kinds.toSorted((one, other) => ranks[one.state] - ranks[other.state] || other.tasks - one.tasks)
    .flatMap(({ candidates, ...kind }): ReadonlyArray<GuaranteeRow> =>
      candidates.length === 0 ? [{ kind, candidate: null }] : candidates
        .toSorted((one, other) => ranks[one.state] - ranks[other.state] || other.outcomes - one.outcomes)
        .map((candidate) => ({ kind, candidate })))

/** "95 %", "99.9 %": a confidence in percent, with at most one decimal. */
const confidenceWords = (confidence: number): string => `${Number((100 * confidence).toFixed(1))}\u00a0%`

const states = { held: "held", withdrawn: "withdrawn", earning: "gathering evidence" } as const

/** A candidate's state: "held: within 5.0 points", "about 40 to go, from nothing since 2026-11-01". */
const stateWords = (candidate: Candidate): string => {
  const { evidence_since: since, outcomes_needed: needed, proven_loss: loss, state } = candidate
  const words = state === "withdrawn"
    ? states[state]
    : state === "held"
    ? loss === null ? states[state] : `held: within ${points(loss)}`
    : needed === null ? "not in sight" : `about ${count(needed)} to go`
  return since === null ? words : `${words}, from nothing since ${since.slice(0, 10)}`
}

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
    cell: ({ candidate, kind }) => candidate === null ? states[kind.state] : stateWords(candidate)
  },
  figures("Its success", ({ candidate }) => candidate === null ? "" : shareOr(candidate.success)),
  figures("Baseline's", ({ candidate }) => candidate === null ? "" : shareOr(candidate.baseline_success)),
  figures("Outcomes", ({ candidate }) => candidate === null ? "" : count(candidate.outcomes)),
  figures("Tasks of the kind", ({ kind }) => count(kind.tasks))
]

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

/** The section of guarantees; null if there is none to show. */
export const guaranteeSection = ({ guarantees }: Pick<Answers, "guarantees">): Element | null => {
  if (guarantees === null) {
    return section("guarantee", "Guarantees", note("How the guarantees stand cannot be read now."))
  }
  const { guarantee } = guarantees
  const rows = guaranteeRows(guarantees)
  if (rows.length === 0 && guarantee === null) return null
  return section(
    "guarantee",
    guarantee === null
      ? "Guarantees of requests"
      : `Guarantee: within ${points(guarantee.max_quality_loss ?? 0.05)} of ${guarantee.baseline_model_id}`,
    note(promise(guarantees)),
    rows.length === 0
      ? note("No recommendation that was made under it has been counted yet.")
      : element("figure", {}, table(caption(guarantees), columns, rows.slice(0, tableRows))),
    rows.length <= tableRows
      ? null
      : note(`${counted(rows.length - tableRows, "more candidate")} in the export.`)
  )
}
