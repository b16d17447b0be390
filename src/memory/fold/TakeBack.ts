/* Takes back the votes that came with an outcome's label. */
import { dayOf } from "../../domain/Time.ts"
import type { Draft, OutcomeDraft } from "./Draft.ts"

/** What a vote up, or a vote down, of one actor changes of an outcome and of its record: +1 or -1. */
export const moveVotes = (
  draft: Draft,
  entry: OutcomeDraft,
  { by, isUp }: { readonly by: 1 | -1; readonly isUp: boolean }
): void => {
  const votes = isUp ? entry.votesUp : entry.votesDown
  // An outcome that was deleted and came again has fewer votes than were cast on it.
  if (votes + by < 0) return
  if (isUp) entry.votesUp += by
  else entry.votesDown += by
  entry.isVoted = true
  if (!isUp) return
  const record = draft.record(entry)
  record.reinforcement += by
  record.isChanged = true
}

/**
 * Takes back all votes of an outcome's label, which no longer count toward their actor's most of a day. It
 * can vote again.
 */
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
