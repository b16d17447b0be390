/* What the page can be exported as: one CSV file for each section that shows rows. */
import type { Answers, ClusterRow, PolicyRow, Recent } from "./Answers.ts"
import type { Day } from "./Bars.ts"
import { type GuaranteeRow, guaranteeRows } from "./GuaranteeSection.ts"
import { type Cell, type CsvColumn, csvOf } from "./Csv.ts"

/** The figures of a section as a file. */
export interface Export {
  /** The section, by the id of its heading. */
  readonly section: string
  readonly fileName: string
  readonly text: () => string
}

type CellField<Row> =
  & { [K in keyof Row]-?: Row[K] extends Cell | undefined ? K : never }[keyof Row]
  & string

/** The fields of a row whose values are cells, under the names that the API gives them. */
const fields = <Row>(
  ...names: ReadonlyArray<CellField<Row>>
): ReadonlyArray<CsvColumn<Row>> =>
  // The type of `names` admits only fields that hold a cell.
  names.map((name) => ({ name, cell: (row) => (row[name] ?? null) as Cell }))

const ofDay: ReadonlyArray<CsvColumn<Day>> = [
  ...fields<Day>("day"),
  ...fields<Day["summary"]["estimated"]>(
    "n", "cost_recommended_usd", "cost_premium_usd", "savings_vs_premium_usd", "n_declared",
    "cost_declared_usd", "savings_vs_declared_usd"
  ).map(({ cell, name }) =>
    ({ name: `estimated_${name}`, cell: ({ summary }: Day) => cell(summary.estimated) })),
  ...fields<Day["summary"]["realized"]>(
    "n_reconciled", "realized_cost_usd", "est_cost_premium_usd", "savings_vs_premium_est_usd", "n_declared",
    "est_cost_declared_usd", "savings_vs_declared_est_usd"
  ).map(({ cell, name }) => ({ name: `billed_${name}`, cell: ({ summary }: Day) => cell(summary.realized) }))
]

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
  "model_id", "state", "success", "baseline_success", "outcomes", "outcomes_needed", "proven_loss"
)

const ofGuarantee: ReadonlyArray<CsvColumn<GuaranteeRow>> = [
  ...fields<GuaranteeRow["kind"]>(
    "lane", "task_type", "baseline_model_id", "max_quality_loss", "confidence", "tasks"
  ).map(({ cell, name }) => ({ name, cell: ({ kind }: GuaranteeRow) => cell(kind) })),
  ...ofCandidate.map(({ cell, name }) => ({
    name: name === "model_id" ? "candidate_model_id" : name,
    cell: ({ candidate }: GuaranteeRow) => candidate === null ? null : cell(candidate)
  }))
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
  ...fields<Reported>(
    "feedback_at", "model_id", "effort", "outcome", "quality", "provenance", "teaches", "actual_cost_usd",
    "computed_cost_usd"
  ).map(({ cell, name }) => ({
    name: name === "outcome" ? "outcome" : `outcome_${name}`,
    cell: ({ outcome }: Recent) => outcome === null ? null : cell(outcome)
  }))
]

/** The exports of the sections that have rows. */
export const exportsOf = (
  { dashboard, guarantees, policyValue, savings }: Answers
): ReadonlyArray<Export> => {
  const made = <Row>(section: string, columns: ReadonlyArray<CsvColumn<Row>>, rows: ReadonlyArray<Row>) =>
    rows.length === 0 ? [] : [{
      section,
      fileName: `sextant-${section}-${savings.days}-days.csv`,
      text: () => csvOf(columns, rows)
    }]
  return [
    ...made("guarantee", ofGuarantee, guarantees === null ? [] : guaranteeRows(guarantees)),
    ...made("savings", ofDay, dashboard.savings_by_day),
    ...made("policies", ofPolicy, policyValue.report.policies),
    ...made("models", ofModel, dashboard.cluster_models),
    ...made("decisions", ofDecision, dashboard.decisions)
  ]
}
