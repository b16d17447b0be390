/*
 * How a driver of `Memory` carries out writes: a function for each kind, from which `sentBefore` makes
 * `prepare` and `commit`, and `committedBy` makes `commit`.
 */
import { Context, Effect, Result } from "effect"
import { NotSent } from "../resilience/FailureReason.ts"
import { type Memory, MemoryUnavailable, type PreparedFeedback, type WriteResult } from "./Memory.ts"
import type {
  MemoryWrite, NewLesson, Observation, Reinforced, Reinforcement, StepRewards, Taught, Written
} from "./MemoryWrite.ts"
import type { Around } from "./PlannedWrites.ts"

/** What a driver does for a write of each kind. */
export interface WriteSteps {
  readonly teach: (observation: Observation, teaches: boolean) => Effect.Effect<Taught, MemoryUnavailable>
  readonly reinforce: (reinforcement: Reinforcement) => Effect.Effect<Reinforced, MemoryUnavailable>
  /** How many steps are new. */
  readonly recordSteps: (rewards: StepRewards) => Effect.Effect<number, MemoryUnavailable>
  readonly promote: (lesson: NewLesson) => Effect.Effect<void, MemoryUnavailable>
}

/** What surrounds each write that a driver carries out: its span and duration, where telemetry is on. */
export const AroundWrite = Context.Reference<(kind: MemoryWrite["kind"]) => Around>(
  "sextant/memory/WriteSteps/AroundWrite",
  { defaultValue: () => () => (self) => self }
)

const writtenBy = (steps: WriteSteps, write: MemoryWrite): Effect.Effect<Written, MemoryUnavailable> => {
  switch (write.kind) {
    case "teach":
      return Effect.map(steps.teach(write.observation, write.teaches), (taught) =>
        ({ kind: "teach", taught }))
    case "reinforce":
      return Effect.map(steps.reinforce(write.reinforcement), (reinforced) =>
        ({ kind: "reinforce", reinforced }))
    case "recordSteps":
      return Effect.map(steps.recordSteps(write.rewards), (recorded) => ({ kind: "recordSteps", recorded }))
    case "promote":
      return Effect.as(steps.promote(write.lesson), { kind: "promote" })
  }
}

/** Carries out one write; its failure is its result. */
export const carryOut = (steps: WriteSteps) => (write: MemoryWrite): Effect.Effect<WriteResult> =>
  Effect.flatMap(Effect.service(AroundWrite), (around) =>
    Effect.result(around(write.kind)(writtenBy(steps, write))))

const notSent: WriteResult = Result.fail(
  new MemoryUnavailable({
    reason: new NotSent({ cause: "the write was not prepared before its transaction began" })
  })
)

/**
 * The writing half of a memory that is not in the ledger's database: `prepare` sends each write, and `commit`
 * answers what was answered then. A write that was not sent fails, for no transaction waits for a network.
 */
export const sentBefore = (steps: WriteSteps): Pick<Memory["Service"], "prepare" | "commit"> => {
  const send = carryOut(steps)
  return {
    prepare: (feedbacks) =>
      Effect.forEach(feedbacks, (writes) =>
        Effect.forEach(writes, (write) => Effect.map(send(write), (answer) => ({ write, answer })))),
    commit: (feedbacks) =>
      Effect.succeed(feedbacks.map((prepared) => prepared.map(({ answer }) => answer ?? notSent)))
  }
}

/**
 * Commits writes with the driver's functions, one after another; a write that was answered while it was being
 * prepared keeps its answer.
 */
export const committedBy = (steps: WriteSteps): Memory["Service"]["commit"] => {
  const commit = carryOut(steps)
  return (feedbacks) =>
    Effect.forEach(feedbacks, (prepared: PreparedFeedback) =>
      Effect.forEach(prepared, ({ answer, write }) =>
        answer === null ? commit(write) : Effect.succeed(answer)))
}
