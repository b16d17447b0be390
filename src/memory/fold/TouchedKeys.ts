/* Finds the keys of the rows that a batch of writes reads. */
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import { isOutcomeId, votableOf } from "./FoldReinforce.ts"
import type { LessonKey, OutcomeKey, RecordKey, StepKey, VoteKey } from "./FoldState.ts"

type VotesKey = Omit<VoteKey, "day">
type StepsKey = Omit<StepKey, "stepId">

export interface TouchedKeys {
  readonly lanes: ReadonlyArray<{ readonly lane: string }>
  /** Keys of outcomes that are taught, that vote, or that a lesson is about. */
  readonly own: ReadonlyArray<OutcomeKey>
  /** Keys of the votes that the batch may cast, but not of votes that its outcomes cast earlier. */
  readonly votes: ReadonlyArray<VotesKey>
  readonly records: ReadonlyArray<RecordKey>
  readonly lessons: ReadonlyArray<LessonKey>
  readonly steps: ReadonlyArray<StepsKey>
}

export const noKeys: TouchedKeys = { lanes: [], own: [], votes: [], records: [], lessons: [], steps: [] }

const distinct = <Key extends object>(keys: ReadonlyArray<Key>): ReadonlyArray<Key> =>
  [...new Map(keys.map((key) => [JSON.stringify(Object.values(key)), key])).values()]

export type Writes = ReadonlyArray<MemoryWrite>

const ownKeys = (writes: Writes): ReadonlyArray<OutcomeKey> =>
  writes.flatMap(({ body, kind }) => {
    const id = kind === "teach" ? body.observationId : kind === "reinforce" ? body.reinforcementId
      : kind === "promote" ? body.lessonId : ""
    const observationId = id.toLowerCase()
    return isOutcomeId(observationId) ? [{ lane: body.lane, observationId }] : []
  })

/** Collects several actors of an outcome, because its teaching and its vote may name different ones. */
const actorsOf = (writes: Writes): ReadonlyMap<string, ReadonlySet<string>> => {
  const actors = new Map<string, Set<string>>()
  for (const { body, kind } of writes) {
    if (kind !== "teach" && kind !== "reinforce") continue
    const id = (kind === "teach" ? body.observationId : body.reinforcementId).toLowerCase()
    actors.set(id, (actors.get(id) ?? new Set()).add(body.userId ?? ""))
  }
  return actors
}

const votesKeys = (writes: Writes, entriesMax: number): ReadonlyArray<VotesKey> => {
  const actors = actorsOf(writes)
  return writes.flatMap(({ body, kind }) => {
    if (kind !== "reinforce") return []
    const of = [...actors.get(body.reinforcementId.toLowerCase()) ?? []]
    return votableOf(body.entryIds, entriesMax).flatMap((observationId) =>
      of.map((actor) => ({ lane: body.lane, observationId, actor })))
  })
}

export const touchedBy = (writes: Writes, entriesMax: number): TouchedKeys => ({
  lanes: distinct(writes.map(({ body: { lane } }) => ({ lane }))),
  own: distinct(ownKeys(writes)),
  votes: distinct(votesKeys(writes, entriesMax)),
  records: distinct(writes.flatMap(({ body, kind }) =>
    kind === "teach" ? [{ lane: body.lane, cluster: body.cluster, modelId: body.modelId }] : [])),
  lessons: distinct(writes.flatMap(({ body, kind }) =>
    kind === "teach" ? [{ lane: body.lane, lessonId: body.observationId.toLowerCase() }]
      : kind === "promote" ? [{ lane: body.lane, lessonId: body.lessonId }] : [])),
  steps: distinct(writes.flatMap(({ body, kind }) =>
    kind === "recordSteps"
      ? [{ lane: body.lane, recommendationId: body.recommendationId, modelId: body.modelId }]
      : []))
})
