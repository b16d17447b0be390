/* Carries out writes of a memory outside the ledger's database, with one function per kind of write. */
import { Effect } from "effect"
import type { Memory, MemoryUnavailable } from "./Memory.ts"
import type {
  MemoryWrite, NewLesson, Observation, Reinforced, Reinforcement, StepRewards, Taught, Written
} from "../domain/MemoryWrite.ts"

export interface WriteSteps {
  readonly teach: (outcome: Observation) => Effect.Effect<Taught, MemoryUnavailable>
  readonly reinforce: (reinforcement: Reinforcement) => Effect.Effect<Reinforced, MemoryUnavailable>
  /** Returns how many of the steps were not stored before. */
  readonly recordSteps: (rewards: StepRewards) => Effect.Effect<number, MemoryUnavailable>
  readonly promote: (lesson: NewLesson) => Effect.Effect<void, MemoryUnavailable>
}

export const writtenBy = (
  steps: WriteSteps,
  write: MemoryWrite
): Effect.Effect<Written, MemoryUnavailable> => {
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

/** The write methods of a remote memory: `write` sends a request, and the other methods send nothing. */
export const remoteWrites = (
  steps: WriteSteps
): Pick<Memory["Service"], "prepare" | "store" | "deliver" | "write"> => ({
  prepare: ({ taskVectors = [] }) => Effect.succeed(taskVectors),
  store: (_accountId, writes) =>
    Effect.succeed({ written: writes.map(() => null), isElsewhere: true, onDurable: Effect.void }),
  deliver: (_accountId, _revision, { answer }) => Effect.succeed(answer([])),
  write: (write) => writtenBy(steps, write)
})
