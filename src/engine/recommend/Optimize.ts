/** Stage 6: chooses among the candidates by their costs. */
import { Effect, Random } from "effect"
import { variantName } from "../../domain/model/ModelVariant.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotateNow } from "../../telemetry/Spans.ts"
import { pureStage } from "../../telemetry/Tracing.ts"
import { choose, policiesOf } from "../policies/Choose.ts"
import type { Criteria } from "../policies/Criteria.ts"
import { mayDraw } from "../policies/Explore.ts"
import type { Choice, PolicyContext } from "../policies/Policy.ts"
import { Settings } from "../Settings.ts"
import type { CostedCandidates } from "./candidates/Candidate.ts"
import type { RequestContext } from "./RequestContext.ts"

type DrawnRequest = Parameters<typeof mayDraw>[0] & Pick<RequestContext, "levels">

/**
 * Returns the random number of a request, in [0, 1), from Effect's `Random`. If a request chooses a second
 * time, it uses the same random number, so that the pick has the probability that its decision records.
 */
export const drawOf = (context: DrawnRequest): Effect.Effect<number> =>
  mayDraw(context, context.levels.asked) ? Random.next : Effect.succeed(0)

const optimizing = pureStage("optimize", Settings)

export const optimize = (
  context: PolicyContext,
  candidates: CostedCandidates,
  criteria: Criteria,
  draw: number
): Effect.Effect<Choice, never, Settings> =>
  optimizing((_, fiber) => {
    const choice = choose(policiesOf(context), candidates, criteria, draw)
    annotateNow(fiber, () => ({
      [attribute.tau]: criteria.threshold,
      [attribute.candidates]: candidates.length,
      [attribute.eligible]: choice.eligible.length,
      [attribute.model]: variantName(choice.pick.card.modelId),
      [attribute.basis]: choice.pick.decisionBasis,
      [attribute.policy]: criteria.selectionPolicy
    }))
    return choice
  })
