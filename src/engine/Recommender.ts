/**
 * Conductor of `recommend/`: with `Assess.ts`, which runs the first five stages, it alone knows their order
 * and the fallback of a failed one.
 */
import { Array as Arr, Context, Effect, Layer } from "effect"
import type { RecommendRequest, RecommendResponse } from "../domain/Recommendation.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import { byConsequence } from "../domain/Warning.ts"
import type { WorkflowRequest, WorkflowResponse } from "../domain/Workflow.ts"
import type { BudgetExhausted, Ledger } from "../ledger/Ledger.ts"
import type { Reasoner } from "../reasoner/Reasoner.ts"
import { inStep, ownTurn, PartTurns } from "../resilience/CooperativeYield.ts"
import { span } from "../telemetry/Tracing.ts"
import { advicePorts, type AdviceServices, assess } from "./Assess.ts"
import { degrade } from "./Degraded.ts"
import { annotateDecision, measureDecisions } from "./EngineTelemetry.ts"
import type { NoCandidateModels } from "./NoCandidateModels.ts"
import { withPorts } from "./Ports.ts"
import {
  type Advice, adviceOf, type Assessment, atLowestGoal, chosenAnew, type Selection
} from "./recommend/answer/Advice.ts"
import { stepRequest, workflowResponse } from "./recommend/answer/Workflow.ts"
import { escalate } from "./recommend/Escalate.ts"
import { budgetCheck, endHolds, type Holds, holdSpending, withHolds } from "./recommend/HoldSpending.ts"
import { optimize } from "./recommend/Optimize.ts"
import { recordDecisions } from "./recommend/RecordDecisions.ts"
import { tryModel } from "./recommend/TryModel.ts"
import { Settings } from "./Settings.ts"


/** Stages 6 and 7: optimize, escalate, and optimize again if a reasoner moved a candidate. */
const decide = Effect.fnUntraced(function*(
  accountId: AccountId,
  recommendationId: RecommendationId.RecommendationId,
  request: RecommendRequest,
  { goal: asked, leftMs, priced, recalled, spending }: Assessment
): Effect.fn.Return<Selection, never, Reasoner | Settings> {
  // In shadow the recommended model does not run; a hard budget might refuse a try, where another pick fits.
  const goal = asked.health === null || request.shadow || spending?.openBudget.budget.isHard === true
    ? asked
    : (yield* degrade(tryModel(accountId, recommendationId, priced, asked), {
      orElse: () => asked, warnings: { LedgerUnavailable: { log: "No unhealthy model is tried" } }
    })).value
  const first = yield* optimize(priced, goal)
  // Predictions decide nothing under a guarantee, and a second draw would have another probability.
  if (goal.guarantee !== null) {
    return {
      optimized: first, candidates: priced, costUsd: null, escalationReasons: [], warnings: first.notes
    }
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
    optimized, candidates, costUsd, escalationReasons: reasons,
    warnings: [
      ...warnings,
      ...(isMoved ? ["reasoner_consulted" as const] : []),
      ...optimized.notes
    ]
  }
})

/** The recommendations of one request. */
type Advices = readonly [Advice, ...Array<Advice>]

/** A recommendation that is not written yet. */
interface Advised {
  readonly advice: Advice
  /** Makes it at the lowest threshold, in place of this one; null where that could not change the pick. */
  readonly lowered: Effect.Effect<Advice, BudgetExhausted, Settings> | null
}

/** All stages in the specification's order, and the answer and the decision that they make. */
const advise = Effect.fnUntraced(function*(
  accountId: AccountId,
  given: RecommendRequest,
  workflowId: string | null,
  holds: Holds
): Effect.fn.Return<Advised, BudgetExhausted | NoCandidateModels, AdviceServices> {
  const settings = yield* Settings
  const beganMs = yield* monotonicMs
  const { createdAtMillis, recommendationId } = yield* RecommendationId.next
  const createdAt = new Date(createdAtMillis)
  const assessed = yield* assess(accountId, given, beganMs)
  const { request } = assessed
  const chosen = yield* decide(accountId, recommendationId, request, assessed)
  yield* inStep

  const conclude = Effect.fnUntraced(function*(assessment: Assessment, choice: Selection) {
    const latencyMs = (yield* monotonicMs) - beganMs
    const occasion = { recommendationId, workflowId, createdAt, accountId, request, latencyMs }
    const advice = adviceOf(settings, occasion, assessment, choice)
    yield* annotateDecision(advice.decision)
    const { spending } = assessment
    return {
      advice,
      letGo: spending === null ? Effect.void : yield* holdSpending(holds, spending, advice.decision)
    }
  })

  const { advice, letGo } = yield* conclude(assessed, chosen)
  const lowest = atLowestGoal(assessed)
  return {
    advice,
    lowered: lowest === null ? null : letGo.pipe(
      Effect.andThen(optimize(chosen.candidates, lowest.goal)),
      Effect.flatMap((optimized) => conclude(lowest, chosenAnew(chosen, optimized))),
      Effect.map((concluded) => concluded.advice)
    )
  }
}, span("Recommender.advise"))

