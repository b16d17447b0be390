/* The evidence of a guarantee as its checkpoint keeps it. */
import { Schema } from "effect"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Finite = Schema.Finite
const Capital = Schema.Array(Finite)
const Both = Schema.Tuple([Capital, Capital])
const Arm = Schema.Struct({ trials: Count, reports: Count, successes: Finite })

/** The shape of `GuaranteeEvidence` in `stats`. A copy that finds another one fails to read it, and warns. */
export const GuaranteeCheckpoint = Schema.Struct({
  starts: Count,
  kinds: Schema.Record(Schema.String, Schema.Struct({
    tasks: Count,
    candidates: Schema.Record(Schema.String, Schema.Struct({
      state: Schema.Literals(["earning", "held", "withdrawn"]),
      start: Count,
      withdrawals: Count,
      restsUntil: Count,
      wasHeld: Schema.Boolean,
      arms: Schema.Struct({ candidate: Arm, baseline: Arm }),
      rungs: Schema.NonEmptyArray(Schema.Struct({
        loss: Finite, capital: Both, best: Schema.Tuple([Finite, Finite])
      })),
      against: Both,
      since: Schema.optionalKey(Count)
    }))
  }))
})
