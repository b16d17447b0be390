/* How a memory that is not in the ledger's database carries out writes: by a function for each kind. */
import { Effect } from "effect"
import type { Memory, MemoryUnavailable } from "./Memory.ts"
import type {
  MemoryWrite, NewLesson, Observation, Reinforced, Reinforcement, StepRewards, Taught, Written
} from "../domain/MemoryWrite.ts"

/** A driver's function for each kind of write. */
export interface WriteSteps {
  readonly teach: (outcome: Observation) => Effect.Effect<Taught, MemoryUnavailable>
  readonly reinforce: (reinforcement: Reinforcement) => Effect.Effect<Reinforced, MemoryUnavailable>
  /** How many steps are new. */
  readonly recordSteps: (rewards: StepRewards) => Effect.Effect<number, MemoryUnavailable>
  readonly promote: (lesson: NewLesson) => Effect.Effect<void, MemoryUnavailable>
}

/** Carries out a write by the function of its kind. */
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

const nothing = (writes: ReadonlyArray<MemoryWrite>) => writes.map(() => null)

/** The writing half of a remote memory: reports keep their writes until it has taken them. */
export const remoteWrites = (
  steps: WriteSteps
): Pick<Memory["Service"], "prepare" | "store" | "deliver" | "write"> => ({
  prepare: ({ taskVectors = [] }) => Effect.succeed(taskVectors),
  store: (_accountId, writes) =>
    Effect.succeed({ written: nothing(writes), isElsewhere: true, onDurable: Effect.void }),
  deliver: (_accountId, _revision, { answer }) => Effect.succeed(answer([])),
  write: (write) => writtenBy(steps, write)
})
