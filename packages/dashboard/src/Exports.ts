/* The exports of the page: one CSV file for each section that shows rows. */
import type { Answers, ClusterRow, Dashboard, PolicyRow, Recent, TaskFigures } from "./Answers.ts"
import { type Cell, type CsvColumn, csvOf } from "./Csv.ts"
import { type GuaranteeRow, guaranteeRows } from "./GuaranteeSection.ts"
import { costKinds, type Saved } from "./SavingTiers.ts"

/** The figures of a section as a file. */
interface Export {
  readonly fileName: string
  readonly text: () => string
}

type Day = Dashboard["savings_by_day"][number]

type CellField<Row> =
  & { [K in keyof Row]-?: Row[K] extends Cell | undefined ? K : never }[keyof Row]
  & string

/** The fields of a row whose values are cells, under the names that the API gives them. */
const fields = <Row>(
  ...names: ReadonlyArray<CellField<Row>>
): ReadonlyArray<CsvColumn<Row>> =>
  // The type of `names` admits only fields that hold a cell.
  names.map((name) => ({ name, cell: (row) => (row[name] ?? null) as Cell }))

/** Columns of a part of a row, which may lack it. */
const within = <Row, Part>(
  columns: ReadonlyArray<CsvColumn<Part>>,
  nameOf: (name: string) => string,
  partOf: (row: Row) => Part | null
): ReadonlyArray<CsvColumn<Row>> =>
  columns.map(({ cell, name }) => ({
    name: nameOf(name),
    cell: (row) => {
      const part = partOf(row)
      return part === null ? null : cell(part)
    }
  }))

const ofSaved = fields<Saved>(
  "n", "n_same_model", "cost_usd", "cost_baseline_usd", "savings_usd", "savings_low_usd", "savings_high_usd",
  "basis", "n_missing", "is_significant"
)

const ofDay: ReadonlyArray<CsvColumn<Day>> = [
  ...fields<Day>("day"),
  { name: "recommendations", cell: ({ summary }) => summary.estimated.n },
  { name: "billed_usd", cell: ({ summary }) => summary.spend.billed_usd },
  { name: "list_prices_usd", cell: ({ summary }) => summary.spend.list_prices_usd },
  { name: "n_followed", cell: ({ summary }) => summary.followed?.n_followed ?? null },
  ...costKinds.flatMap(({ of, prefix }) =>
    within(ofSaved, (name) => `${prefix}${name}`, ({ summary }: Day) => of(summary)))
]

const ofTasks = fields<TaskFigures>(
  "n", "n_finished", "n_finished_at_first", "n_abandoned", "n_open", "n_unknown", "finished_share",
  "finished_low", "finished_high", "attempts_per_task", "n_costed", "cost_per_finished_usd", "cost_low_usd",
  "cost_high_usd"
)

const ofModel = fields<ClusterRow>(
  "cluster", "model_id", "effort", "n_recommended", "n_outcomes", "success_rate", "success_low",
  "success_high", "predicted_success", "n_billed", "mean_cost_usd", "n_cost_outliers",
  "mean_cost_without_outliers_usd"
)

const ofPolicy = fields<PolicyRow>(
  "policy", "model_id", "effort", "n", "success_value", "success_low", "success_high", "cost_value",
  "matched_share", "effective_sample_size", "basis"
)

const ofCandidate = fields<NonNullable<GuaranteeRow["candidate"]>>(
  "model_id", "state", "success", "baseline_success", "outcomes", "outcomes_needed", "proven_loss",
  "evidence_since"
)

const ofGuarantee: ReadonlyArray<CsvColumn<GuaranteeRow>> = [
  ...within(
    fields<GuaranteeRow["kind"]>(
      "lane", "task_type", "baseline_model_id", "max_quality_loss", "confidence", "tasks"
    ),
    (name) => name,
    ({ kind }: GuaranteeRow) => kind
  ),
  ...within(
    ofCandidate,
    (name) => name === "model_id" ? "candidate_model_id" : name,
    ({ candidate }: GuaranteeRow) => candidate
  )
]

type Reported = NonNullable<Recent["outcome"]>

const ofDecision: ReadonlyArray<CsvColumn<Recent>> = [
  ...fields<Recent>(
    "recommendation_id", "created_at", "lane", "cluster", "recommended_model_id", "recommended_effort",
    "predicted_success", "threshold", "est_cost_usd", "cost_premium_usd", "baseline_model_id",
    "cost_declared_usd", "decision_basis", "shadow"
  ),
  { name: "warnings", cell: ({ warnings }) => warnings.join(" ") },
  ...fields<Recent>("rationale"),
  ...within(
    fields<Reported>(
      "feedback_at", "model_id", "effort", "outcome", "quality", "provenance", "teaches", "actual_cost_usd",
      "computed_cost_usd"
    ),
    (name) => name === "outcome" ? "outcome" : `outcome_${name}`,
    ({ outcome }: Recent) => outcome
  )
]

/** The rows of the sections that can be exported. */
const files: {
  readonly [section: string]: (answers: Answers) => { readonly n: number; readonly text: () => string }
} = (() => {
  const made = <Row>(
    columns: ReadonlyArray<CsvColumn<Row>>,
    rowsOf: (answers: Answers) => ReadonlyArray<Row>
  ) =>
  (answers: Answers) => {
    const rows = rowsOf(answers)
    return { n: rows.length, text: () => csvOf(columns, rows) }
  }
  return {
    spend: made(ofDay, ({ dashboard }) => dashboard.savings_by_day),
    guarantee: made(ofGuarantee, ({ guarantees }) => guarantees === null ? [] : guaranteeRows(guarantees)),
    tasks: made(ofTasks, ({ savings }) => savings.tasks == null ? [] : [savings.tasks]),
    policies: made(ofPolicy, ({ policyValue }) => policyValue.report.policies),
    models: made(ofModel, ({ dashboard }) => dashboard.cluster_models),
    decisions: made(ofDecision, ({ calls, dashboard }) => calls?.decisions ?? dashboard.decisions)
  }
})()

/** The figures of a section as a file; null where it has no rows. */
export const exportOf = (answers: Answers, section: string): Export | null => {
  const { n, text } = files[section]?.(answers) ?? { n: 0, text: () => "" }
  return n === 0 ? null : { fileName: `sextant-${section}-${answers.savings.days}-days.csv`, text }
}
