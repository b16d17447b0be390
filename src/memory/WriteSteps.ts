/* How a memory that is not in the ledger's database carries out writes: by a function for each kind. */
import { Context, Effect } from "effect"
import { noRows } from "../domain/WriteRows.ts"
import type { Around, Memory, MemoryUnavailable, PreparedWrites, WriteResult } from "./Memory.ts"
import type {
  MemoryWrite, NewLesson, Observation, Reinforced, Reinforcement, StepRewards, Taught, Written
} from "./MemoryWrite.ts"

/** What a driver does for a write of each kind. */
export interface WriteSteps {
  readonly teach: (outcome: Observation) => Effect.Effect<Taught, MemoryUnavailable>
  readonly reinforce: (reinforcement: Reinforcement) => Effect.Effect<Reinforced, MemoryUnavailable>
  /** How many steps are new. */
  readonly recordSteps: (rewards: StepRewards) => Effect.Effect<number, MemoryUnavailable>
  readonly promote: (lesson: NewLesson) => Effect.Effect<void, MemoryUnavailable>
}

/** Does nothing around an effect. */
export const untouched: Around = (self) => self

/** What surrounds each write: its span and duration, where telemetry is on. */
export const AroundWrite = Context.Reference<(kind: MemoryWrite["kind"]) => Around>(
  "sextant/memory/WriteSteps/AroundWrite",
  { defaultValue: () => () => untouched }
)

const writtenBy = (steps: WriteSteps, write: MemoryWrite): Effect.Effect<Written, MemoryUnavailable> => {
  switch (write.kind) {
    case "teach":
      return Effect.map(steps.teach(write.body), (taught) => ({ kind: "teach", taught }))
    case "reinforce":
      return Effect.map(steps.reinforce(write.body), (reinforced) => ({ kind: "reinforce", reinforced }))
    case "recordSteps":
      return Effect.map(steps.recordSteps(write.body), (recorded) => ({ kind: "recordSteps", recorded }))
    case "promote":
      return Effect.as(steps.promote(write.body), { kind: "promote" })
  }
}

/** Writes that a memory has answered: their settlement has nothing to write. */
export const answeredWrites = (results: ReadonlyArray<WriteResult>): PreparedWrites =>
  ({ results, rows: noRows, onWritten: () => Effect.void, around: untouched })

/** The writing half of a memory that is not in the ledger's database: `prepare` sends each write. */
export const sentBefore = (steps: WriteSteps): Pick<Memory["Service"], "prepare" | "write"> => {
  const write = (each: MemoryWrite) =>
    Effect.flatMap(Effect.service(AroundWrite), (around) => around(each.kind)(writtenBy(steps, each)))
  return {
    prepare: (writes) =>
      Effect.map(Effect.forEach(writes, (each) => Effect.result(write(each))), answeredWrites),
    write
  }
}
