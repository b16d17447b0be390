/** Stage 6: the choice among the priced candidates. */
import { Effect, Random } from "effect"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { PricedCandidates } from "./candidates/Candidate.ts"
import { choose, type Goal, type Optimized } from "./choice/Choose.ts"

/** {@link choose} as a stage; the draw comes from Effect's `Random`. */
export const optimize = Effect.fnUntraced(function*(
  candidates: PricedCandidates,
  goal: Goal
): Effect.fn.Return<Optimized, never, Settings> {
  const uniform = goal.selectionPolicy === "epsilon_softmax" ? yield* Random.next : 0
  const optimized = choose(yield* Settings, candidates, goal, uniform)
  yield* annotate(() => ({
    [attribute.tau]: goal.threshold,
    [attribute.candidates]: candidates.length,
    [attribute.eligible]: optimized.eligible.length,
    [attribute.model]: optimized.pick.card.modelId,
    [attribute.basis]: optimized.pick.decisionBasis,
    [attribute.policy]: goal.selectionPolicy
  }))
  return optimized
}, stage("optimize"))
