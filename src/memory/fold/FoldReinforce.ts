/* Casts a new outcome label's votes on past outcomes, and removes the votes of a replaced label. */
import type { Reinforced, Reinforcement } from "../../domain/MemoryWrite.ts"
import { dayOf } from "../../domain/Time.ts"
import { agrees, reliabilityOf } from "../index/Entry.ts"
import { ageDaysOf } from "../MemorySettings.ts"
import type { Draft, OutcomeDraft } from "./Draft.ts"
import type { FoldRule } from "./FoldState.ts"

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns true if a text is a UUID in lower case, the form of stored outcome ids. */
export const isOutcomeId = (text: string): boolean => uuidPattern.test(text)

/** Returns the ids to vote on, without repetitions or texts that are no ids, and at most `entriesMax`. */
export const votableOf = (entryIds: ReadonlyArray<string>, entriesMax: number): ReadonlyArray<string> =>
  [...new Set(entryIds.map((id) => id.toLowerCase()))].filter(isOutcomeId).slice(0, entriesMax)

/** Adds or removes one vote. A vote up is also counted in the record of the voted outcome. */
const moveVotes = (
  draft: Draft,
  entry: OutcomeDraft,
  { by, isUp }: { readonly by: 1 | -1; readonly isUp: boolean }
): void => {
  const votes = isUp ? entry.votesUp : entry.votesDown
  // If an outcome was deleted and taught again, older votes on it are no longer counted.
  if (votes + by < 0) return
  if (isUp) entry.votesUp += by
  else entry.votesDown += by
  entry.isVoted = true
  if (!isUp) return
  const record = draft.record(entry)
  record.reinforcement += by
  record.isChanged = true
}

/** Votes on entries, up to the actor's daily limit on each entry. */
const castVotes = (
  draft: Draft,
  { lane, occurredAt, quality, userId }: Reinforcement,
  { entries, own, votesPerDayMax }: {
    readonly entries: ReadonlyArray<OutcomeDraft>
    readonly own: OutcomeDraft
    readonly votesPerDayMax: number
  }
): void => {
  const cast = { lane, actor: userId ?? "", day: dayOf(occurredAt.getTime()) }
  const [up, down]: [Array<string>, Array<string>] = [[], []]
  for (const entry of entries) {
    const { observationId } = entry
    const votes = draft.votesOf({ ...cast, observationId })
    if (votes.votes >= votesPerDayMax) continue
    votes.votes += 1
    const isUp = agrees(entry.quality, quality)
    moveVotes(draft, entry, { by: 1, isUp })
    if (isUp) up.push(observationId)
    else down.push(observationId)
  }
  Object.assign(own, { votedUp: up, votedDown: down, isVoted: true })
  draft.lane(lane).changes += 1
}

/**
 * Lets an outcome's label vote on outcomes of its lane that teach. A label votes once. A repeated
 * reinforcement returns the entries that the label voted up. Only the label of a stored outcome votes.
 */
export const foldReinforce = (
  draft: Draft,
  reinforcement: Reinforcement,
  { nowMs, settings }: FoldRule
): Reinforced => {
  const { entryIds, lane, reinforcementId, revision } = reinforcement
  const votable = votableOf(entryIds, settings.reinforcedEntriesMax)
  const entries = votable.flatMap((id) => draft.outcome(lane, id) ?? []).filter(({ teaches }) => teaches)
  const own = draft.outcome(lane, reinforcementId)
  const mayVote = own !== undefined && own.votedUp === null && own.verdictRevision <= revision
  if (mayVote && votable.length > 0) {
    castVotes(draft, reinforcement, { entries, own, votesPerDayMax: settings.votesPerDayMax })
  }
  const votedUp = own?.votedUp ?? []
  const reliability = entries.reduce((sum, entry) =>
    sum + reliabilityOf(entry, ageDaysOf(entry.occurredAtMs, nowMs), settings), 0)
  return {
    entryIds: entries.map(({ observationId }) => observationId).filter((id) => votedUp.includes(id)),
    updatedConfidence: entries.length === 0 ? null : reliability / entries.length
  }
}

/** Removes the votes of an outcome's label, also from the actor's daily limit. */
export const takeBack = (draft: Draft, outcome: OutcomeDraft): void => {
  const { lane, occurredAtMs, userId, votedDown, votedUp } = outcome
  const cast = { lane, actor: userId ?? "", day: dayOf(occurredAtMs) }
  for (const [ids, isUp] of [[votedUp, true], [votedDown, false]] as const) {
    for (const observationId of ids ?? []) {
      const votes = draft.votesOf({ ...cast, observationId })
      votes.votes = Math.max(0, votes.votes - 1)
      const entry = draft.outcome(lane, observationId)
      if (entry !== undefined) moveVotes(draft, entry, { by: -1, isUp })
    }
  }
  if (votedUp === null && votedDown === null) return
  Object.assign(outcome, { votedUp: null, votedDown: null, isVoted: true })
}
