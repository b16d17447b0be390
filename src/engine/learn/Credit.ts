import { Effect } from "effect"
import { isRelabelled } from "../../domain/ReportPrecedence.ts"
import { Memory, type MemoryUnavailable, type Reinforced } from "../../memory/Memory.ts"
import { Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Lesson } from "./Record.ts"

export const noReinforcement: Reinforced = { entryIds: [], updatedConfidence: null }

/** Votes on the recalled neighbours that spoke for the chosen model: up where they agreed, down where not. */
export const credit = Effect.fnUntraced(function*(
  lesson: Lesson
): Effect.fn.Return<Reinforced, MemoryUnavailable, Memory | Settings> {
  const { creditedNeighboursMax } = yield* Settings
  const { accountId, decision, now, observationId, outcome, request, verdict } = lesson
  const entryIds = decision.neighbours
    .filter((neighbour) => neighbour.modelId === request.chosenModelId)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, creditedNeighboursMax)
    .map((neighbour) => neighbour.entryId)
  // The votes of a label whose place another took went with it, when the outcome was taught again.
  const isCredited = entryIds.length > 0 && !verdict.isLate && verdict.teaches && isRelabelled(outcome)
  if (!isCredited) return noReinforcement
  return yield* (yield* Memory).reinforce({
    accountId,
    lane: decision.lane,
    // The reports of a decision are one outcome, which votes once.
    reinforcementId: observationId,
    revision: outcome?.revision ?? 0,
    userId: decision.userId,
    occurredAt: now,
    entryIds,
    quality: verdict.quality
  })
}, stage("credit"))
