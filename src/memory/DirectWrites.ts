/* Single writes outside any settlement, with the answer of their kind. */
import { Effect } from "effect"
import type { Memory, MemoryUnavailable } from "./Memory.ts"
import type {
  NewLesson, Observation, Reinforced, Reinforcement, StepRewards, Taught, Written
} from "./MemoryWrite.ts"

type Writer = Pick<Memory["Service"], "write">

/** The answer of the write's own kind. */
const answered = <Kind extends Written["kind"]>(
  kind: Kind,
  writing: Effect.Effect<Written, MemoryUnavailable>
): Effect.Effect<Extract<Written, { readonly kind: Kind }>, MemoryUnavailable> => {
  const isOfKind = (written: Written): written is Extract<Written, { readonly kind: Kind }> =>
    written.kind === kind
  return Effect.flatMap(writing, (written) =>
    isOfKind(written)
      ? Effect.succeed(written)
      : Effect.die(new Error(`A memory answered ${written.kind} to ${kind}`)))
}

/** Teaches an outcome; `teaches` false keeps its cost, tokens and latency only. */
export const teach = (
  memory: Writer,
  observation: Observation,
  teaches: boolean
): Effect.Effect<Taught, MemoryUnavailable> =>
  Effect.map(
    answered("teach", memory.write({ kind: "teach", observation, teaches })),
    ({ taught }) => taught
  )

export const reinforce = (
  memory: Writer,
  reinforcement: Reinforcement
): Effect.Effect<Reinforced, MemoryUnavailable> =>
  Effect.map(
    answered("reinforce", memory.write({ kind: "reinforce", reinforcement })),
    ({ reinforced }) => reinforced
  )

/** Records the steps of a recommendation, and yields how many are new. */
export const recordSteps = (memory: Writer, rewards: StepRewards): Effect.Effect<number, MemoryUnavailable> =>
  Effect.map(
    answered("recordSteps", memory.write({ kind: "recordSteps", rewards })),
    ({ recorded }) => recorded
  )

export const promote = (memory: Writer, lesson: NewLesson): Effect.Effect<void, MemoryUnavailable> =>
  Effect.asVoid(memory.write({ kind: "promote", lesson }))
