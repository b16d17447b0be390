/* A working copy of the rows that a batch of writes reads or changes. */
import type { Observation } from "../../domain/MemoryWrite.ts"
import type { TaskVector } from "../../domain/text/TaskText.ts"
import type {
  Crossing, FoldState, LaneCount, LessonKey, LessonRow, OutcomeKey, RecordChange, RecordKey,
  StepKey, StepRow, StoredOutcome, VoteCount, VoteKey
} from "./FoldState.ts"

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }

/** A lane, with the number of the batch's writes that have changed its outcomes. */
export type LaneDraft = Mutable<LaneCount> & { changes: number }

export type OutcomeDraft = Mutable<StoredOutcome> & {
  /** The outcome in the form that this batch has written; null if the batch has not written it. */
  placed: Observation | null
  importId: string | null
  isVoted: boolean
}

/** An actor's number of votes, and the number that was stored before the batch. */
type VoteDraft = Mutable<VoteCount> & { readonly stored: number }

export type RecordDraft = Mutable<RecordChange> & { isChanged: boolean }

/**
 * A lesson: whether it was stored before the batch, whether it exists now, and its row if the batch adds it.
 */
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

/** Returns the map's value for a key, and adds a new value if there is none. */
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

/** The rows of a batch, by key, which the fold changes in place. */
export class Draft {
  readonly lanes: Map<string, LaneDraft>
  readonly outcomes: Map<string, OutcomeDraft>
  readonly votes: Map<string, VoteDraft>
  readonly records: Map<string, RecordDraft>
  readonly lessons: Map<string, LessonDraft>
  /** New steps by key; null for a step that is stored already. */
  readonly steps: Map<string, StepRow | null>
  /** The stored and the new causes of reflections, by outcome. */
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

  /** Returns false if the step is in the draft already. */
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

  /** Returns true if a stored or new reflection has the outcome as its cause. */
  hasReflection({ lane, observationId }: OutcomeKey): boolean {
    return this.crossings.has(keyOf(lane, observationId))
  }

  /** Returns false if the cause is in the draft already. */
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
