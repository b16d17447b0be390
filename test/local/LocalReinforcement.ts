/* Reinforcement of the in-process memory. */
import { agrees } from "../../src/memory/index/Entry.ts"
import type { MemorySettings } from "../../src/memory/MemorySettings.ts"
import type { Reinforced, Reinforcement } from "../../src/domain/MemoryWrite.ts"
import { type LocalLane, reliabilityAt } from "./LocalLane.ts"

/** Key of the record of a cluster and model in a local lane. */
export const recordKeyOf = (cluster: string, modelId: string): string => JSON.stringify([cluster, modelId])

/** Spends one of the actor's votes on the entry for the day and yields its key; null when all are used up. */
const spend = (
  { votes }: LocalLane,
  id: string,
  { occurredAt, userId }: Reinforcement,
  votesPerDayMax: number
): string | null => {
  const key = JSON.stringify([id, userId, occurredAt.toISOString().slice(0, 10)])
  const spent = votes.get(key) ?? 0
  if (spent >= votesPerDayMax) return null
  votes.set(key, spent + 1)
  return key
}

const move = (lane: LocalLane, id: string, up: number, down: number): void => {
  const kept = lane.observations.get(id)
  if (kept === undefined) return
  kept.entry = { ...kept.entry, votesUp: kept.entry.votesUp + up, votesDown: kept.entry.votesDown + down }
  lane.index.upsert(kept.entry, lane.vectors.get(id) ?? null)
  const record = lane.records.get(recordKeyOf(kept.entry.cluster, kept.entry.modelId))
  if (record !== undefined) record.reinforcement += up
}

/** Takes back the votes of a reinforcement, and frees them for the actor. */
export const takeBackLocally = (lane: LocalLane, reinforcementId: string): void => {
  const votes = lane.reinforcements.get(reinforcementId)
  if (votes === undefined) return
  lane.reinforcements.delete(reinforcementId)
  for (const id of votes.up) move(lane, id, -1, 0)
  for (const id of votes.down) move(lane, id, 0, -1)
  for (const key of votes.spent) {
    const left = (lane.votes.get(key) ?? 1) - 1
    if (left > 0) lane.votes.set(key, left)
    else lane.votes.delete(key)
  }
}

/** True if the outcome with this id has a newer label than the given revision. */
export const isOutdated = (lane: LocalLane, id: string, revision: number): boolean =>
  (lane.observations.get(id)?.observation.verdictRevision ?? 0) > revision

/** Does to a local lane what `foldReinforce` does to what is stored. */
export const reinforceLocally = (
  lane: LocalLane,
  reinforcement: Reinforcement,
  settings: MemorySettings,
  nowMs: number
): Reinforced => {
  const { entryIds, quality, reinforcementId, revision } = reinforcement
  const before = lane.reinforcements.get(reinforcementId)
  // Without its outcome nothing would remember its votes.
  const isVoting = before === undefined && lane.observations.has(reinforcementId)
    && !isOutdated(lane, reinforcementId, revision)
  const found = [...new Set(entryIds)].slice(0, settings.reinforcedEntriesMax)
    .flatMap((id) => lane.observations.get(id) ?? [])
    .filter(({ observation }) => observation.teaches)
  const [up, down, spent]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
  for (const { entry: { observationId, quality: own } } of isVoting ? found : []) {
    const key = spend(lane, observationId, reinforcement, settings.votesPerDayMax)
    if (key === null) continue
    spent.push(key)
    const isUp = agrees(own, quality)
    move(lane, observationId, isUp ? 1 : 0, isUp ? 0 : 1)
    if (isUp) up.push(observationId)
    else down.push(observationId)
  }
  if (isVoting) lane.reinforcements.set(reinforcementId, { up, down, spent })
  const reliability = found.reduce((sum, { entry }) => sum + reliabilityAt(entry, nowMs, settings), 0)
  return {
    entryIds: before?.up ?? up,
    updatedConfidence: found.length === 0 ? null : reliability / found.length
  }
}
