/* The working copy of the rows that a batch touches: the stored rows with the writes so far. */
import type { Observation } from "../../domain/MemoryWrite.ts"
import type { TaskVector } from "../../domain/text/TaskText.ts"
import type {
  Crossing, FoldState, LaneCount, LessonKey, LessonRow, OutcomeKey, RecordChange, RecordKey,
  StepKey, StepRow, StoredOutcome, VoteCount, VoteKey
} from "./FoldState.ts"

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }

/** A lane, with the number of writes that have changed an outcome of it. */
export type LaneDraft = Mutable<LaneCount> & { changes: number }

export type OutcomeDraft = Mutable<StoredOutcome> & {
  /** The outcome as this batch has changed it, with its first fields; null if it has not. */
  placed: Observation | null
  /** The import that brought it in this batch. */
  importId: string | null
  /** Whether its votes, received or cast, have changed. */
  isVoted: boolean
}

/** Votes of an actor, and how many of them are stored. */
type VoteDraft = Mutable<VoteCount> & { readonly stored: number }

export type RecordDraft = Mutable<RecordChange> & { isChanged: boolean }

/** The place of a lesson: whether it is taken, and by which lesson of this batch. */
type LessonDraft = LessonKey & { readonly isStored: boolean; isThere: boolean; row: LessonRow | null }

const keyOf = (...parts: ReadonlyArray<string>): string => JSON.stringify(parts)

const voteKey = ({ actor, day, lane, observationId }: VoteKey): string =>
  keyOf(lane, observationId, actor, day)
const stepKey = ({ lane, modelId, recommendationId, stepId }: StepKey): string =>
  keyOf(lane, recommendationId, modelId, stepId)
const recordKey = ({ cluster, lane, modelId }: RecordKey): string => keyOf(lane, cluster, modelId)

const byKey = <A, B>(
  stored: ReadonlyArray<A>,
  key: (each: A) => string,
  drafted: (each: A) => B
): Map<string, B> => new Map(stored.map((each) => [key(each), drafted(each)]))

/** The map's value of the key; made if there is none. */
const found = <A>(map: Map<string, A>, key: string, make: () => A): A => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

const unchanged = ({ cluster, lane, modelId }: RecordKey): RecordDraft => ({
  lane, cluster, modelId, outcomes: 0, reinforcement: 0, updatedAtMs: -Infinity, lastCostUsd: null,
  lastInputTokens: null, lastOutputTokens: null, lastQuality: null, isChanged: false
})

/** The stored rows by key, to be changed in place. Counts that are not stored begin at 0. */
export class Draft {
  readonly lanes: Map<string, LaneDraft>
  readonly outcomes: Map<string, OutcomeDraft>
  readonly votes: Map<string, VoteDraft>
  readonly records: Map<string, RecordDraft>
  readonly lessons: Map<string, LessonDraft>
  /** New steps by key; null for a stored step. */
  readonly steps: Map<string, StepRow | null>
  /** Causes of reflections by outcome, with those of this batch. */
  readonly crossings: Map<string, Array<Crossing & { readonly isNew: boolean }>>
  readonly vectors = new Map<string, OutcomeKey & TaskVector>()
  readonly texts = new Map<string, OutcomeKey & { readonly task: string }>()

  constructor(state: FoldState) {
    this.lanes = byKey(state.lanes, ({ lane }) => lane, (each) => ({ ...each, changes: 0 }))
    this.outcomes = byKey(state.outcomes, (of) => keyOf(of.lane, of.observationId), (each) =>
      ({ ...each, placed: null, importId: null, isVoted: false }))
    this.votes = byKey(state.votes, voteKey, (each) => ({ ...each, stored: each.votes }))
    this.records = byKey(state.records, recordKey, (each) => ({ ...unchanged(each), ...each }))
    this.lessons = byKey(state.lessons, (of) => keyOf(of.lane, of.lessonId), (each) =>
      ({ ...each, isStored: true, isThere: true, row: null }))
    this.steps = byKey(state.steps, stepKey, () => null)
    this.crossings = Map.groupBy(
      state.reflections.map((each) => ({ ...each, isNew: false })),
      (of) => keyOf(of.lane, of.observationId)
    )
  }

  lane(lane: string): LaneDraft {
    return found(this.lanes, lane, () => ({ lane, version: 0, taught: 0, changes: 0 }))
  }

  outcome(lane: string, id: string): OutcomeDraft | undefined {
    return this.outcomes.get(keyOf(lane, id.toLowerCase()))
  }

  addOutcome(outcome: OutcomeDraft): void {
    this.outcomes.set(keyOf(outcome.lane, outcome.observationId), outcome)
  }

  votesOf(key: VoteKey): VoteDraft {
    return found(this.votes, voteKey(key), () => ({ ...key, votes: 0, stored: 0 }))
  }

  record(of: RecordKey): RecordDraft {
    return found(this.records, recordKey(of), () => unchanged(of))
  }

  lesson(lane: string, lessonId: string): LessonDraft {
    return found(this.lessons, keyOf(lane, lessonId), () =>
      ({ lane, lessonId, isStored: false, isThere: false, row: null }))
  }

  /** Adds a step; false if it exists. */
  addStep(step: StepRow): boolean {
    const key = stepKey(step)
    if (this.steps.has(key)) return false
    this.steps.set(key, step)
    return true
  }

  addVector(vector: OutcomeKey & TaskVector): void {
    found(this.vectors, keyOf(vector.lane, vector.observationId, vector.embedder), () => vector)
  }

  addText(text: OutcomeKey & { readonly task: string }): void {
    found(this.texts, keyOf(text.lane, text.observationId), () => text)
  }

  /** Whether the outcome has made a reflection due. */
  hasReflection({ lane, observationId }: OutcomeKey): boolean {
    return this.crossings.has(keyOf(lane, observationId))
  }

  /** Adds a cause of a reflection; false if it is known already. */
  addCrossing(cause: Crossing): boolean {
    const known = found(this.crossings, keyOf(cause.lane, cause.observationId), () => [])
    if (known.some(({ crossing }) => crossing === cause.crossing)) return false
    known.push({ ...cause, isNew: true })
    return true
  }

  removeLesson(lane: string, lessonId: string): void {
    const lesson = this.lessons.get(keyOf(lane, lessonId))
    if (lesson !== undefined) Object.assign(lesson, { isThere: false, row: null })
  }
}
