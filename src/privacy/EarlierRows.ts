/* Reads the rows that earlier versions exported as those of this one. */
import type { Line } from "./AccountFile.ts"

/** The columns of a decision's feedback, which stood in its row. */
const feedbackColumns = new Set([
  "feedback_at", "outcomes", "chosen_model_id", "outcome", "quality", "provenance", "error_cause", "teaches",
  "is_late", "actual_cost_usd", "computed_cost_usd", "input_tokens", "cached_input_tokens", "output_tokens",
  "reasoning_tokens", "actual_latency_ms", "time_to_first_token_ms"
])

/** Its sums of spending, which an import works out again. */
const noSums = { billed_usd: 0, billed_estimate_usd: 0, waiting_usd: 0, left_out_usd: 0 }

/**
 * A row's text with the words of this version. A source of a version before: of readers whom nobody knew, so
 * that it says no more than no source.
 */
export const presentWords = (text: string): string =>
  text.replaceAll('"provenance": "vote"', '"provenance": "assertion"')

/** The rows of this version that an earlier one's comes to. */
export const presentRows = ({ kind, row }: Line): ReadonlyArray<Pick<Line, "kind" | "row">> => {
  if (kind !== "decision" || !("outcomes" in row)) return [{ kind, row }]
  const { created_at, outcomes, recommendation_id, task_key } = row
  const decided = Object.fromEntries(Object.entries(row).filter(([column]) => !feedbackColumns.has(column)))
  const decision = { kind, row: decided }
  return outcomes === null
    ? [decision]
    : [decision, {
      kind: "outcome",
      row: { created_at, recommendation_id, outcomes, reported_task_key: task_key, ...noSums }
    }]
}
