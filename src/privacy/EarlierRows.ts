/* Reads the rows that earlier versions exported as those of this one. */
import type { Line } from "./AccountFile.ts"
import type { AccountTable } from "./AccountTables.ts"

const required = { isNullable: false, hasDefault: false, isGenerated: false }
const optional = { ...required, hasDefault: true }

/** Tables that this version lacks, and whose rows it still takes: an import has a writer for each. */
export const earlierTables: ReadonlyArray<AccountTable> = [{
  name: "reinforcement",
  columns: [
    { name: "lane", type: "text", ...required },
    { name: "reinforcement_id", type: "uuid", ...required },
    { name: "voted_up", type: "uuid[]", ...optional },
    { name: "voted_down", type: "uuid[]", ...optional },
    { name: "told_at", type: "timestamp with time zone", ...optional }
  ]
}]

/** The columns of a decision's feedback, which stood in its row. */
const feedbackColumns = new Set([
  "feedback_at", "outcomes", "chosen_model_id", "outcome", "quality", "provenance", "error_cause", "teaches",
  "is_late", "actual_cost_usd", "computed_cost_usd", "input_tokens", "cached_input_tokens", "output_tokens",
  "reasoning_tokens", "actual_latency_ms", "time_to_first_token_ms"
])

/** Its sums of spending, which an import works out again. */
const noSums = { billed_usd: 0, billed_estimate_usd: 0, waiting_usd: 0, left_out_usd: 0 }

/**
 * A row's text with the words of this version. An earlier version had a source for unknown readers,
 * which says no more than none.
 */
export const presentWords = (text: string): string =>
  text.replaceAll('"provenance": "vote"', '"provenance": "assertion"')

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** The answer of a feedback as it was planned, with what was written to memory. */
const answered = (response: object, written: unknown): object => {
  if (!isObject(written)) return response
  const of: Readonly<Record<string, unknown>> = { ...written }
  const values = {
    record_id: of["recordId"], reflection_triggered: of["isDue"], reinforced_entry_ids: of["entryIds"],
    updated_confidence: of["updatedConfidence"], step_outcomes_recorded: of["stepsRecorded"]
  }
  return { ...response, ...Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)) }
}

/** A claim's key where its sender gave none. */
const derivedKey = /^derived:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):/

/**
 * A claim as the report that it belongs to; null where nothing says of which recommendation it was. An early
 * one has no report, and its key may still say it.
 */
const reportOf = ({ created_at, fingerprint, idempotency_key, report, response, written }: Line["row"]) => {
  if (!isObject(response)) return null
  const derived = derivedKey.exec(String(idempotency_key))?.[1] ?? null
  const { recommendationId, ...body } = { recommendationId: derived, ...(isObject(report) ? report : {}) }
  return recommendationId === null ? null : {
    kind: "report",
    // An import draws its revision.
    row: {
      revision: 0, recommendation_id: recommendationId, idempotency_key, fingerprint,
      reported_at: created_at, body, response: answered(response, written)
    }
  }
}

/** The answer to a feedback whose writes a memory elsewhere had not taken. */
const lateAnswer = {
  accepted: true, record_id: null, reinforced_entry_ids: [], updated_confidence: null,
  reflection_triggered: false, lesson_promoted: false, step_outcomes_recorded: 0,
  warnings: ["memory_write_failed"]
}

const writeKinds: ReadonlyArray<unknown> = ["teach", "reinforce", "recordSteps", "promote"]

/** A write that waited in a table of its own, as a report of its own: whose it was is not known. */
const undeliveredOf = ({ available_at, body, kind, outbox_id, refused_at }: Line["row"]) => {
  const writes = [{ kind, body }]
  return {
    kind: "report",
    row: {
      revision: 0, recommendation_id: outbox_id, idempotency_key: `outbox:${outbox_id}`, fingerprint: "",
      reported_at: available_at, body: {}, response: lateAnswer,
      writes: refused_at === null ? writes : null, refused: refused_at === null ? null : writes
    }
  }
}

/** The row of a decision, whose feedback stood in it, as that of the decision and that of its outcome. */
const decisionsOf = ({ kind, row }: Pick<Line, "kind" | "row">) => {
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

/** The rows of this version that an earlier one's comes to. */
export const presentRows = ({ kind, row }: Line): ReadonlyArray<Pick<Line, "kind" | "row">> => {
  if (kind === "feedback_key") return [reportOf(row) ?? { kind, row }]
  if (kind === "outbox" && writeKinds.includes(row["kind"])) return [undeliveredOf(row)]
  return kind === "decision" && "outcomes" in row ? decisionsOf({ kind, row }) : [{ kind, row }]
}
