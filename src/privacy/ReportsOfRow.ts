/* The reports of an exported decision, also of one from before reports were kept. */
import type { ErrorCause, Outcome, Provenance } from "../domain/Feedback.ts"
import { reported, type ReportedOutcome } from "../domain/FeedbackPrecedence.ts"

type ExportedRow = Readonly<Record<string, unknown>>

const numberIn = (value: unknown): number | null => value == null ? null : Number(value)

/** A row's feedback, as the one report that it was. The table's checks refuse a word that no type has. */
const outcomesOf = (row: ExportedRow): ReadonlyArray<ReportedOutcome> =>
  reported([], {
    feedbackAt: new Date(String(row["feedback_at"])),
    chosenModelId: String(row["chosen_model_id"]),
    outcome: row["outcome"] as Outcome,
    quality: Number(row["quality"]),
    taughtQuality: Number(row["quality"]),
    provenance: row["provenance"] as Provenance,
    provenanceWeight: null,
    errorCause: (row["error_cause"] ?? null) as ErrorCause | null,
    teaches: row["teaches"] === true,
    isLate: row["is_late"] === true,
    actualCostUsd: numberIn(row["actual_cost_usd"]),
    computedCostUsd: numberIn(row["computed_cost_usd"]),
    inputTokens: numberIn(row["input_tokens"]),
    cachedInputTokens: numberIn(row["cached_input_tokens"]),
    outputTokens: numberIn(row["output_tokens"]),
    reasoningTokens: numberIn(row["reasoning_tokens"]),
    latencyMs: numberIn(row["actual_latency_ms"]),
    timeToFirstTokenMs: numberIn(row["time_to_first_token_ms"])
  }, 0, 1).outcomes

/** The row of a decision with the reports that its feedback combines. */
export const withReports = (row: ExportedRow): ExportedRow =>
  row["feedback_at"] == null || row["outcomes"] != null ? row : { ...row, outcomes: outcomesOf(row) }
