/* Memory writes as JSON: how a report keeps them until a remote memory has taken them. */
import { Effect, Schema } from "effect"
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { NewLesson, Observation, Reinforcement, StepRewards } from "./MemoryPayloads.ts"

/** A write without its account, which is a column of the report's row. */
const LoggedWrite = Schema.toCodecJson(Schema.Union([
  Schema.Struct({ kind: Schema.Literal("teach"), body: Observation }),
  Schema.Struct({ kind: Schema.Literal("reinforce"), body: Reinforcement }),
  Schema.Struct({ kind: Schema.Literal("recordSteps"), body: StepRewards }),
  Schema.Struct({ kind: Schema.Literal("promote"), body: NewLesson })
]))

const encode = Schema.encodeSync(LoggedWrite)
const decode = Schema.decodeUnknownEffect(LoggedWrite)

/**
 * Writes as JSON, in order; null for none. It throws for a write that cannot be encoded: its report must not
 * be acknowledged.
 */
export const encodeWrites = (writes: ReadonlyArray<MemoryWrite>): ReadonlyArray<unknown> | null =>
  writes.length === 0 ? null : writes.map((write) => encode(write))

/** One write of the account, from its JSON. */
export const decodeWrite = (
  accountId: AccountId,
  json: unknown
): Effect.Effect<MemoryWrite, Schema.SchemaError> =>
  // The body is of its kind.
  Effect.map(decode(json), ({ body, kind }) => ({ kind, body: { ...body, accountId } }) as MemoryWrite)
