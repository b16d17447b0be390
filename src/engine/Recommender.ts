/*
 * The pipeline of a recommendation. Only this file, `Assess.ts` and `LookUp.ts` know the order of the stages.
 */
import { Array as Arr, Context, Effect, Fiber, Layer } from "effect"
import type { RecommendRequest, RecommendResponse } from "../domain/Recommendation.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import type { WorkflowRequest, WorkflowResponse } from "../domain/Workflow.ts"
import type { BudgetExhausted } from "../ledger/Ledger.ts"
import { inStep } from "../resilience/CooperativeYield.ts"
import { span } from "../telemetry/Tracing.ts"
import { CheckHistory } from "./CheckHistory.ts"
import { assess } from "./Assess.ts"
import { measureDecisions } from "./EngineTelemetry.ts"
import type { NoCandidateModels } from "./NoCandidateModels.ts"
import { degrade, Notes } from "./Notes.ts"
import { isAffordable } from "./policies/BudgetCriteria.ts"
import { type AdviceServices, advicePorts, withPorts } from "./Ports.ts"
import { responseOf, withWarnings } from "./recommend/answer/Response.ts"
import { escalate, unescalated } from "./recommend/Escalate.ts"
import { type Holds, withHolds } from "./BudgetHolds.ts"
import { makeDecision, type Unwritten } from "./recommend/MakeDecision.ts"
import { drawOf, optimize } from "./recommend/Optimize.ts"
import { recordDecisions } from "./recommend/RecordDecisions.ts"
import { tryModel } from "./recommend/TryModel.ts"
import { inSteps, workflowResponse } from "./recommend/Workflow.ts"

/** Runs the stages in the specification's order, up to the decision. */
const decide = Effect.fnUntraced(function*(
  accountId: AccountId,
  request: RecommendRequest,
  workflowId: string | null,
  holds: Holds
): Effect.fn.Return<Unwritten, BudgetExhausted | NoCandidateModels, AdviceServices> {
  const beganMs = yield* monotonicMs
  const { createdAtMillis, recommendationId } = yield* RecommendationId.next
  const createdAt = new Date(createdAtMillis)
  const assessed = yield* assess({ accountId, beganMs, createdAt, recommendationId, workflowId }, request)
  const { budget, levels, notes, settings } = assessed
  const context = yield* degrade(notes, tryModel(assessed), {
    orElse: () => assessed, warnings: { LedgerUnavailable: { log: "No unhealthy model is tried" } }
  })
  yield* inStep
  const draw = yield* drawOf(context)
  const first = yield* optimize(context, context.candidates, levels.asked, draw)
  const escalated = yield* degrade(notes, escalate(context, first), {
    orElse: (failure) => unescalated(context, failure),
    warnings: { EscalationFailed: "reasoner_failed", EscalationDisabled: "reasoner_disabled" }
  })
  const { candidates, isMoved } = escalated
  if (isMoved) notes.add("reasoner_consulted")
  const asked = isMoved ? yield* optimize(context, candidates, levels.asked, draw) : first
  const lowest = levels.lowest === null ? asked : yield* optimize(context, candidates, levels.lowest, draw)
  yield* inStep
  const isFit = budget === null || isAffordable(settings, asked, budget.state)
  return yield* makeDecision({ context, escalated, lowest, holds }, isFit ? asked : lowest)
}, span("Recommender.advise"))

/**
 * Writes the decisions of a request while its answers are made. If the ledger refuses the decisions, they are
 * made again at the lowest threshold or value of success, where possible. Fails if the ledger also refuses
 * the lowered decisions, or if it refuses decisions of which none can be lowered.
 */
const record = Effect.fnUntraced(function*(unwritten: Arr.NonEmptyReadonlyArray<Unwritten>, holds: Holds) {
  const notes = new Notes()
  const write = Effect.fnUntraced(function*(all: typeof unwritten) {
    const decisions = Arr.map(all, ({ decision }) => decision)
    const writing = yield* Effect.forkChild(degrade(notes, recordDecisions(decisions, holds), {
      orElse: () => null, warnings: { LedgerUnavailable: "memory_unavailable" }
    }), { startImmediately: true })
    const responses = Arr.map(all, responseOf)
    return { decisions, responses, refusal: yield* Fiber.join(writing) }
  })
  let written = yield* write(unwritten)
  if (written.refusal !== null && unwritten.some(({ lowered }) => lowered !== null)) {
    written = yield* write(yield* Effect.forEach(unwritten, (each) => each.lowered ?? Effect.succeed(each)))
  }
  const { decisions, refusal, responses } = written
  if (refusal !== null) return yield* refusal
  const answers = Arr.map(responses, (response) => withWarnings(response, notes.warnings))
  yield* measureDecisions(decisions, answers)
  return answers
}, span("Recommender.remember")) // The span keeps its earlier name: saved searches of traces use it.

/** The pipeline of `recommend/`, which says which model should run a task. */
export class Recommender extends Context.Service<Recommender, {
  /** Fails only if no model remains, or if a hard budget does not cover the call. */
  readonly recommend: (
    accountId: AccountId,
    request: RecommendRequest
  ) => Effect.Effect<RecommendResponse, BudgetExhausted | NoCandidateModels>
  /** The workflow fails if a step has no candidate model, or if a hard budget does not cover all steps. */
  readonly recommendWorkflow: (
    accountId: AccountId,
    request: WorkflowRequest
  ) => Effect.Effect<WorkflowResponse, BudgetExhausted | NoCandidateModels>
}>()("sextant/engine/Recommender") {
  static readonly layer = Layer.effect(Recommender, Effect.gen(function*() {
    const provided = withPorts(yield* Effect.context<AdviceServices>(), advicePorts)
    return Recommender.of({
      recommend: Effect.fnUntraced(function*(accountId, request) {
        const [response] = yield* withHolds((holds) =>
          Effect.flatMap(decide(accountId, request, null, holds), (each) => record([each], holds)))
        return response
      }, provided, span("Recommender.recommend")),
      recommendWorkflow: Effect.fnUntraced(function*(accountId, request) {
        const { recommendationId: workflowId } = yield* RecommendationId.next
        return yield* withHolds(Effect.fnUntraced(function*(holds) {
          const steps = yield* inSteps(request, (each) => decide(accountId, each, workflowId, holds))
          const premiumUsd = steps.map(({ decision }) => decision.costPremiumUsd)
          return workflowResponse(workflowId, request, yield* record(steps, holds), premiumUsd)
        }))
      }, provided, span("Recommender.recommendWorkflow"))
    })
  })).pipe(Layer.provideMerge(CheckHistory.layer)) // Both pipelines share one history.
}
