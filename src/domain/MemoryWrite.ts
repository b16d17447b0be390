/* Writes to memory and their answers, as values: the engine plans them, and drivers carry them out. */
import type { MemoryProvenance, Outcome, StepOutcome } from "./feedback/Feedback.ts"
import type { OutcomeFields } from "./feedback/OutcomeFields.ts"
import type { LaneId } from "./Scope.ts"
import type { Cluster, Difficulty, TaskType } from "./Task.ts"
import type { TaskVector } from "./text/TaskText.ts"

/**
 * The engine chooses `observationId`, so that an observation that is delivered twice updates the same row.
 */
export interface Observation extends LaneId, OutcomeFields {
  readonly observationId: string
  /** An outcome with a higher revision replaces the stored one. */
  readonly revision: number
  /** A label of a higher revision withdraws the votes and lessons of the earlier label. */
  readonly verdictRevision: number
  /** Text of the task; empty if the text is not stored. */
  readonly task: string
  /** The vectors that replace the task's text, one per embedder. */
  readonly taskVectors?: ReadonlyArray<TaskVector>
  readonly taskType: TaskType
  readonly difficulty: Difficulty
  readonly userId: string | null
  readonly outcome: Outcome
  readonly provenance: MemoryProvenance
  /** True if the bill is far above the estimate of every candidate. */
  readonly isCostOutlier: boolean
  readonly occurredAt: Date
  /** True if the outcome may change predictions; else memory stores only its cost, tokens and latency. */
  readonly teaches: boolean
}

export interface Taught {
  /** Id of the record that counts the lane's outcomes with the cluster and model of this outcome. */
  readonly recordId: string
  /** Number of outcomes that have taught this lane, including this outcome if it taught. */
  readonly laneTaught: number
  /** True if the outcome triggered a reflection on the lane, which runs later. */
  readonly reflectionTriggered: boolean
}

export interface Reinforcement extends LaneId {
  /** A UUID that the engine chooses, so that votes that are delivered twice count once. */
  readonly reinforcementId: string
  /**
   * Revision of the label that votes. A label's votes are dropped if memory has not stored its outcome, or
   * has stored a later label of that outcome.
   */
  readonly revision: number
  /** All feedback without an actor counts as one actor. */
  readonly userId: string | null
  /** Votes of an actor on an entry are limited per UTC day, and `occurredAt` gives the day. */
  readonly occurredAt: Date
  readonly entryIds: ReadonlyArray<string>
  /** Quality of the outcome, in [0, 1]; entries less than 0.5 away from this quality are voted up. */
  readonly quality: number
}

export interface Reinforced {
  /** Entries that were voted up, except those on which the actor had no vote left that day. */
  readonly entryIds: ReadonlyArray<string>
  /** Mean reliability of the given entries that exist and teach, after the votes; null if none does. */
  readonly updatedConfidence: number | null
}

export interface NewLesson extends LaneId {
  readonly lessonId: string
  /** The lesson is dropped if the outcome already has a label of a higher revision. */
  readonly revision: number
  readonly lessonType: "success" | "failure"
  readonly scope: "run" | "session" | "account"
  readonly content: string
  readonly cluster: Cluster
  readonly modelId: string
  readonly importance: number
  readonly confidence: number
  readonly occurredAt: Date
  /** The caller's words about the error, with which a diagnosis compares other errors; null for a success. */
  readonly errorText: string | null
  readonly userId: string | null
}

export interface StepRewards extends LaneId {
  readonly recommendationId: string
  readonly cluster: Cluster
  readonly modelId: string
  readonly steps: ReadonlyArray<StepOutcome & { readonly signal: number }>
  readonly occurredAt: Date
}

/**
 * The engine chooses the id of every write, so that a repeated write changes nothing. Observations and
 * reinforcements are identified by id and revision, steps by recommendation, model and step.
 */
export type MemoryWrite =
  | { readonly kind: "teach"; readonly body: Observation }
  | { readonly kind: "reinforce"; readonly body: Reinforcement }
  | { readonly kind: "recordSteps"; readonly body: StepRewards }
  | { readonly kind: "promote"; readonly body: NewLesson }

export type Written =
  | { readonly kind: "teach"; readonly taught: Taught }
  | { readonly kind: "reinforce"; readonly reinforced: Reinforced }
  /** New steps. If a step is sent again, its first reward stays. */
  | { readonly kind: "recordSteps"; readonly recorded: number }
  | { readonly kind: "promote" }
