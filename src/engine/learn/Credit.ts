import { Effect } from "effect"
import { Memory, type MemoryUnavailable, type Reinforced } from "../../memory/Memory.ts"
import { Settings } from "../Settings.ts"
import { stage } from "../Span.ts"
import type { Lesson } from "./Record.ts"

export const nobody: Reinforced = { entryIds: [], updatedConfidence: null }

/** Votes on the recalled neighbours that spoke for the chosen model: up where they agreed, down where not. */
export const credit = Effect.fnUntraced(function*(
  { caller, decision, now, observationId, request, verdict }: Lesson
): Effect.fn.Return<Reinforced, MemoryUnavailable, Memory | Settings> {
  const { creditedNeighboursMax } = yield* Settings
  const entryIds = decision.neighbours
    .filter((neighbour) => neighbour.modelId === request.chosenModelId)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, creditedNeighboursMax)
    .map((neighbour) => neighbour.entryId)
  if (entryIds.length === 0 || verdict.isLate || !verdict.teaches) return nobody
  return yield* (yield* Memory).reinforce({
    caller,
    lane: decision.lane,
    // One feedback teaches one outcome and votes once.
    reinforcementId: observationId,
    userId: decision.userId,
    occurredAt: now,
    entryIds,
    quality: verdict.quality
  })
}, stage("credit"))
