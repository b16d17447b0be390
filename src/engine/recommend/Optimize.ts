/** Stage 6: the choice among the priced candidates. */
import { Effect, Random } from "effect"
import { armName } from "../../domain/Arm.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotateNow } from "../../telemetry/Spans.ts"
import { pureStage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { PricedCandidates } from "./candidates/Candidate.ts"
import { choose, type Goal, type Optimized } from "./choice/Optimized.ts"

const optimizing = pureStage("optimize", Settings)

/** {@link choose} as a stage; the draw comes from Effect's `Random`. */
export const optimize = (
  candidates: PricedCandidates,
  goal: Goal
): Effect.Effect<Optimized, never, Settings> =>
  optimizing((settings, fiber) => {
    const uniform = goal.selectionPolicy === "epsilon_softmax" || goal.guarantee !== null
      ? fiber.getRef(Random.Random).nextDoubleUnsafe()
      : 0
    const optimized = choose(settings, candidates, goal, uniform)
    annotateNow(fiber, () => ({
      [attribute.tau]: goal.threshold,
      [attribute.candidates]: candidates.length,
      [attribute.eligible]: optimized.eligible.length,
      [attribute.model]: armName(optimized.pick.card.modelId),
      [attribute.basis]: optimized.pick.decisionBasis,
      [attribute.policy]: goal.selectionPolicy
    }))
    return optimized
  })
