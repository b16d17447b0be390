/* Encodes and decodes the stored answers of applied feedbacks. */
import { Effect, Schema } from "effect"
import { FeedbackResponse } from "../../domain/feedback/Feedback.ts"
import { FeedbackWarning } from "../../domain/Warning.ts"
import { wireEncoder } from "../../domain/wire/WireEncoding.ts"
import type { ReportKey, RepeatedReport } from "../ReportSubmission.ts"

const Stored = Schema.Struct({
  fingerprint: Schema.String,
  response: Schema.toCodecJson(FeedbackResponse)
})
const decodeStrictly = Schema.decodeUnknownEffect(Stored)

const WithWarnings = Schema.Struct({
  response: Schema.StructWithRest(
    Schema.Struct({ warnings: Schema.Array(Schema.String) }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
})
const hasWarnings = Schema.is(WithWarnings)
const isWarning = Schema.is(FeedbackWarning)

export const encodeResponse = wireEncoder(FeedbackResponse)

/** Decodes the answer that is stored under a key, and drops warnings that only a newer version knows. */
export const storedAnswer = Effect.fnUntraced(function*(
  row: object,
  { fingerprint }: ReportKey
): Effect.fn.Return<RepeatedReport, Schema.SchemaError> {
  const stored = yield* decodeStrictly(
    hasWarnings(row)
      ? { ...row, response: { ...row.response, warnings: row.response.warnings.filter(isWarning) } }
      : row
  )
  return {
    response: stored.response,
    reception: stored.fingerprint === fingerprint ? "same" : "other"
  }
})
