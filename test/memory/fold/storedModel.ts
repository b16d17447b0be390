import type {
  FoldRows, FoldState, LaneCount, LessonRow, OutcomeKey, StoredOutcome, StoredRecord, PlacedOutcome, VoteCount
} from "../../../src/memory/fold/FoldState.ts"
import type { TouchedKeys } from "../../../src/memory/fold/TouchedKeys.ts"

/** A record with its counts. */
type KeptRecord = StoredRecord & { readonly outcomes: number; readonly reinforcement: number }

/** Stored rows, by their keys. */
export interface Store {
  readonly lanes: Map<string, LaneCount>
  readonly outcomes: Map<string, PlacedOutcome>
  readonly vectors: Map<string, FoldRows["vectors"][number]>
  readonly texts: Map<string, FoldRows["texts"][number]>
  readonly votes: Map<string, VoteCount>
  readonly records: Map<string, KeptRecord>
  readonly lessons: Map<string, LessonRow>
  readonly steps: Map<string, FoldRows["steps"][number]>
  readonly reflections: Map<string, FoldRows["reflections"][number]>
}

export const emptyStore = (): Store => ({
  lanes: new Map(), outcomes: new Map(), vectors: new Map(), texts: new Map(), votes: new Map(), records: new Map(),
  lessons: new Map(), steps: new Map(), reflections: new Map()
})

const keyOf = (...parts: ReadonlyArray<string>): string => JSON.stringify(parts)
const outcomeKey = ({ lane, observationId }: OutcomeKey): string => keyOf(lane, observationId)

const storedOf = ({ importId, occurredAt, ...outcome }: PlacedOutcome): StoredOutcome => ({
  lane: outcome.lane, observationId: outcome.observationId, revision: outcome.revision,
  verdictRevision: outcome.verdictRevision, teaches: outcome.teaches, isImported: importId !== null,
  cluster: outcome.cluster, modelId: outcome.modelId, userId: outcome.userId, quality: outcome.quality,
  occurredAtMs: occurredAt.getTime(), votesUp: outcome.votesUp, votesDown: outcome.votesDown, votedUp: outcome.votedUp,
  votedDown: outcome.votedDown
})

/** What the statement reads of a store: what the keys name, and what follows from it. */
export const stateOf = (store: Store, keys: TouchedKeys): FoldState => {
  const own = keys.own.flatMap((key) => store.outcomes.get(outcomeKey(key)) ?? []).map(storedOf)
  const votes = [
    ...keys.votes,
    ...own.flatMap(({ lane, userId, votedDown, votedUp }) =>
      [...votedUp ?? [], ...votedDown ?? []].map((observationId) => ({ lane, observationId, actor: userId ?? "" })))
  ]
  const asked = new Set(votes.map(outcomeKey))
  const counted = new Set(votes.map(({ actor, lane, observationId }) => keyOf(lane, observationId, actor)))
  const cells = new Set([...keys.records, ...own].map(({ cluster, lane, modelId }) => keyOf(lane, cluster, modelId)))
  const lanes = new Set(keys.lanes.map(({ lane }) => lane))
  const lessons = new Set(keys.lessons.map(({ lane, lessonId }) => keyOf(lane, lessonId)))
  const steps = new Set(keys.steps.map((of) => keyOf(of.lane, of.recommendationId, of.modelId)))
  const named = new Set(keys.own.map(outcomeKey))
  return {
    lanes: [...store.lanes.values()].filter(({ lane }) => lanes.has(lane)),
    outcomes: [...own, ...[...store.outcomes.values()].filter((each) => asked.has(outcomeKey(each))).map(storedOf)],
    votes: [...store.votes.values()].filter((of) => counted.has(keyOf(of.lane, of.observationId, of.actor))),
    records: [...store.records.values()].filter((of) => cells.has(keyOf(of.lane, of.cluster, of.modelId)))
      .map(({ outcomes: _outcomes, reinforcement: _reinforcement, ...record }) => record),
    lessons: [...store.lessons.values()].filter(({ lane, lessonId }) => lessons.has(keyOf(lane, lessonId))),
    steps: [...store.steps.values()].filter((of) => steps.has(keyOf(of.lane, of.recommendationId, of.modelId))),
    reflections: [...store.reflections.values()].filter((each) => named.has(outcomeKey(each)))
  }
}

const addIfAbsent = <A>(map: Map<string, A>, key: string, row: A): void => {
  if (!map.has(key)) map.set(key, row)
}

/** Does to a store what the statement does to the tables. */
export const applyRows = (store: Store, rows: FoldRows): void => {
  for (const lane of rows.lanes) store.lanes.set(lane.lane, lane)
  for (const placed of rows.placed) {
    const before = store.outcomes.get(outcomeKey(placed))
    const { cluster, difficulty, importId, modelId, tags, taskType, userId } = before ?? placed
    store.outcomes.set(outcomeKey(placed), { ...placed, cluster, difficulty, importId, modelId, tags, taskType, userId })
  }
  for (const voted of rows.voted) {
    const before = store.outcomes.get(outcomeKey(voted))
    if (before !== undefined) store.outcomes.set(outcomeKey(voted), { ...before, ...voted, lane: before.lane })
  }
  for (const each of rows.vectors) addIfAbsent(store.vectors, keyOf(each.lane, each.observationId, each.embedder), each)
  for (const each of rows.texts) addIfAbsent(store.texts, outcomeKey(each), each)
  for (const { actor, day, lane, observationId } of rows.votesGone) store.votes.delete(keyOf(lane, observationId, actor, day))
  for (const { actor, day, lane, observationId, votes } of rows.votes) {
    store.votes.set(keyOf(lane, observationId, actor, day), { actor, day, lane, observationId, votes })
  }
  for (const { cluster, lane, lastCostUsd, lastInputTokens, lastOutputTokens, lastQuality, modelId, outcomes,
    reinforcement, updatedAtMs } of rows.records) {
    const key = keyOf(lane, cluster, modelId)
    const before = store.records.get(key)
    store.records.set(key, {
      lane, cluster, modelId,
      outcomes: (before?.outcomes ?? 0) + outcomes,
      reinforcement: (before?.reinforcement ?? 0) + reinforcement,
      updatedAtMs: Math.max(before?.updatedAtMs ?? -Infinity, updatedAtMs),
      lastCostUsd: lastCostUsd ?? before?.lastCostUsd ?? null,
      lastInputTokens: lastInputTokens ?? before?.lastInputTokens ?? null,
      lastOutputTokens: lastOutputTokens ?? before?.lastOutputTokens ?? null,
      lastQuality: lastQuality ?? before?.lastQuality ?? null
    })
  }
  for (const { lane, lessonId } of rows.lessonsGone) store.lessons.delete(keyOf(lane, lessonId))
  for (const lesson of rows.lessons) store.lessons.set(keyOf(lesson.lane, lesson.lessonId), lesson)
  for (const step of rows.steps) {
    addIfAbsent(store.steps, keyOf(step.lane, step.recommendationId, step.modelId, step.stepId), step)
  }
  for (const { crossing, lane, observationId } of rows.reflections) {
    addIfAbsent(store.reflections, keyOf(lane, crossing), { crossing, lane, observationId })
  }
}

/** All rows in an order of their own, without the versions, of which those of a batch have the last. */
export const contentsOf = (store: Store): object =>
  Object.fromEntries(Object.entries(store).map(([table, rows]: [string, Map<string, object>]) =>
    [table, [...rows].toSorted(([one], [other]) => one < other ? -1 : 1)
      .map(([key, row]) => [key, "version" in row ? { ...row, version: 0 } : row])]))
