/** Conductor of `recommend/`: it alone knows the order of the stages and what a failed one costs. */
import { Context, Effect, Layer } from "effect"
import { readAccountModels } from "../accounts/AccountModels.ts"
import type { Catalog } from "../catalog/Catalog.ts"
import { noAccountModels } from "../domain/AccountModels.ts"
import type { RecommendRequest, RecommendResponse } from "../domain/Recommendation.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import { byConsequence } from "../domain/Warning.ts"
import type { WorkflowRequest, WorkflowResponse } from "../domain/Workflow.ts"
import type { LaneCalibrations } from "../ledger/LaneCalibration.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import { Memory } from "../memory/Memory.ts"
import type { RecentTasks } from "../memory/RecentTasks.ts"
import type { Reasoner } from "../reasoner/Reasoner.ts"
import { ownTurn, PartTurns } from "../resilience/CooperativeYield.ts"
import { together } from "../resilience/Concurrent.ts"
import { span } from "../telemetry/Tracing.ts"
import { degrade } from "./Degraded.ts"
import { annotateDecision, measureDecisions } from "./EngineTelemetry.ts"
import type { NoCandidateModels } from "./NoCandidateModels.ts"
import { aggregate } from "./recommend/Aggregate.ts"
import { type Advice, adviceOf, type Assessment, type Selection } from "./recommend/answer/Advice.ts"
import { stepRequest, workflowResponse } from "./recommend/answer/Workflow.ts"
import type { Candidate, Classified, PricedCandidates } from "./recommend/candidates/Candidate.ts"
import { goalOf } from "./recommend/choice/Choose.ts"
import { classify, heuristic } from "./recommend/Classify.ts"
import { cost } from "./recommend/Cost.ts"
import { cachingOf } from "./recommend/cost/ListCost.ts"
import { detectRepeats } from "./recommend/DetectRepeats.ts"
import { escalate } from "./recommend/Escalate.ts"
import { filter } from "./recommend/Filter.ts"
import { optimize } from "./recommend/Optimize.ts"
import { readLaneNumbers } from "./recommend/ReadLaneNumbers.ts"
import { readSelectionPolicy } from "./recommend/ReadSelectionPolicy.ts"
import { emptyRecall, recall } from "./recommend/Recall.ts"
import { recordDecisions } from "./recommend/RecordDecisions.ts"
import { redactTask, withoutVectors } from "./recommend/RedactTask.ts"
import { type EngineSettings, Settings } from "./Settings.ts"

type AdviceServices = Catalog | LaneCalibrations | Memory | RecentTasks | Reasoner | Settings

type RecommenderServices = AdviceServices | Ledger

/** What is looked up for a request side by side, each look-up within the recall budget. */
const lookUp = Effect.fnUntraced(function*(
  { laneStart, selectionPolicy }: EngineSettings,
  accountId: AccountId,
  request: RecommendRequest,
  { cluster }: Classified,
  candidates: ReadonlyArray<Candidate>
) {
  const { task, tags } = request.task
  const lane = laneOf(request.namespace)
  const modelIds = candidates.map(({ card }) => card.modelId)
  const [recalled, numbers, policy, redacted] = yield* together([
    degrade(recall({ accountId, lane, task, cluster, tags, userId: request.userId, modelIds }), {
      orElse: () => emptyRecall,
      warnings: { RecallTimeout: "recall_timeout", MemoryUnavailable: "memory_unavailable" }
    }),
    degrade(readLaneNumbers(accountId, lane), {
      orElse: () => laneStart,
      warnings: { LedgerUnavailable: { log: "Predicted without the lane's own numbers" } }
    }),
    // No warning: the answer names the policy that was used.
    degrade(readSelectionPolicy(accountId), {
      orElse: () => selectionPolicy,
      warnings: { LedgerUnavailable: { log: "The account's own settings are unavailable" } }
    }),
    degrade(redactTask(accountId, task), {
      orElse: () => withoutVectors,
      warnings: { MemoryUnavailable: { log: "A task is kept without its vectors" } }
    })
  ])
  return {
    lane, recalled: recalled.value, recallWarnings: recalled.warnings, numbers: numbers.value,
    selectionPolicy: policy.value, redacted: redacted.value
  }
})

