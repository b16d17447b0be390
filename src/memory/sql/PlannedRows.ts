/* The writes of one feedback as the rows of the statement that settles it. */
import { Clock, Effect } from "effect"
import { taskTextOf } from "../../accounts/AccountSettings.ts"
import { excerptOf } from "../../domain/Task.ts"
import { monotonicMs } from "../../domain/Time.ts"
import type { PreparedFeedback } from "../Memory.ts"
import type { MemoryWrite, NewLesson, Observation, Reinforcement } from "../MemoryWrite.ts"
import type { PlannedWrites } from "../PlannedWrites.ts"
import { textSettings } from "../TextSettings.ts"
import { lessonRow } from "./LessonRows.ts"
import { laneKeyOf } from "./MemoryAccess.ts"
import { vectorOf, votableOf, type WriteParts } from "./MemoryWrites.ts"
import { observationRow } from "./ObservationWrites.ts"
import { reinforcementRow } from "./ReinforcementRows.ts"

/** What the statement can write: an outcome, votes, a lesson. */
interface Plannable {
  readonly teach: { readonly observation: Observation; readonly teaches: boolean }
  readonly reinforcement: Reinforcement | null
  readonly lesson: NewLesson | null
}

/** Null where a write is of another kind, or there are several lessons. */
const plannableOf = (writes: ReadonlyArray<MemoryWrite>): Plannable | null => {
  let teach: Plannable["teach"] | null = null
  let reinforcement: Reinforcement | null = null
  let lesson: NewLesson | null = null
  for (const write of writes) {
    if (write.kind === "recordSteps" || (write.kind === "promote" && lesson !== null)) return null
    if (write.kind === "teach") teach = write
    if (write.kind === "reinforce") reinforcement = write.reinforcement
    if (write.kind === "promote") lesson = write.lesson
  }
  return teach === null ? null : { teach, reinforcement, lesson }
}

/** The row of the outcome, with its words where they are kept, and the vectors of both embedders. */
const outcomeRowOf = Effect.fnUntraced(function*(
  { embedder, keptText, remote, settings }: WriteParts,
  { observation, teaches }: Plannable["teach"]
) {
  const { accountId, task } = observation
  const isKept = teaches && task !== ""
    && (yield* taskTextOf(accountId, keptText, textSettings.settingMs)) === "excerpt"
  const identities = [embedder.identity, ...(remote === null ? [] : [remote.identity])]
  return observationRow({
    observation,
    teaches,
    version: null,
    vectors: identities.flatMap((identity) => vectorOf({ observation, teaches }, identity) ?? []),
    task: isKept ? excerptOf(task) : null,
    reflectionEvery: settings.reflection.every
  })
})

/** Makes the rows; null where the writes need a transaction of several statements. */
export const planBy = (parts: WriteParts) => {
  const { backfill, ownWrites, reflectionDue, remote, settings } = parts
  return Effect.fnUntraced(function*(prepared: PreparedFeedback): Effect.fn.Return<PlannedWrites | null> {
    const plannable = plannableOf(prepared.map(({ write }) => write))
    if (plannable === null) return null
    const { lesson, reinforcement, teach } = plannable
    const { observation } = teach
    const entryIds = votableOf(reinforcement?.entryIds ?? [], settings.reinforcedEntriesMax)
    const nowMs = yield* Clock.currentTimeMillis
    const lacksVector = remote !== null && teach.teaches && observation.task !== ""
      && vectorOf(teach, remote.identity) === null
    return {
      lane: observation.lane,
      versions: entryIds.length === 0 ? 1 : 2,
      outcome: yield* outcomeRowOf(parts, teach),
      votes: reinforcement === null || entryIds.length === 0
        ? null
        : reinforcementRow({ reinforcement, entryIds, version: null, nowMs, settings }),
      lesson: lesson === null ? null : lessonRow(lesson),
      committed: Effect.fnUntraced(function*({ isReflectionDue, version }) {
        const { accountId, lane } = observation
        const committedMs = yield* monotonicMs
        ownWrites.add(laneKeyOf(observation), version, committedMs)
        if (lacksVector) backfill?.request({ accountId, lane }, committedMs, true)
        if (isReflectionDue) yield* reflectionDue.open
      })
    }
  })
}
