/* Memory writes as JSON. A report stores writes for a remote memory in this form. */
import { Effect, Schema } from "effect"
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { NewLesson, Observation, Reinforcement, StepRewards } from "./MemoryPayloads.ts"

/** A memory write without the account's id, which is a separate column of the report's row. */
const LoggedWrite = Schema.toCodecJson(Schema.Union([
  Schema.Struct({ kind: Schema.Literal("teach"), body: Observation }),
  Schema.Struct({ kind: Schema.Literal("reinforce"), body: Reinforcement }),
  Schema.Struct({ kind: Schema.Literal("recordSteps"), body: StepRewards }),
  Schema.Struct({ kind: Schema.Literal("promote"), body: NewLesson })
]))

const encode = Schema.encodeSync(LoggedWrite)
const decode = Schema.decodeUnknownEffect(LoggedWrite)

/** Encodes writes; null if there are none. Throws if a write cannot be encoded, so that its report fails. */
export const encodeWrites = (writes: ReadonlyArray<MemoryWrite>): ReadonlyArray<unknown> | null =>
  writes.length === 0 ? null : writes.map((write) => encode(write))

export const decodeWrite = (
  accountId: AccountId,
  json: unknown
): Effect.Effect<MemoryWrite, Schema.SchemaError> =>
  // The schema checks that the body is of its kind.
  Effect.map(decode(json), ({ body, kind }) => ({ kind, body: { ...body, accountId } }) as MemoryWrite)
