/* What is stored of what a batch of writes touches, and the rows that the batch leaves. */
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

/** Which outcome. Its id is a UUID in lower case. */
export interface OutcomeKey {
  readonly lane: string
  readonly observationId: string
}

/** Votes that an outcome has got, and those that its own label has cast; null before it has. */
export interface OutcomeVotes {
  readonly votesUp: number
  readonly votesDown: number
  readonly votedUp: ReadonlyArray<string> | null
  readonly votedDown: ReadonlyArray<string> | null
}

/** A stored outcome, as far as writes look at it. */
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

/** Whose votes of which UTC day on an outcome; `actor` is empty for callers without an id. */
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

/** What a record has of the outcomes that occurred last. */
export interface LastValues {
  /** -Infinity before any outcome. */
  readonly updatedAtMs: number
  readonly lastCostUsd: number | null
  readonly lastInputTokens: number | null
  readonly lastOutputTokens: number | null
  readonly lastQuality: number | null
}

export type StoredRecord = RecordKey & LastValues

/** A record with what is added to its counts. */
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

/** What is stored of what a batch touches; what is not there is not stored. */
export interface FoldState {
  readonly lanes: ReadonlyArray<LaneCount>
  readonly outcomes: ReadonlyArray<StoredOutcome>
  readonly votes: ReadonlyArray<VoteCount>
  readonly records: ReadonlyArray<StoredRecord>
  readonly lessons: ReadonlyArray<LessonKey>
  readonly steps: ReadonlyArray<StepKey>
  readonly reflections: ReadonlyArray<Crossing>
}

/** An outcome that is inserted, or takes the place of the one that is stored. */
export interface PlacedOutcome extends Omit<Observation, "task" | "taskVectors">, OutcomeVotes {
  readonly version: number
  readonly importId: string | null
}

/** A stored outcome of which votes alone change. */
interface VotedOutcome extends OutcomeKey, OutcomeVotes {
  readonly version: number
}

export type LessonRow = LessonKey & Omit<StoredLesson, "lessonId" | "reinforcement">

export type StepRow = StepKey & StepRewards["steps"][number]
  & Pick<StepRewards, "cluster" | "occurredAt">

/** What a batch leaves in each table. Values are those afterwards; only the counts of records are added. */
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

/** What a fold goes by beside state and writes. */
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
