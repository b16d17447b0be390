/* Applies a batch of writes to the stored rows, in order. */
import type { MemoryWrite, NewLesson, StepRewards, Written } from "../../domain/MemoryWrite.ts"
import { keptOf } from "../lessons/StoredLesson.ts"
import { Draft } from "./Draft.ts"
import { foldReinforce, takeBack } from "./FoldReinforce.ts"
import { laneAfter, rowsOf } from "./FoldRows.ts"
import type { FoldRows, FoldRule, FoldState, LaneCount } from "./FoldState.ts"
import { foldTeach } from "./FoldTeach.ts"

/** A lesson whose outcome has a newer label is not stored. */
const foldLesson = (draft: Draft, lesson: NewLesson): void => {
  const { lane, lessonId, revision } = lesson
  const place = draft.lesson(lane, lessonId)
  const outcome = draft.outcome(lane, lessonId)
  if (place.isThere || outcome !== undefined && outcome.verdictRevision > revision) return
  const { reinforcement: _reinforcement, ...row } = keptOf(lesson)
  Object.assign(place, { isThere: true, row: { ...row, lane } })
}

/** Returns how many of the steps were new. */
const foldSteps = (draft: Draft, { steps, ...of }: StepRewards): number =>
  steps.filter((step) => draft.addStep({ ...of, ...step })).length

const written = (draft: Draft, write: MemoryWrite, rule: FoldRule): Written => {
  switch (write.kind) {
    case "teach":
      return { kind: "teach", taught: foldTeach(draft, write.body, rule) }
    case "reinforce":
      return { kind: "reinforce", reinforced: foldReinforce(draft, write.body, rule) }
    case "recordSteps":
      return { kind: "recordSteps", recorded: foldSteps(draft, write.body) }
    case "promote":
      foldLesson(draft, write.body)
      return { kind: "promote" }
  }
}

export interface Folded {
  readonly rows: FoldRows
  readonly lanes: ReadonlyArray<LaneCount>
  readonly written: ReadonlyArray<Written>
  readonly isReflectionDue: boolean
}

/**
 * One batch gives the same rows and answers as several smaller batches, except for versions. All outcomes
 * that a batch changes in a lane get the lane's last version.
 */
export const fold = (state: FoldState, writes: ReadonlyArray<MemoryWrite>, rule: FoldRule): Folded => {
  const draft = new Draft(state)
  const answers = writes.map((write) => written(draft, write, rule))
  const rows = rowsOf(draft)
  return {
    rows,
    lanes: [...draft.lanes.values()].map(laneAfter),
    written: answers,
    isReflectionDue: answers.some((each) => each.kind === "teach" && each.taught.reflectionTriggered)
  }
}

export const takenBack = (state: FoldState, ids: ReadonlySet<string>): FoldRows => {
  const draft = new Draft(state)
  for (const outcome of draft.outcomes.values()) if (ids.has(outcome.observationId)) takeBack(draft, outcome)
  return rowsOf(draft)
}
