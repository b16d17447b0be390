import { Effect } from "effect"
import { readSteps } from "../../domain/Feedback.ts"
import { Memory, type MemoryUnavailable } from "../../memory/Memory.ts"
import { Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Lesson } from "./Record.ts"

/** Keeps the step outcomes as process rewards, the first 32 of them; yields how many were kept. */
export const steps = Effect.fnUntraced(function*(
  { accountId, decision, now, outcome, request }: Lesson
): Effect.fn.Return<number, MemoryUnavailable, Memory | Settings> {
  const { signalByOutcome, stepOutcomesMax } = yield* Settings
  if (request.stepOutcomes.length === 0 || outcome === null) return 0
  return yield* (yield* Memory).recordSteps({
    accountId,
    lane: decision.lane,
    recommendationId: decision.recommendationId,
    cluster: decision.cluster,
    modelId: request.chosenModelId,
    steps: readSteps(request).slice(0, stepOutcomesMax).map((step) => ({
      ...step,
      signal: step.signal ?? signalByOutcome[step.outcome]
    })),
    occurredAt: now
  })
}, stage("steps"))
