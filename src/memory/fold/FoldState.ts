/* The stored rows that a batch of writes reads, and the rows that it changes. */
import type { LaneId } from "../../domain/Scope.ts"
import type { Observation, StepRewards } from "../../domain/MemoryWrite.ts"
import type { TaskVector } from "../../domain/text/TaskText.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { StoredLesson } from "../lessons/StoredLesson.ts"

export interface LaneCount {
  readonly lane: string
  /** Number of the lane's last change. */
  readonly version: number
  /** Number of the lane's outcomes that teach. */
  readonly taught: number
}

/** The key of an outcome; its id is a UUID in lower case. */
export interface OutcomeKey {
  readonly lane: string
  readonly observationId: string
}

/** Votes on an outcome, and the entries that the outcome's label voted on; null before the label votes. */
export interface OutcomeVotes {
  readonly votesUp: number
  readonly votesDown: number
  readonly votedUp: ReadonlyArray<string> | null
  readonly votedDown: ReadonlyArray<string> | null
}

export interface StoredOutcome extends OutcomeKey, OutcomeVotes {
  readonly revision: number
  readonly verdictRevision: number
  readonly teaches: boolean
  readonly isImported: boolean
  readonly cluster: string
  readonly modelId: string
  readonly userId: string | null
  readonly quality: number
  readonly occurredAtMs: number
}

/** The key of an actor's votes on an outcome in one UTC day. Reports without a user count as the actor "". */
export interface VoteKey extends OutcomeKey {
  readonly actor: string
  /** `2026-11-29` */
  readonly day: string
}

export interface VoteCount extends VoteKey {
  readonly votes: number
}

export interface RecordKey {
  readonly lane: string
  readonly cluster: string
  readonly modelId: string
}

/** Each of a record's last values comes from the newest outcome that has this value. */
export interface LastValues {
  /** Time of the last outcome, ms since 1970; -Infinity if there is no outcome. */
  readonly updatedAtMs: number
  readonly lastCostUsd: number | null
  readonly lastInputTokens: number | null
  readonly lastOutputTokens: number | null
  readonly lastQuality: number | null
}

export type StoredRecord = RecordKey & LastValues

/** A record, with the numbers to add to its counts. */
export interface RecordChange extends StoredRecord {
  readonly outcomes: number
  readonly reinforcement: number
}

export interface LessonKey {
  readonly lane: string
  readonly lessonId: string
}

export interface StepKey {
  readonly lane: string
  readonly recommendationId: string
  readonly modelId: string
  readonly stepId: string
}

/** The reason why an outcome causes a reflection: `taught:<count>:<id>` or `gate:<id>`. */
export interface Crossing extends OutcomeKey {
  readonly crossing: string
}

export interface FoldState {
  readonly lanes: ReadonlyArray<LaneCount>
  readonly outcomes: ReadonlyArray<StoredOutcome>
  readonly votes: ReadonlyArray<VoteCount>
  readonly records: ReadonlyArray<StoredRecord>
  readonly lessons: ReadonlyArray<LessonKey>
  readonly steps: ReadonlyArray<StepKey>
  readonly reflections: ReadonlyArray<Crossing>
}

/** An outcome that is inserted, or that replaces the stored outcome. */
export interface PlacedOutcome extends Omit<Observation, "task" | "taskVectors">, OutcomeVotes {
  readonly version: number
  readonly importId: string | null
}

/** A stored outcome whose votes have changed. */
interface VotedOutcome extends OutcomeKey, OutcomeVotes {
  readonly version: number
}

export type LessonRow = LessonKey & Omit<StoredLesson, "lessonId" | "reinforcement">

export type StepRow = StepKey & StepRewards["steps"][number]
  & Pick<StepRewards, "cluster" | "occurredAt">

/** The counts in `records` are added to the stored counts. */
export interface FoldRows {
  readonly lanes: ReadonlyArray<LaneCount>
  readonly placed: ReadonlyArray<PlacedOutcome>
  readonly voted: ReadonlyArray<VotedOutcome>
  /** Rows that are inserted if they are not stored yet. */
  readonly vectors: ReadonlyArray<OutcomeKey & TaskVector>
  readonly texts: ReadonlyArray<OutcomeKey & { readonly task: string }>
  readonly votes: ReadonlyArray<VoteCount>
  readonly votesGone: ReadonlyArray<VoteKey>
  readonly records: ReadonlyArray<RecordChange>
  readonly lessons: ReadonlyArray<LessonRow>
  readonly lessonsGone: ReadonlyArray<LessonKey>
  readonly steps: ReadonlyArray<StepRow>
  readonly reflections: ReadonlyArray<Crossing>
}

export interface FoldRule {
  readonly accountId: LaneId["accountId"]
  readonly settings: MemorySettings
  readonly nowMs: number
  readonly embedders: ReadonlyArray<string>
  /** True if the task texts of taught outcomes are stored. */
  readonly keepsWords: boolean
  /** Id of the import that adds the outcomes; null if no import adds them. */
  readonly importId: string | null
}
