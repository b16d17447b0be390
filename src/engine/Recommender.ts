/**
 * Conductor of `recommend/`: with `Assess.ts`, which runs the first five stages, it alone knows
 * their order and what a failed one costs.
 */
import { Context, Effect, Layer } from "effect"
import type { RecommendRequest, RecommendResponse } from "../domain/Recommendation.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import { byConsequence } from "../domain/Warning.ts"
import type { WorkflowRequest, WorkflowResponse } from "../domain/Workflow.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import type { Reasoner } from "../reasoner/Reasoner.ts"
import { ownTurn, PartTurns } from "../resilience/CooperativeYield.ts"
import { span } from "../telemetry/Tracing.ts"
import { type AdviceServices, assess } from "./Assess.ts"
import { degrade } from "./Degraded.ts"
import { annotateDecision, measureDecisions } from "./EngineTelemetry.ts"
import type { NoCandidateModels } from "./NoCandidateModels.ts"
import { type Advice, adviceOf, type Assessment, type Selection } from "./recommend/answer/Advice.ts"
import { stepRequest, workflowResponse } from "./recommend/answer/Workflow.ts"
import { escalate } from "./recommend/Escalate.ts"
import { optimize } from "./recommend/Optimize.ts"
import { noteSpending } from "./recommend/PaceBudget.ts"
import { recordDecisions } from "./recommend/RecordDecisions.ts"
import { Settings } from "./Settings.ts"

type RecommenderServices = AdviceServices | Ledger

/** Stages 6 and 7: optimize, escalate, and optimize again if a reasoner moved a candidate. */
const decide = Effect.fnUntraced(function*(
  accountId: AccountId,
  request: RecommendRequest,
  { goal, leftMs, priced, recalled }: Assessment
): Effect.fn.Return<Selection, never, Reasoner | Settings> {
  const first = yield* optimize(priced, goal)
  // Predictions decide nothing under a guarantee, and a second draw would have another probability.
  if ((goal.guarantee ?? null) !== null) {
    return { optimized: first, candidates: priced, costUsd: null, warnings: first.notes }
  }
  const { value: escalated, warnings } = yield* degrade(
    escalate({
      accountId, task: request.task.task, isAllowed: request.allowLlmEscalation, candidates: priced,
      optimized: first, threshold: goal.threshold, recalled, leftMs
    }),
    {
      orElse: (failure) => ({
        reasons: failure.reasons, candidates: priced, isMoved: false,
        costUsd: failure._tag === "EscalationFailed" ? failure.costUsd : null
      }),
      warnings: { EscalationFailed: "reasoner_failed", EscalationDisabled: "reasoner_disabled" }
    }
  )
  const { candidates, costUsd, isMoved, reasons } = escalated
  const optimized = isMoved ? yield* optimize(candidates, goal) : first
  return {
    optimized, candidates, costUsd,
    warnings: [
      ...reasons.map((reason) => `escalation_suggested:${reason}` as const),
      ...warnings,
      ...(isMoved ? ["reasoner_consulted" as const] : []),
      ...optimized.notes
    ]
  }
})

/** All stages in the specification's order, and the answer and the decision that they make. */
const advise = Effect.fnUntraced(function*(
  accountId: AccountId,
  given: RecommendRequest,
  workflowId: string | null
): Effect.fn.Return<Advice, NoCandidateModels, AdviceServices> {
  const settings = yield* Settings
  const beganMs = yield* monotonicMs
  const { createdAtMillis, recommendationId } = yield* RecommendationId.next
  const assessment = yield* assess(accountId, given, beganMs)
  const { request, spending } = assessment
  const choice = yield* decide(accountId, request, assessment)
  const createdAt = new Date(createdAtMillis)
  const latencyMs = (yield* monotonicMs) - beganMs
  const occasion = { recommendationId, workflowId, createdAt, accountId, request, latencyMs }
  const advice = adviceOf(settings, occasion, assessment, choice)
  yield* annotateDecision(advice.decision)
  if (spending !== null) yield* noteSpending(spending.paced, advice.decision, spending.leastUsd)
  return advice
}, span("Recommender.advise"))

/** Writes the decisions before their answers leave; a ledger that fails or is slow costs a warning. */
const persistDecisions = Effect.fnUntraced(function*(
  advices: readonly [Advice, ...Array<Advice>]
): Effect.fn.Return<ReadonlyArray<RecommendResponse>, never, Ledger | Settings> {
  const [first, ...rest] = advices
  const decisions = [first.decision, ...rest.map(({ decision }) => decision)] as const
  const recorded = yield* degrade(recordDecisions(decisions), {
    orElse: () => undefined,
    warnings: { LedgerUnavailable: "memory_unavailable" }
  })
  const responses = recorded.warnings.length === 0
    ? advices.map(({ response }) => response)
    : advices.map(({ response }) =>
      ({ ...response, warnings: byConsequence([...response.warnings, ...recorded.warnings]) }))
  yield* measureDecisions(decisions, responses)
  return responses
}, span("Recommender.remember")) // The span keeps its earlier name: saved searches of traces use it.

/** Which model should run this task? */
export class Recommender extends Context.Service<Recommender, {
  /** Fails only when the constraints leave no model. */
  readonly recommend: (
    accountId: AccountId,
    request: RecommendRequest
  ) => Effect.Effect<RecommendResponse, NoCandidateModels>
  /** Each step is recommended on its own. A step without a model fails the workflow and is named. */
  readonly recommendWorkflow: (
    accountId: AccountId,
    request: WorkflowRequest
  ) => Effect.Effect<WorkflowResponse, NoCandidateModels>
}>()("sextant/engine/Recommender") {
  static readonly layer = Layer.effect(
    Recommender,
    Effect.gen(function*() {
      const ports = yield* Effect.context<RecommenderServices>()

      const recommend = Effect.fnUntraced(
        function*(accountId: AccountId, request: RecommendRequest) {
          const advice = yield* advise(accountId, request, null)
          const [response] = yield* persistDecisions([advice])
          return response ?? advice.response
        },
        Effect.provide(ports),
        span("Recommender.recommend")
      )

      const recommendWorkflow = Effect.fnUntraced(
        function*(
          accountId: AccountId,
          request: WorkflowRequest
        ): Effect.fn.Return<WorkflowResponse, NoCandidateModels, RecommenderServices> {
          const { recommendationId: workflowId } = yield* RecommendationId.next
          const inTurn = yield* yield* PartTurns
          const advices = yield* Effect.forEach(
            request.steps,
            (step) =>
              inTurn(advise(accountId, stepRequest(request, step), workflowId)).pipe(
                Effect.mapError((failure) => failure.ofStep(step.stepId))
              ),
            { concurrency: (yield* Settings).workflowConcurrency }
          ).pipe(Effect.tap(ownTurn))
          // The schema asks for at least one step.
          const responses = yield* persistDecisions(advices as unknown as readonly [Advice, ...Array<Advice>])
          return workflowResponse(workflowId, request, responses, advices.map((advice) => advice.premiumUsd))
        },
        Effect.provide(ports),
        span("Recommender.recommendWorkflow")
      )

      return Recommender.of({ recommend, recommendWorkflow })
    })
  )
}
