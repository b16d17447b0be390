/* Writes to memory and their answers, as values: the engine plans them, and drivers carry them out. */
import type { MemoryProvenance, Outcome, StepOutcome } from "./feedback/Feedback.ts"
import type { OutcomeFields } from "./feedback/OutcomeFields.ts"
import type { LaneId } from "./Scope.ts"
import type { Cluster, Difficulty, TaskType } from "./Task.ts"
import type { TaskVector } from "./text/TaskText.ts"

/** One outcome to teach. The engine chooses `observationId`, so that a redelivery updates the same row. */
export interface Observation extends LaneId, OutcomeFields {
  readonly observationId: string
  /** Revision of the outcome. A higher revision replaces the same outcome. */
  readonly revision: number
  /**
   * Revision of the report that gave the label. A label of a higher revision withdraws the votes and lessons
   * of the earlier label.
   */
  readonly verdictRevision: number
  /** Text of the task; empty if the words are not kept. */
  readonly task: string
  /** The vectors that stand in for the words, one per embedder. */
  readonly taskVectors?: ReadonlyArray<TaskVector>
  readonly taskType: TaskType
  readonly difficulty: Difficulty
  readonly userId: string | null
  readonly outcome: Outcome
  readonly provenance: MemoryProvenance
  /** Whether the bill is far above every candidate's estimate. */
  readonly isCostOutlier: boolean
  readonly occurredAt: Date
  /** If false, only cost, tokens and latency are stored. */
  readonly teaches: boolean
}

/**
 * The answer to a taught outcome. If the outcome does not teach, only the record's costs and tokens change,
 * and the posterior stays.
 */
export interface Taught {
  /** Id of the durable record of this cluster and model. The id never changes. */
  readonly recordId: string
  /** Outcomes that have taught this lane, count, this outcome included if it taught. */
  readonly laneTaught: number
  /** Whether this outcome made a reflection due. The reflection happens later, once. */
  readonly reflectionTriggered: boolean
}

export interface Reinforcement extends LaneId {
  /** A UUID that the engine chooses, so that a redelivery votes only once. */
  readonly reinforcementId: string
  /**
   * Revision of the label. The votes wait until the outcome with the id `reinforcementId` is stored, because
   * that outcome remembers its votes. The votes are dropped if the outcome then has a label of a higher
   * revision.
   */
  readonly revision: number
  /** The actor who sent the feedback. All feedback without an actor counts as one actor. */
  readonly userId: string | null
  /** Time of the feedback. An actor's votes are limited per UTC day, and these votes count on this day. */
  readonly occurredAt: Date
  readonly entryIds: ReadonlyArray<string>
  /**
   * Observed quality, in [0, 1]. Entries whose quality differs by less than a half are voted up, other
   * entries down.
   */
  readonly quality: number
}

export interface Reinforced {
  /**
   * The entries voted up. Entries are left out if they were voted down or the actor's votes on them are used
   * up.
   */
  readonly entryIds: ReadonlyArray<string>
  /** Mean reliability, after the votes, of all given entries that exist; null if none exists. */
  readonly updatedConfidence: number | null
}

export interface NewLesson extends LaneId {
  readonly lessonId: string
  /** Revision of the label. The lesson is dropped if the outcome already has a label of a higher revision. */
  readonly revision: number
  readonly lessonType: "success" | "failure"
  readonly scope: "run" | "session" | "account"
  /** A sentence that Sextant composes from structured facts. */
  readonly content: string
  readonly cluster: Cluster
  readonly modelId: string
  readonly importance: number
  readonly confidence: number
  readonly occurredAt: Date
  /** The caller's words on a failure: data to match errors with, never an instruction. */
  readonly errorText: string | null
  /** The actor of the outcome. */
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
 * One write to a memory. Every write has an id that the engine chooses, so a repeat changes nothing.
 * Observations and reinforcements are identified by id and revision, lessons by id, and step rewards by
 * recommendation, model and step.
 */
export type MemoryWrite =
  | { readonly kind: "teach"; readonly body: Observation }
  | { readonly kind: "reinforce"; readonly body: Reinforcement }
  | { readonly kind: "recordSteps"; readonly body: StepRewards }
  | { readonly kind: "promote"; readonly body: NewLesson }

/** The answer of memory to a write of the same kind. */
export type Written =
  | { readonly kind: "teach"; readonly taught: Taught }
  | { readonly kind: "reinforce"; readonly reinforced: Reinforced }
  /**
   * New steps, count. A step that is repeated for the same recommendation and model keeps its first reward.
   */
  | { readonly kind: "recordSteps"; readonly recorded: number }
  | { readonly kind: "promote" }
