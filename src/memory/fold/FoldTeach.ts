/* Teaches an outcome: inserts the outcome, or replaces a stored outcome of a lower revision. */
import type { Observation, Taught } from "../../domain/MemoryWrite.ts"
import { excerptOf } from "../../domain/Task.ts"
import { measures } from "../index/Entry.ts"
import type { Draft, OutcomeDraft, RecordDraft } from "./Draft.ts"
import { takeBack } from "./FoldReinforce.ts"
import type { FoldRule, LastValues } from "./FoldState.ts"
import { recordIdOf } from "./RecordId.ts"

/** A quality or weight below this number is stored as 0, because PostgreSQL fails on an underflow. */
const shareMin = 1e-100
const shareOf = (share: number): number => share > 0 && share < shareMin ? 0 : share

interface TaughtChange {
  readonly isNew: boolean
  /** True if the outcome is inserted, or replaces the stored one. */
  readonly counts: boolean
  readonly isRelabelled: boolean
  readonly hadTaught: boolean
}

const changeOf = (
  known: OutcomeDraft | undefined,
  { revision, verdictRevision }: Observation,
  isImport: boolean
): TaughtChange => {
  if (known === undefined) return { isNew: true, counts: true, isRelabelled: true, hadTaught: false }
  const counts = !isImport && known.revision < revision
  return {
    isNew: false,
    counts,
    isRelabelled: counts && known.verdictRevision < verdictRevision,
    hadTaught: known.teaches
  }
}

/** Later revisions do not change an outcome's cluster, tags, model and user. */
const storedAs = (observation: Observation, before: Observation | null): Observation => {
  const stored = {
    ...observation,
    observationId: observation.observationId.toLowerCase(),
    quality: shareOf(observation.quality),
    provenanceWeight: shareOf(observation.provenanceWeight)
  }
  if (before === null) return stored
  const { cluster, difficulty, modelId, tags, taskType, userId } = before
  return { ...stored, cluster, difficulty, modelId, tags, taskType, userId }
}

const newOutcome = (observation: Observation, importId: string | null): OutcomeDraft => {
  const { cluster, lane, modelId, observationId, occurredAt } = observation
  const { quality, revision, teaches, userId, verdictRevision } = observation
  return {
    lane, observationId, revision, verdictRevision, teaches, isImported: importId !== null, cluster, modelId,
    userId, quality, occurredAtMs: occurredAt.getTime(), votesUp: 0, votesDown: 0, votedUp: null,
    votedDown: null, placed: observation, importId, isVoted: false
  }
}

const replace = (known: OutcomeDraft, observation: Observation): void => {
  const { occurredAt, quality, revision, teaches, verdictRevision } = observation
  const occurredAtMs = occurredAt.getTime()
  Object.assign(known, { placed: observation, revision, verdictRevision, teaches, quality, occurredAtMs })
}

const lastValuesOf = (observation: Observation): LastValues => ({
  updatedAtMs: observation.occurredAt.getTime(),
  lastCostUsd: observation.costUsd,
  lastInputTokens: observation.inputTokens,
  lastOutputTokens: observation.outputTokens,
  lastQuality: observation.teaches ? observation.quality : null
})

/** Adds an outcome to its record, which keeps the newest known values in any order of arrival. */
const addToRecord = (record: RecordDraft, observation: Observation, isNew: boolean): void => {
  const values = lastValuesOf(observation)
  const { lastCostUsd, lastInputTokens, lastOutputTokens, lastQuality, updatedAtMs } = record
  const before = { lastCostUsd, lastInputTokens, lastOutputTokens, lastQuality, updatedAtMs }
  const [first, second] = values.updatedAtMs >= updatedAtMs ? [values, before] : [before, values]
  record.updatedAtMs = first.updatedAtMs
  record.lastCostUsd = first.lastCostUsd ?? second.lastCostUsd
  record.lastInputTokens = first.lastInputTokens ?? second.lastInputTokens
  record.lastOutputTokens = first.lastOutputTokens ?? second.lastOutputTokens
  record.lastQuality = first.lastQuality ?? second.lastQuality
  record.outcomes += isNew ? 1 : 0
  record.isChanged = true
}

/** Adds an outcome's vectors and text. An import adds nothing to an outcome that came from a report. */
const addContents = (
  draft: Draft,
  observation: Observation,
  known: OutcomeDraft | undefined,
  { embedders, importId, keepsWords }: FoldRule
): void => {
  const { lane, observationId, task, taskVectors = [], teaches } = observation
  const isOwn = importId === null || known === undefined
  if (isOwn && (teaches || measures(observation))) {
    for (const { embedder, scale, vector } of taskVectors) {
      if (embedders.includes(embedder)) draft.addVector({ lane, observationId, embedder, scale, vector })
    }
  }
  if (keepsWords && teaches && task !== "" && (isOwn || known?.isImported === true)) {
    draft.addText({ lane, observationId, task: excerptOf(task) })
  }
}

/** Adds the reflections that an outcome causes, and returns true if any of them is new. */
const addCauses = (
  draft: Draft,
  observation: Observation,
  { hadTaught, isRelabelled }: TaughtChange,
  every: number
): boolean => {
  const { lane, observationId, outcome, provenance, teaches } = observation
  const { taught } = draft.lane(lane)
  const isEnough = teaches && !hadTaught && every > 0 && taught % every === 0
  const isFailure = isRelabelled && teaches && provenance === "gate" && outcome === "failure"
  const causes = [
    // The id is part of the cause, because a lane reaches the same count again after deletions.
    ...isEnough ? [`taught:${taught}:${observationId}`] : [],
    ...isFailure ? [`gate:${observationId}`] : []
  ]
  return causes.filter((crossing) => draft.addCrossing({ lane, observationId, crossing })).length > 0
}

const place = (
  draft: Draft,
  observation: Observation,
  { importId, known, change }: {
    readonly known: OutcomeDraft | undefined
    readonly change: TaughtChange
    readonly importId: string | null
  }
): void => {
  const { lane: name, observationId } = observation
  if (known !== undefined && change.isRelabelled) {
    takeBack(draft, known)
    draft.removeLesson(name, observationId)
  }
  const lane = draft.lane(name)
  lane.taught += Number(observation.teaches) - Number(change.hadTaught)
  lane.changes += 1
  addToRecord(draft.record(known ?? observation), observation, change.isNew)
  if (known === undefined) draft.addOutcome(newOutcome(observation, importId))
  else replace(known, observation)
}

/**
 * Teaches an outcome once. Only a higher revision replaces a stored outcome, and an import never replaces
 * one. A new label removes the votes and the lesson of the old label.
 */
export const foldTeach = (draft: Draft, given: Observation, rule: FoldRule): Taught => {
  const { accountId, importId, settings: { reflection } } = rule
  const known = draft.outcome(given.lane, given.observationId)
  const observation = storedAs(given, known?.placed ?? null)
  const change = changeOf(known, observation, importId !== null)
  if (change.counts) place(draft, observation, { known, change, importId })
  addContents(draft, observation, known, rule)
  const isFirst = change.counts && importId === null
    && addCauses(draft, observation, change, reflection.every)
  return {
    recordId: recordIdOf(accountId, known ?? observation),
    laneTaught: draft.lane(observation.lane).taught,
    reflectionTriggered: isFirst || !change.isNew && draft.hasReflection(observation)
  }
}
