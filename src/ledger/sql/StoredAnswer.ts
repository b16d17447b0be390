/* The answers of settled feedbacks as their rows keep them: as planned, and what was written. */
import { Effect, Schema } from "effect"
import { FeedbackResponse } from "../../domain/Feedback.ts"
import { FeedbackWarning } from "../../domain/Warning.ts"
import { wireEncoder } from "../../domain/wire/WireEncoding.ts"
import { type Claim, completed, type SettledFeedback } from "../Settlement.ts"

const Absent = <S extends Schema.Constraint>(schema: S) => Schema.NullOr(schema)

const Stored = Schema.Struct({
  fingerprint: Schema.String,
  response: Schema.toCodecJson(FeedbackResponse),
  written: Absent(Schema.Struct({
    version: Absent(Schema.Finite),
    recordId: Absent(Schema.String),
    laneTaught: Absent(Schema.Finite),
    isDue: Absent(Schema.Boolean),
    entryIds: Absent(Schema.Array(Schema.String)),
    updatedConfidence: Absent(Schema.Finite),
    stepsRecorded: Absent(Schema.Finite)
  }))
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

/** An answer as it is stored. */
export const encodeResponse = wireEncoder(FeedbackResponse)

/** The answer that is stored under a claim, without the warnings of a newer version. */
export const storedAnswer = Effect.fnUntraced(function*(
  row: object,
  { fingerprint }: Claim
): Effect.fn.Return<SettledFeedback, Schema.SchemaError> {
  const stored = yield* decodeStrictly(
    hasWarnings(row)
      ? { ...row, response: { ...row.response, warnings: row.response.warnings.filter(isWarning) } }
      : row
  )
  return {
    response: completed(stored.response, stored.written),
    claim: stored.fingerprint === fingerprint ? "same" : "other"
  }
})
