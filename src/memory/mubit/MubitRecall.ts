/* Reads the hosted backend's answer to a query as the neighbours and tallies of a recall. */
import { outcomeFieldsOf } from "../../domain/OutcomeFields.ts"
import { ChangeDetection, type Series } from "../index/ChangeDetection.ts"
import { actorNumberOf, type LaneEntry } from "../index/Entry.ts"
import { LaneTallies } from "../index/LaneTallies.ts"
import type { RecallQuery, Recalled } from "../Memory.ts"
import { ageDaysOf, decayOf, highSimilarityRank, type MemorySettings } from "../MemorySettings.ts"
import type { Neighbour } from "../Neighbour.ts"
import { Neighbours, noNeighbours } from "../Neighbours.ts"
import { type Fields, fieldsOf, idOf, numberOf, shareOf } from "./MubitFields.ts"
import { type OutcomeMetadata, outcomeOf } from "./MubitItems.ts"

/** Belief in an entry of which the backend says nothing: what our own entries start with. */
const reliabilityUnsaid = 0.9

interface Entry {
  readonly outcome: OutcomeMetadata
  /** As the backend names it when it is voted on. */
  readonly reference: string
  /** In [-1, 1]. */
  readonly similarity: number
  readonly reliability: number
  readonly isStale: boolean
}

/**
 * The id that an entry has outside: the backend's reference behind the recorded quality in thousandths. A
 * vote comes later, perhaps in another process, and must know whether the entry had said the same.
 */
export const entryIdOf = (quality: number, reference: string): string =>
  `${Math.round(quality * 1_000)}:${reference}`

/** The quality and the reference in such an id; null for any other text. */
export const entryOf = (entryId: string): { readonly quality: number; readonly reference: string } | null => {
  const [, thousandths, reference] = /^(\d{1,4}):([^]+)$/.exec(entryId) ?? []
  const quality = Number(thousandths) / 1_000
  return reference === undefined || !(quality <= 1) ? null : { quality, reference }
}

const entryIn = (fields: Fields, outcome: OutcomeMetadata): Entry | null => {
  const reference = idOf(fields, "reference_id", "id")
  return reference === null ? null : {
    outcome,
    reference,
    similarity: Math.min(1, Math.max(-1, numberOf(fields, "score") ?? 0)),
    reliability: shareOf(fields, "knowledge_confidence") ?? reliabilityUnsaid,
    isStale: fields["is_stale"] === true
  }
}

const laneEntryOf = ({ occurredAt, ...outcome }: OutcomeMetadata): LaneEntry => ({
  ...outcome,
  occurredAtMs: occurredAt.getTime(),
  votesUp: 0,
  votesDown: 0
})

/** What is left of the measurements of a model that its id stood for before. */
const unmeasured = { costUsd: null, outputTokens: null, latencyMs: null, timeToFirstTokenMs: null }

const neighbourOf = (
  entry: Entry,
  { currentShare, isFormer }: { readonly currentShare: number; readonly isFormer: boolean },
  settings: MemorySettings,
  { nowMs, userId }: Pick<RecallQuery, "userId"> & { readonly nowMs: number }
): Neighbour => {
  const { outcome } = entry
  const ageDays = ageDaysOf(outcome.occurredAt.getTime(), nowMs)
  return {
    ...outcomeFieldsOf(outcome),
    ...(isFormer ? unmeasured : {}),
    entryId: entryIdOf(outcome.quality, entry.reference),
    similarity: entry.similarity,
    reliability: entry.reliability,
    ageDays,
    isStale: entry.isStale || currentShare < 1 || ageDays > settings.staleAfterDays,
    currentShare,
    isCostOutlier: outcome.isCostOutlier,
    ...(userId === null && outcome.userId !== null ? { actor: actorNumberOf(outcome.userId) } : {})
  }
}

/** The lane's taught outcomes, each once and most similar first, and how many entries cannot be read. */
const entriesIn = (evidence: ReadonlyArray<unknown>, { lane }: Pick<RecallQuery, "lane">) => {
  const entries = new Map<string, Entry>()
  let dropped = 0
  for (const item of evidence) {
    const fields = fieldsOf(item)
    const outcome = outcomeOf(fields)
    if (outcome === "other") continue
    const entry = outcome === "broken" ? null : entryIn(fields, outcome)
    if (entry === null) {
      dropped++
      continue
    }
    // A backend that links lanes must not mix ours.
    if (entry.outcome.lane !== lane || !entry.outcome.teaches) continue
    const { observationId } = entry.outcome
    // One long task may be several entries.
    if (entry.similarity > (entries.get(observationId)?.similarity ?? -Infinity)) {
      entries.set(observationId, entry)
    }
  }
  return { entries: [...entries.values()].sort((a, b) => b.similarity - a.similarity), dropped }
}

/** What later changes leave of each outcome, as far as the changes show in these outcomes. */
const currentShares = (
  changes: ChangeDetection,
  entries: ReadonlyArray<Entry>
): ReadonlyMap<Entry, number> => {
  const series = new Map<Entry, { readonly own: Series; readonly of: LaneEntry }>()
  const timeOf = ({ outcome }: Entry): number => outcome.occurredAt.getTime()
  for (const entry of entries.toSorted((one, other) => timeOf(one) - timeOf(other))) {
    const of = laneEntryOf(entry.outcome)
    const own = changes.seriesOf(of)
    changes.add(own, of)
    series.set(entry, { own, of })
  }
  return new Map([...series].map(([entry, { of, own }]) =>
    [entry, changes.currentShare(own, of.occurredAtMs, of)]))
}

/** What the backend's answer to one query says of the lane, and how many of its entries could not be read. */
export const recalledFrom = (
  evidence: ReadonlyArray<unknown>,
  query: RecallQuery,
  settings: MemorySettings,
  nowMs: number
): { readonly recalled: Recalled; readonly dropped: number } => {
  const { dropped, entries } = entriesIn(evidence, query)
  const changes = new ChangeDetection(settings.changes)
  changes.restart(query.restarts)
  const shares = currentShares(changes, entries)
  const shareOfEntry = (entry: Entry): number => shares.get(entry) ?? 1
  const tallies = new LaneTallies()
  for (const each of entries) {
    const entry = laneEntryOf(each.outcome)
    const decay = decayOf(ageDaysOf(entry.occurredAtMs, nowMs), settings)
    tallies.add(entry, entry.provenanceWeight * decay * shareOfEntry(each))
  }
  const ofActor = query.userId === null
    ? entries
    : entries.filter(({ outcome }) => outcome.userId === query.userId)
  const byModel = Map.groupBy(ofActor, ({ outcome }) => outcome.modelId)
  const sum = entries.reduce((total, { similarity }) => total + similarity, 0)
  return {
    recalled: {
      neighbours: Neighbours.of([...new Set(query.modelIds)].flatMap((modelId) =>
        (byModel.get(modelId) ?? []).slice(0, query.perModel)
          .map((entry) => {
            const isFormer = changes.isFormer(laneEntryOf(entry.outcome))
            const left = { currentShare: shareOfEntry(entry), isFormer }
            return neighbourOf(entry, left, settings, { ...query, nowMs })
          }))),
      // The query asks the backend for outcomes that taught, and its answer is bounded.
      measurements: noNeighbours,
      tallies: tallies.read(query),
      laneSize: entries.length,
      meanSimilarity: entries.length === 0 ? 0 : sum / entries.length,
      highSimilarity: entries[Math.min(highSimilarityRank, entries.length) - 1]?.similarity ?? 0
    },
    dropped
  }
}
