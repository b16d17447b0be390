/* Makes single memory writes outside the log of reports. */
import { Effect } from "effect"
import type { Memory, MemoryUnavailable } from "./Memory.ts"
import type {
  MemoryWrite, NewLesson, Observation, Reinforcement, StepRewards, Written
} from "../domain/MemoryWrite.ts"

type WritableMemory = Pick<Memory["Service"], "write">
type AnswerOf<Kind> = Extract<Written, { readonly kind: Kind }>

const answered = <Kind extends Written["kind"]>(
  memory: WritableMemory,
  write: MemoryWrite & { readonly kind: Kind }
): Effect.Effect<AnswerOf<Kind>, MemoryUnavailable> => {
  const isOfKind = (written: Written): written is AnswerOf<Kind> => written.kind === write.kind
  return Effect.flatMap(memory.write(write), (written) =>
    isOfKind(written)
      ? Effect.succeed(written)
      : Effect.die(new Error(`A memory answered ${written.kind} to ${write.kind}`)))
}

export const teach = (memory: WritableMemory, body: Observation) =>
  Effect.map(answered(memory, { kind: "teach", body }), ({ taught }) => taught)

export const reinforce = (memory: WritableMemory, body: Reinforcement) =>
  Effect.map(answered(memory, { kind: "reinforce", body }), ({ reinforced }) => reinforced)

/** Returns how many of the steps were not stored before. */
export const recordSteps = (memory: WritableMemory, body: StepRewards) =>
  Effect.map(answered(memory, { kind: "recordSteps", body }), ({ recorded }) => recorded)

export const promote = (memory: WritableMemory, body: NewLesson) =>
  Effect.asVoid(answered(memory, { kind: "promote", body }))
