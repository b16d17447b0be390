/* Checks the columns of an export on which readers rely, and whose values the database does not check. */
import { Schema } from "effect"
import { AccountModels } from "../domain/account/AccountModels.ts"
import { ErrorCause, FeedbackResponse, Outcome, Provenance } from "../domain/feedback/Feedback.ts"
import { GuaranteeCheckpoint, GuaranteeTerms } from "../domain/account/Guarantee.ts"
import { ModelIdentity } from "../domain/model/ModelIdentity.ts"
import { KeptSignals } from "../domain/RunSignals.ts"
import { Moment } from "../domain/Time.ts"
import { UntriedCheaper } from "../domain/UntriedCheaper.ts"

const Texts = Schema.Array(Schema.String)
const Amount = Schema.NullOr(Schema.Finite)
const Revision = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Exports of older versions may lack the optional fields of the measurements. */
const Measurements = Schema.Struct({
  actualCostUsd: Amount, inputTokens: Amount, outputTokens: Amount, latencyMs: Amount,
  computedCostUsd: Schema.optionalKey(Amount), cachedInputTokens: Schema.optionalKey(Amount),
  reasoningTokens: Schema.optionalKey(Amount), timeToFirstTokenMs: Schema.optionalKey(Amount)
})

/** `outcome.outcomes`: for each model, the combined outcome of a decision's reports. */
const ReportedOutcomes = Schema.Array(Schema.Struct({
  modelId: Schema.String,
  revision: Revision,
  verdictRevision: Revision,
  label: Schema.Struct({
    feedbackAt: Moment,
    outcome: Outcome,
    quality: Schema.Finite,
    taughtQuality: Schema.Finite,
    provenance: Provenance,
    provenanceWeight: Amount,
    errorCause: Schema.NullOr(ErrorCause),
    teaches: Schema.Boolean,
    isLate: Schema.Boolean
  }),
  said: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)),
  billed: Measurements,
  measured: Measurements,
  signals: Schema.optionalKey(Schema.toType(KeptSignals))
}))

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const NotNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Anything = Schema.Record(Schema.String, Schema.Unknown)

type ColumnCodec = Schema.Codec<unknown, unknown>

/** Schemas of the checked columns, by table. `ledger/sql/DecisionFile` defines the tuples of a decision. */
const columns: Readonly<Record<string, Readonly<Record<string, ColumnCodec>>>> = {
  account_models: { document: AccountModels, identities: Schema.Array(ModelIdentity) },
  account_setting: { guarantee: GuaranteeTerms },
  decision: {
    predicted_success: Share,
    threshold: Share,
    success_value_usd: NotNegative,
    latency_ms: NotNegative,
    tags: Texts,
    warnings: Texts,
    candidates: Schema.Array(Schema.Tuple([Schema.String, Schema.Finite, Schema.Finite, Schema.Boolean])),
    neighbours: Schema.Array(Schema.Tuple([Schema.String, Schema.String, Schema.Finite])),
    forecasts: Schema.Array(
      Schema.Tuple([
        Schema.String, Schema.Finite, Schema.Finite, Schema.Finite, Schema.Finite,
        Schema.optionalKey(Schema.Finite), Schema.optionalKey(Schema.Array(Schema.Finite))
      ])
    ),
    untried_cheaper: Schema.toType(UntriedCheaper),
    task_vectors: Schema.Array(Schema.Tuple([Schema.String, Schema.Finite, Schema.String]))
  },
  outcome: { outcomes: ReportedOutcomes },
  // The elements of `writes` are not checked, because a delivery to memory sets unreadable writes aside.
  report: {
    response: Schema.toCodecJson(FeedbackResponse), body: Anything,
    writes: Schema.Array(Schema.Unknown), refused: Schema.Array(Schema.Unknown)
  },
  guarantee_evidence: { evidence: GuaranteeCheckpoint }
}

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
