import { agrees, reliabilityAt } from "./LaneEntry.ts"
import type { LocalLane } from "./LocalLane.ts"
import type { Reinforced, Reinforcement } from "./Memory.ts"
import type { MemorySettings } from "./MemorySettings.ts"

/** Key of the record of (cluster, model) in a local lane. */
export const recordKeyOf = (cluster: string, modelId: string): string => JSON.stringify([cluster, modelId])

/** Spends one of the actor's votes on the entry in the day; false when they are used up. */
const spend = (
  { votes }: LocalLane,
  id: string,
  { occurredAt, userId }: Reinforcement,
  votesPerDayMax: number
): boolean => {
  const key = JSON.stringify([id, userId, occurredAt.toISOString().slice(0, 10)])
  const spent = votes.get(key) ?? 0
  if (spent >= votesPerDayMax) return false
  votes.set(key, spent + 1)
  return true
}

/** What `reinforceRows` does in the database. */
export const reinforceLocally = (
  lane: LocalLane,
  reinforcement: Reinforcement,
  settings: MemorySettings,
  nowMs: number
): Reinforced => {
  const { entryIds, quality, reinforcementId } = reinforcement
  const before = reinforcementId === undefined ? undefined : lane.reinforcements.get(reinforcementId)
  const found = [...new Set(entryIds)].slice(0, settings.reinforcedEntriesMax)
    .flatMap((id) => lane.observations.get(id) ?? [])
    .filter(({ teaches }) => teaches)
  const votedUp: Array<string> = []
  for (const kept of before === undefined ? found : []) {
    const { cluster, modelId, observationId, votesDown, votesUp } = kept.entry
    if (!spend(lane, observationId, reinforcement, settings.votesPerDayMax)) continue
    const isUp = agrees(kept.entry.quality, quality)
    kept.entry = {
      ...kept.entry,
      votesUp: votesUp + (isUp ? 1 : 0),
      votesDown: votesDown + (isUp ? 0 : 1)
    }
    lane.index.upsert(kept.entry, lane.vectors.get(observationId) ?? null)
    if (!isUp) continue
    votedUp.push(observationId)
    const record = lane.records.get(recordKeyOf(cluster, modelId))
    if (record !== undefined) record.reinforcement += 1
  }
  if (reinforcementId !== undefined && before === undefined) {
    lane.reinforcements.set(reinforcementId, votedUp)
  }
  const reliability = found.reduce((sum, { entry }) => sum + reliabilityAt(entry, nowMs, settings), 0)
  return {
    entryIds: before ?? votedUp,
    updatedConfidence: found.length === 0 ? null : reliability / found.length
  }
}