const decisionsOf = ([first, ...rest]: Advices) =>
  [first.decision, ...rest.map(({ decision }) => decision)] as const

/**
 * Writes the decisions; a ledger that fails or is slow costs a warning. Yields why the budget refuses them.
 */
const write = Effect.fnUntraced(function*(advices: Advices, holds: Holds) {
  const check = budgetCheck(yield* Settings, holds)
  const { value: refusal, warnings } = yield* degrade(recordDecisions(decisionsOf(advices), check), {
    orElse: () => null,
    warnings: { LedgerUnavailable: "memory_unavailable" }
  })
  if (warnings.length > 0) yield* endHolds(holds, "waiting")
  return { advices, refusal, warnings }
})

/**
 * Writes the decisions before their answers leave. Where other processes have taken what was left of the
 * budget, they are made again at the lowest threshold. Fails where not even those fit into a hard budget.
 */
const persistDecisions = Effect.fnUntraced(function*(
  advised: readonly [Advised, ...Array<Advised>],
  holds: Holds
): Effect.fn.Return<Arr.NonEmptyReadonlyArray<RecommendResponse>, BudgetExhausted, Ledger | Settings> {
  let written = yield* write(Arr.map(advised, ({ advice }) => advice), holds)
  if (written.refusal !== null && advised.some(({ lowered }) => lowered !== null)) {
    const lowest = yield* Effect.forEach(advised, ({ advice, lowered }) => lowered ?? Effect.succeed(advice))
    written = yield* write(lowest, holds)
  }
  const { advices, refusal, warnings } = written
  if (refusal !== null) return yield* refusal
  const responses = warnings.length === 0
    ? Arr.map(advices, ({ response }) => response)
    : Arr.map(advices, ({ response }) =>
      ({ ...response, warnings: byConsequence([...response.warnings, ...warnings]) }))
  yield* measureDecisions(decisionsOf(advices), responses)
  return responses
}, span("Recommender.remember")) // The span keeps its earlier name: saved searches of traces use it.

/** Which model should run this task? */
export class Recommender extends Context.Service<Recommender, {
  /** Fails only when the constraints leave no model, and when a hard budget is used up. */
  readonly recommend: (
    accountId: AccountId,
    request: RecommendRequest
  ) => Effect.Effect<RecommendResponse, BudgetExhausted | NoCandidateModels>
  /**
   * Each step is recommended on its own. A step without a model fails the workflow and is named. A hard
   * budget must have enough for all steps.
   */
  readonly recommendWorkflow: (
    accountId: AccountId,
    request: WorkflowRequest
  ) => Effect.Effect<WorkflowResponse, BudgetExhausted | NoCandidateModels>
}>()("sextant/engine/Recommender") {
  static readonly layer = Layer.effect(
    Recommender,
    Effect.gen(function*() {
      const provided = withPorts(yield* Effect.context<AdviceServices>(), advicePorts)

      const recommend = Effect.fnUntraced(
        function*(accountId: AccountId, request: RecommendRequest) {
          return yield* withHolds(Effect.fnUntraced(function*(holds) {
            const advised = yield* advise(accountId, request, null, holds)
            const [response] = yield* persistDecisions([advised], holds)
            return response
          }))
        },
        provided,
        span("Recommender.recommend")
      )

      const recommendWorkflow = Effect.fnUntraced(
        function*(accountId: AccountId, request: WorkflowRequest) {
          return yield* withHolds(Effect.fnUntraced(function*(holds) {
            const { recommendationId: workflowId } = yield* RecommendationId.next
            const inTurn = yield* yield* PartTurns
            const advised = yield* Effect.forEach(
              request.steps,
              (step) =>
                inTurn(advise(accountId, stepRequest(request, step), workflowId, holds)).pipe(
                  Effect.catchTag("NoCandidateModels", (failure) => failure.ofStep(step.stepId))
                ),
              { concurrency: (yield* Settings).workflowConcurrency }
            ).pipe(Effect.tap(ownTurn))
            // The schema asks for at least one step.
            const all = advised as unknown as readonly [Advised, ...Array<Advised>]
            const responses = yield* persistDecisions(all, holds)
            const premiums = all.map(({ advice }) => advice.premiumUsd)
            return workflowResponse(workflowId, request, responses, premiums)
          }))
        },
        provided,
        span("Recommender.recommendWorkflow")
      )

      return Recommender.of({ recommend, recommendWorkflow })
    })
  )
}
