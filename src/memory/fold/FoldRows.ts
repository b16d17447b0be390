/* Finds the rows that a batch has changed. */
import type { Draft, LaneDraft, OutcomeDraft } from "./Draft.ts"
import type { FoldRows, LaneCount, OutcomeVotes } from "./FoldState.ts"

const votesOf = ({ votedDown, votedUp, votesDown, votesUp }: OutcomeDraft): OutcomeVotes =>
  ({ votesUp, votesDown, votedUp, votedDown })

/** Each write of the batch that changed the lane's outcomes raises the lane's version by 1. */
export const laneAfter = ({ changes, lane, taught, version }: LaneDraft): LaneCount =>
  ({ lane, taught, version: version + changes })

/** No outcome is in both the list of written and the list of voted outcomes. */
const outcomeRows = (draft: Draft): Pick<FoldRows, "placed" | "voted"> => {
  const placed: Array<FoldRows["placed"][number]> = []
  const voted: Array<FoldRows["voted"][number]> = []
  for (const outcome of draft.outcomes.values()) {
    const { importId, isVoted, lane, observationId } = outcome
    const own = { ...votesOf(outcome), version: laneAfter(draft.lane(lane)).version }
    if (outcome.placed !== null) {
      const { task: _task, taskVectors: _vectors, ...observation } = outcome.placed
      placed.push({ ...observation, ...own, importId })
    } else if (isVoted) voted.push({ lane, observationId, ...own })
  }
  return { placed, voted }
}

export const rowsOf = (draft: Draft): FoldRows => {
  const lessons = [...draft.lessons.values()]
  const votes = [...draft.votes.values()].filter(({ stored, votes: now }) => now !== stored)
  return {
    lanes: [...draft.lanes.values()].filter(({ changes }) => changes > 0).map(laneAfter),
    ...outcomeRows(draft),
    vectors: [...draft.vectors.values()],
    texts: [...draft.texts.values()],
    votes: votes.filter((each) => each.votes > 0),
    votesGone: votes.filter((each) => each.votes === 0),
    records: [...draft.records.values()].filter(({ isChanged }) => isChanged),
    lessons: lessons.flatMap(({ row }) => row ?? []),
    lessonsGone: lessons.filter(({ isStored, isThere }) => isStored && !isThere),
    steps: [...draft.steps.values()].filter((step) => step !== null),
    reflections: [...draft.crossings.values()].flat().filter(({ isNew }) => isNew)
  }
}
