/* What becomes of prepared writes when the settlement finds that the feedback is not what was expected. */
import type { PreparedFeedback, PreparedWrite } from "./Memory.ts"
import type { MemoryWrite } from "./MemoryWrite.ts"

/** Two writes with the same identity are the same write: made twice, it has one effect. */
const identityOf = (write: MemoryWrite): string => {
  switch (write.kind) {
    case "teach":
      return JSON.stringify([write.kind, write.observation.observationId, write.observation.revision ?? 0])
    case "reinforce":
      return JSON.stringify([
        write.kind, write.reinforcement.reinforcementId, write.reinforcement.revision ?? 0
      ])
    case "recordSteps":
      return JSON.stringify([write.kind, write.rewards.recommendationId, write.rewards.modelId])
    case "promote":
      return JSON.stringify([write.kind, write.lesson.lessonId, write.lesson.revision ?? 0])
  }
}

/** An observation keeps the vectors of its task, whatever its revision: they do not depend on its label. */
const withVectors = (write: MemoryWrite, prepared: PreparedFeedback): MemoryWrite => {
  if (write.kind !== "teach") return write
  const { observationId } = write.observation
  for (const { write: before } of prepared) {
    if (before.kind !== "teach" || before.observation.observationId !== observationId) continue
    const { taskVectors } = before.observation
    if (taskVectors !== undefined) return { ...write, observation: { ...write.observation, taskVectors } }
  }
  return write
}

/**
 * The writes that are to be committed, with what was prepared for them. They are the prepared ones unless
 * another report of the decision was settled in between. A write that is new then has no answer: it was not
 * sent to a remote memory.
 */
export const carryOver = (
  prepared: PreparedFeedback,
  writes: ReadonlyArray<MemoryWrite>
): PreparedFeedback => {
  const byIdentity = new Map(prepared.map((each) => [identityOf(each.write), each]))
  return writes.map((write): PreparedWrite => ({
    write: withVectors(write, prepared),
    answer: byIdentity.get(identityOf(write))?.answer ?? null
  }))
}
