/** Stage 6: chooses among the candidates by their costs. */
import { Effect, Random } from "effect"
import { armName } from "../../domain/model/Arm.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotateNow } from "../../telemetry/Spans.ts"
import { pureStage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { CostedCandidates } from "./candidates/Candidate.ts"
import { type Goal, type Optimized, optimizeWith } from "./choice/Choose.ts"

const optimizing = pureStage("optimize", Settings)

/** {@link optimizeWith} as a stage; the draw comes from Effect's `Random`. */
export const optimize = (
  candidates: CostedCandidates,
  goal: Goal
): Effect.Effect<Optimized, never, Settings> =>
  optimizing((settings, fiber) => {
    const uniform = goal.selectionPolicy === "epsilon_softmax" || goal.guarantee !== null
      ? fiber.getRef(Random.Random).nextDoubleUnsafe()
      : 0
    const optimized = optimizeWith(settings, candidates, goal, uniform)
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
