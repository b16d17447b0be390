/* What the JSON columns of an exported account hold: readers take these shapes for granted. */
import { Schema } from "effect"
import { ErrorCause, EvidenceSource, FeedbackResponse, Outcome } from "../../domain/Feedback.ts"

const Texts = Schema.Array(Schema.String)
const Amount = Schema.NullOr(Schema.Finite)
const Revision = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Measurements = Schema.Struct({
  actualCostUsd: Amount, inputTokens: Amount, outputTokens: Amount, latencyMs: Amount
})

/** `decision.outcomes`: what its reports come to, model by model. */
const ReportedOutcomes = Schema.Array(Schema.Struct({
  modelId: Schema.String,
  revision: Revision,
  verdictRevision: Revision,
  label: Schema.Struct({
    feedbackAt: Schema.String.check(Schema.makeFilter((text) =>
      Number.isFinite(Date.parse(text)) ? undefined : "no time")),
    outcome: Outcome,
    quality: Schema.Finite,
    taughtQuality: Schema.Finite,
    provenance: Schema.Union([EvidenceSource, Schema.Literal("assertion")]),
    provenanceWeight: Amount,
    errorCause: Schema.NullOr(ErrorCause),
    teaches: Schema.Boolean,
    isLate: Schema.Boolean
  }),
  billed: Measurements,
  measured: Measurements
}))

const Anything = Schema.Record(Schema.String, Schema.Unknown)

type Codec = Schema.Codec<unknown, unknown>

/** By table and column; tuples are those of `ledger/sql/DecisionRow`. */
const columns: Readonly<Record<string, Readonly<Record<string, Codec>>>> = {
  decision: {
    tags: Texts,
    warnings: Texts,
    candidates: Schema.Array(Schema.Tuple([Schema.String, Schema.Finite, Schema.Finite, Schema.Boolean])),
    neighbours: Schema.Array(Schema.Tuple([Schema.String, Schema.String, Schema.Finite])),
    forecasts: Schema.Array(
      Schema.Tuple([Schema.String, Schema.Finite, Schema.Finite, Schema.Finite, Schema.Finite])
    ),
    task_vectors: Schema.Array(Schema.Tuple([Schema.String, Schema.Finite, Schema.String])),
    outcomes: ReportedOutcomes
  },
  feedback_key: { response: Schema.toCodecJson(FeedbackResponse), report: Anything },
  // A delivery decodes it, and refuses what cannot be read.
  outbox: { body: Anything }
}

/** What is wrong with the JSON of a table's row; null where it is as its readers expect. Null is no value. */
export const jsonChecker = (table: string) => {
  const checks = Object.entries(columns[table] ?? {}).map(([column, schema]) =>
    [column, Schema.decodeUnknownResult(schema)] as const)
  return (row: Readonly<Record<string, unknown>>): string | null => {
    for (const [column, decode] of checks) {
      const value = row[column]
      if (value === undefined || value === null) continue
      const decoded = decode(value)
      if (decoded._tag === "Failure") return `${column}: ${decoded.failure.message}`
    }
    return null
  }
}
