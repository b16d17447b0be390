/* What is written to memory, and what memory answers: values that the engine plans and drivers carry out. */
import type { MemoryProvenance, Outcome, StepOutcome } from "./feedback/Feedback.ts"
import type { OutcomeFields } from "./feedback/OutcomeFields.ts"
import type { LaneId } from "./Scope.ts"
import type { Cluster, Difficulty, TaskType } from "./Task.ts"
import type { TaskVector } from "./text/TaskText.ts"

/** One outcome. The engine chooses its `observationId`, so that a redelivery is the same row. */
export interface Observation extends LaneId, OutcomeFields {
  readonly observationId: string
  /** Its revision: the same outcome with a higher one takes its place. */
  readonly revision: number
  /**
   * The revision that its label came with. A label of a higher one withdraws the votes and lessons of the
   * label before.
   */
  readonly verdictRevision: number
  /** Empty where its words are not kept. */
  readonly task: string
  /** What it is taught with instead of the words, by embedder. */
  readonly taskVectors?: ReadonlyArray<TaskVector>
  readonly taskType: TaskType
  readonly difficulty: Difficulty
  readonly userId: string | null
  readonly outcome: Outcome
  readonly provenance: MemoryProvenance
  /** Its bill is far above what any candidate was estimated at. */
  readonly isCostOutlier: boolean
  readonly occurredAt: Date
  /** One that may not teach leaves its cost, tokens and latency only. */
  readonly teaches: boolean
}

/**
 * What an outcome left. One that may not teach leaves cost and tokens in the record; the posterior does not
 * move.
 */
export interface Taught {
  /** The durable outcome record of (cluster, model), stable over its life. */
  readonly recordId: string
  /** Outcomes that have taught this lane, this one included when it taught. */
  readonly laneTaught: number
  /** This outcome made a reflection due, which happens later and once. */
  readonly reflectionTriggered: boolean
}

export interface Reinforcement extends LaneId {
  /** A UUID that the engine chooses, so that a redelivery votes once. */
  readonly reinforcementId: string
  /**
   * The revision of its label. It does not vote before the outcome whose id is `reinforcementId` is stored,
   * which remembers its votes, and once that has a label of a higher revision.
   */
  readonly revision: number
  /** Whose feedback it was; null is one actor of its own. */
  readonly userId: string | null
  /** Its UTC day is the one in which the votes count toward the actor's most. */
  readonly occurredAt: Date
  readonly entryIds: ReadonlyArray<string>
  /**
   * What was then observed, in [0, 1]: entries whose quality agrees within a half are voted up, others down.
   */
  readonly quality: number
}

export interface Reinforced {
  /** The entries voted up: neither those voted down, nor those on which the actor's votes are used up. */
  readonly entryIds: ReadonlyArray<string>
  /** Mean reliability afterwards of all given entries that exist, voted on or not; null when none does. */
  readonly updatedConfidence: number | null
}

export interface NewLesson extends LaneId {
  readonly lessonId: string
  /** The revision of its label: no lesson once the outcome has a higher one. */
  readonly revision: number
  readonly lessonType: "success" | "failure"
  readonly scope: "run" | "session" | "account"
  /** Composed by us from structured facts. */
  readonly content: string
  readonly cluster: Cluster
  readonly modelId: string
  readonly importance: number
  readonly confidence: number
  readonly occurredAt: Date
  /** Of a failure: what the caller said went wrong. Data to match errors with, never an instruction. */
  readonly errorText: string | null
  /** The actor whose outcome it was. */
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
 * One write to a memory. Each bears an id that the engine chooses, and a repeat changes nothing: an
 * observation and a reinforcement by id and revision, step rewards by recommendation, model and step, a
 * lesson by its id.
 */
export type MemoryWrite =
  | { readonly kind: "teach"; readonly body: Observation }
  | { readonly kind: "reinforce"; readonly body: Reinforcement }
  | { readonly kind: "recordSteps"; readonly body: StepRewards }
  | { readonly kind: "promote"; readonly body: NewLesson }

/** What memory answers to a write of the same kind. */
export type Written =
  | { readonly kind: "teach"; readonly taught: Taught }
  | { readonly kind: "reinforce"; readonly reinforced: Reinforced }
  /** How many steps are new; one repeated for the same recommendation and model keeps its first reward. */
  | { readonly kind: "recordSteps"; readonly recorded: number }
  | { readonly kind: "promote" }