/** Stages 1 to 5: classify, filter, recall, aggregate, cost. */
const assess = Effect.fnUntraced(function*(
  accountId: AccountId,
  request: RecommendRequest,
  beganMs: number
): Effect.fn.Return<Assessment, NoCandidateModels, AdviceServices> {
  const settings = yield* Settings
  const { reasonerBudgetMs, recallBudgetMs } = settings
  const { allowLlmEscalation, task } = request
  const { value: account, warnings: accountWarnings } = yield* degrade(
    readAccountModels(accountId, recallBudgetMs),
    { orElse: () => noAccountModels, warnings: { LedgerUnavailable: "account_models_unavailable" } }
  )
  const { value: { answer: classified, costUsd }, warnings } = yield* degrade(
    classify(accountId, task, allowLlmEscalation),
    {
      orElse: ({ costUsd }) => ({ answer: heuristic(task), costUsd }),
      warnings: { ReasonerFailed: "reasoner_failed" }
    }
  )
  // All questions share one budget. Null: classify asked none, and the driver's own limit is enough.
  const leftMs = costUsd === null ? null : reasonerBudgetMs - ((yield* monotonicMs) - beganMs)
  const { knownModels = () => new Map() } = yield* Memory
  const { candidates, notes, snapshot, spellings } = yield* filter(request, classified, account, () =>
    knownModels({ accountId, lane: laneOf(request.namespace) }, classified.cluster))
  const { lane, numbers, recalled, recallWarnings, redacted, selectionPolicy } =
    yield* lookUp(settings, accountId, request, classified, candidates)
  const isRecalled = recallWarnings.length === 0
  const { cluster, isDifficultyGiven } = classified
  const predicted = yield* aggregate(candidates, { recalled, numbers, isDifficultyGiven, tags: task.tags })
  const repeats = isRecalled
    ? yield* detectRepeats({ accountId, lane, cluster, task: task.task }, recalled)
    : []
  // An actor without outcomes of its own recalls none, yet is not cold where the lane's tallies count.
  const isCold = isRecalled && recalled.neighbours.length === 0
    && predicted.every(({ decisionBasis }) => decisionBasis === "prior")
  const caching = cachingOf(snapshot, request)
  const query = { task, classified, caching, measurements: recalled.measurements }
  const goal = goalOf(settings, request, selectionPolicy)
  return {
    classified, snapshot, spellings, recalled, isRecalled, goal, redacted, query, costUsd, leftMs,
    // Filter fails rather than yield no candidate, so the list is never empty here.
    priced: (yield* cost(predicted, query, goal)) as PricedCandidates,
    warnings: [
      ...accountWarnings,
      ...warnings,
      ...(classified.isRefined ? ["llm_classified" as const] : []),
      ...notes,
      ...recallWarnings,
      ...(recalled.embedderFailed === true ? ["embedder_failed" as const] : []),
      ...(isCold ? ["cold_start" as const] : []),
      ...repeats
    ]
  }
})

/** Stages 6 and 7: optimize, escalate, and optimize again if a reasoner moved a candidate. */
const decide = Effect.fnUntraced(function*(
  accountId: AccountId,
  request: RecommendRequest,
  { goal, leftMs, priced, recalled }: Assessment
): Effect.fn.Return<Selection, never, Reasoner | Settings> {
  const first = yield* optimize(priced, goal)
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
  request: RecommendRequest,
  workflowId: string | null
): Effect.fn.Return<Advice, NoCandidateModels, AdviceServices> {
  const settings = yield* Settings
  const beganMs = yield* monotonicMs
  const { createdAtMillis, recommendationId } = yield* RecommendationId.next
  const assessment = yield* assess(accountId, request, beganMs)
  const choice = yield* decide(accountId, request, assessment)
  const createdAt = new Date(createdAtMillis)
  const latencyMs = (yield* monotonicMs) - beganMs
  const occasion = { recommendationId, workflowId, createdAt, accountId, request, latencyMs }
  const advice = adviceOf(settings, occasion, assessment, choice)
  yield* annotateDecision(advice.decision)
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
