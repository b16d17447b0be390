/* The stored rows that a batch of writes touches, and the rows after the batch. */
import type { LaneId } from "../../domain/Scope.ts"
import type { Observation, StepRewards } from "../../domain/MemoryWrite.ts"
import type { TaskVector } from "../../domain/text/TaskText.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { StoredLesson } from "../lessons/StoredLesson.ts"

/** A lane: the version of its last change, and how many outcomes have taught it. */
export interface LaneCount {
  readonly lane: string
  readonly version: number
  readonly taught: number
}

/** The key of an outcome. Its id is a UUID in lower case. */
export interface OutcomeKey {
  readonly lane: string
  readonly observationId: string
}

/** Votes on an outcome, and the votes that its own label has cast; null before it voted. */
export interface OutcomeVotes {
  readonly votesUp: number
  readonly votesDown: number
  readonly votedUp: ReadonlyArray<string> | null
  readonly votedDown: ReadonlyArray<string> | null
}

/** The fields of a stored outcome that writes read. */
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

/** The key of an actor's votes on an outcome in a UTC day; `actor` is empty for callers without an id. */
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

/** The last values of a record, by when their outcomes occurred. */
export interface LastValues {
  /** -Infinity before any outcome. */
  readonly updatedAtMs: number
  readonly lastCostUsd: number | null
  readonly lastInputTokens: number | null
  readonly lastOutputTokens: number | null
  readonly lastQuality: number | null
}

export type StoredRecord = RecordKey & LastValues

/** A record with the additions to its counts. */
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

/** Why an outcome makes a reflection due: `taught:<count>:<id>` or `gate:<id>`. */
export interface Crossing extends OutcomeKey {
  readonly crossing: string
}

/** The stored rows that a batch touches; a row that is absent is not stored. */
export interface FoldState {
  readonly lanes: ReadonlyArray<LaneCount>
  readonly outcomes: ReadonlyArray<StoredOutcome>
  readonly votes: ReadonlyArray<VoteCount>
  readonly records: ReadonlyArray<StoredRecord>
  readonly lessons: ReadonlyArray<LessonKey>
  readonly steps: ReadonlyArray<StepKey>
  readonly reflections: ReadonlyArray<Crossing>
}

/** An outcome that is inserted or replaces the stored one. */
export interface PlacedOutcome extends Omit<Observation, "task" | "taskVectors">, OutcomeVotes {
  readonly version: number
  readonly importId: string | null
}

/** A stored outcome of which only votes change. */
interface VotedOutcome extends OutcomeKey, OutcomeVotes {
  readonly version: number
}

export type LessonRow = LessonKey & Omit<StoredLesson, "lessonId" | "reinforcement">

export type StepRow = StepKey & StepRewards["steps"][number]
  & Pick<StepRewards, "cluster" | "occurredAt">

/** The rows of each table after a batch. Values are final; only the counts of records are increments. */
export interface FoldRows {
  readonly lanes: ReadonlyArray<LaneCount>
  readonly placed: ReadonlyArray<PlacedOutcome>
  readonly voted: ReadonlyArray<VotedOutcome>
  /** Inserted where absent. */
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

/** The rules of a fold, beside state and writes. */
export interface FoldRule {
  readonly accountId: LaneId["accountId"]
  readonly settings: MemorySettings
  readonly nowMs: number
  /** Embedders whose vectors are stored. */
  readonly embedders: ReadonlyArray<string>
  /** Whether the words of outcomes that teach are stored. */
  readonly keepsWords: boolean
  /** The import that brings the outcomes; null for those of reports. */
  readonly importId: string | null
}
