/* The votes with which a feedback rates the past outcomes that its decision was based on. */
import { isRelabelled } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import type { EngineSettings } from "../Settings.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

/**
 * Votes on the heaviest recalled neighbours of the model that ran. Returns null without recalled neighbours,
 * or if the feedback is late, does not teach, or did not set the outcome's label.
 */
export const reinforcementWrite = (
  { accountId, decision, now, observationId, outcome, request, verdict }: CombinedFeedback,
  { creditedNeighboursMax }: Pick<EngineSettings, "creditedNeighboursMax">
): MemoryWrite | null => {
  const entryIds = decision.neighbours
    .filter((neighbour) => neighbour.modelId === request.chosenModelId)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, creditedNeighboursMax)
    .map((neighbour) => neighbour.entryId)
  if (entryIds.length === 0 || verdict.isLate || !verdict.teaches || !isRelabelled(outcome)) return null
  const body = {
    accountId,
    lane: decision.lane,
    // All reports on one decision and model are one outcome, so they vote once.
    reinforcementId: observationId,
    revision: outcome?.revision ?? 0,
    userId: decision.userId,
    occurredAt: now,
    entryIds,
    quality: verdict.taughtQuality
  }
  return { kind: "reinforce", body }
}
