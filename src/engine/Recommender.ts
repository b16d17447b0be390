import { Context, Effect, Layer } from "effect"
import type { Catalog } from "../catalog/Catalog.ts"
import { deadline } from "../resilience/Deadline.ts"
import { merge } from "../domain/Constraints.ts"
import type { Decision } from "../domain/Decision.ts"
import { RecommendRequest, type RecommendResponse } from "../domain/Recommendation.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import { ownTurn, PartTurns } from "../resilience/CooperativeYield.ts"
import type { RecommendWarning } from "../domain/Warning.ts"
import type { WorkflowRequest, WorkflowResponse } from "../domain/Workflow.ts"
import type { LaneCalibrations } from "../ledger/LaneCalibration.ts"
import { Ledger, LedgerUnavailable } from "../ledger/Ledger.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import type { Memory } from "../memory/Memory.ts"
import type { RecentTasks } from "../memory/RecentTasks.ts"
import type { Reasoner } from "../reasoner/Reasoner.ts"
import { degrade } from "./Degraded.ts"
import { aggregate } from "./recommend/Aggregate.ts"
import type { Priced, Scored } from "./recommend/candidates/Candidate.ts"
import { classify, heuristic } from "./recommend/Classify.ts"
import { cachingOf, inputTokens } from "./recommend/cost/ListCost.ts"
import { consult, sumUsd } from "./recommend/Consult.ts"
import { cost } from "./recommend/Cost.ts"
import { decisionOf, premiumUsd } from "./recommend/answer/DecisionRecord.ts"
import { detectRepeats } from "./recommend/DetectRepeats.ts"
import { rankedModel, recommendedActions } from "./recommend/explanation/RankedModel.ts"
import { filter } from "./recommend/Filter.ts"
import { redactTask } from "./recommend/RedactTask.ts"
import { readLaneNumbers } from "./recommend/ReadLaneNumbers.ts"
import { NoCandidateModels } from "./NoCandidateModels.ts"
import { emptyRecall, recall } from "./recommend/Recall.ts"
import { readSelectionPolicy } from "./recommend/ReadSelectionPolicy.ts"
import { threshold } from "./recommend/choice/Threshold.ts"
import { Settings } from "./Settings.ts"
import { span } from "../telemetry/Tracing.ts"
import { annotateDecision, measureDecision } from "./EngineTelemetry.ts"

type AdviceServices = Catalog | LaneCalibrations | Memory | RecentTasks | Reasoner | Settings

/** One answered recommendation, not yet in the ledger. */
interface Advice {
  readonly response: RecommendResponse
  readonly decision: Decision
  readonly premiumUsd: number
}

type Ports = AdviceServices | Ledger

/** The seven stages in the specification's order, the last two in `Consult.ts`; nothing else knows it. */
const advise = Effect.fnUntraced(function*(
  accountId: AccountId,
  request: RecommendRequest,
  workflowId: string | null
): Effect.fn.Return<Advice, NoCandidateModels, AdviceServices> {
  const settings = yield* Settings
  const beganMs = yield* monotonicMs
  const { createdAtMillis, recommendationId } = yield* RecommendationId.next
  const { allowLlmEscalation, constraints, task } = request

  const classified = yield* degrade(classify(accountId, task, allowLlmEscalation), {
    orElse: ({ costUsd }) => ({ answer: heuristic(task), costUsd }),
    warnings: { ReasonerFailed: "reasoner_failed" }
  })
  const cluster = classified.value.answer
  // One patience for all that is asked; what is asked alone the driver bounds.
  const leftMs = classified.value.costUsd === null
    ? null
    : settings.reasonerBudgetMs - ((yield* monotonicMs) - beganMs)
  const filtered = yield* filter(request, cluster)
  const lane = laneOf(request.namespace)
  const [recalled, numbers, policy, kept] = yield* Effect.all([
    degrade(
      recall({
        accountId,
        lane,
        task: task.task,
        cluster: cluster.cluster,
        tags: task.tags,
        userId: request.userId,
        modelIds: filtered.candidates.map((candidate) => candidate.card.modelId)
      }),
      {
        orElse: () => emptyRecall,
        warnings: { RecallTimeout: "recall_timeout", MemoryUnavailable: "memory_unavailable" }
      }
    ),
    readLaneNumbers(accountId, lane),
    readSelectionPolicy(accountId),
    redactTask(accountId, task.task)
  ], { concurrency: 4 })
  const predicted = yield* aggregate(filtered.candidates, {
    recalled: recalled.value,
    numbers,
    isDifficultyGiven: cluster.isDifficultyGiven,
    tags: task.tags
  })
  const drifts = recalled.warnings.length > 0
    ? []
    : yield* detectRepeats(
      { accountId, lane, cluster: cluster.cluster, task: task.task },
      recalled.value
    )
  // An actor without outcomes of its own recalls none, yet is not cold where the lane's tallies spoke.
  const isCold = recalled.warnings.length === 0 && recalled.value.neighbours.length === 0
    && predicted.every((candidate) => candidate.decisionBasis === "prior")
  const query = {
    task,
    classified: cluster,
    caching: cachingOf(filtered.snapshot, request),
    measurements: recalled.value.measurements
  }
  // Filter fails rather than yield no candidate, so the list is never empty here.
  const tau = threshold(settings, request.costQualityTradeoff, constraints.minQuality)
  const priced = (yield* cost(predicted, query)) as readonly [Priced, ...Array<Priced>]
  const goal = {
    threshold: tau,
    slider: request.costQualityTradeoff,
    budgets: { maxCostPerCall: constraints.maxCostPerCall, maxLatencyMs: constraints.maxLatencyMs },
    selectionPolicy: policy
  }
  const consulted = yield* consult({
    accountId, task: task.task, isAllowed: allowLlmEscalation, priced, goal,
    recalled: recalled.value, leftMs
  })
  const { optimized, scored } = consulted

  const warnings: ReadonlyArray<RecommendWarning> = [...new Set<RecommendWarning>([
    ...classified.warnings,
    ...(cluster.isRefined ? ["llm_classified" as const] : []),
    ...filtered.notes,
    ...recalled.warnings,
    ...(recalled.value.embedderFailed === true ? ["embedder_failed" as const] : []),
    ...(isCold ? ["cold_start" as const] : []),
    ...drifts,
    ...consulted.warnings,
    ...optimized.notes
  ])]
  const latencyMs = (yield* monotonicMs) - beganMs
  const decision = { ...decisionOf(settings, {
    recommendationId, workflowId, createdAt: new Date(createdAtMillis), accountId, request,
    classified: cluster, snapshot: filtered.snapshot, threshold: goal.threshold, priced: scored, optimized,
    recalled: recalled.warnings.length === 0 ? recalled.value : null,
    selectionPolicy: goal.selectionPolicy, warnings, latencyMs,
    reasonerCostUsd: sumUsd(classified.value.costUsd, consulted.costUsd)
  }, query), ...kept }
  yield* annotateDecision(decision)
  const question = { explain: request.explain, taskType: cluster.taskType, nowMs: createdAtMillis }
  const shown = new Map(optimized.ranked.map((candidate) =>
    [candidate, rankedModel(settings, goal, optimized, candidate, question)]))
  const show = (candidate: Scored) =>
    shown.get(candidate) ?? rankedModel(settings, goal, optimized, candidate, question)
  return {
    decision,
    premiumUsd: premiumUsd(scored),
    response: {
      recommendationId,
      recommendedModel: show(optimized.pick),
      ranked: optimized.ranked.map(show),
      fallbackModel: optimized.fallback === null ? null : show(optimized.fallback),
      confidence: optimized.pick.confidence,
      decisionBasis: optimized.pick.decisionBasis,
      thresholdUsed: goal.threshold,
      classifiedTaskType: cluster.taskType,
      classifiedDifficulty: cluster.difficulty,
      catalogVersion: filtered.snapshot.version,
      catalogStale: filtered.snapshot.stale,
      latencyMs: Math.round(latencyMs),
      warnings,
      selectionPolicy: goal.selectionPolicy,
      recommendedActions: recommendedActions(
        settings, optimized.pick, inputTokens(settings, task, cluster), query.caching
      )
    }
  }
}, span("Recommender.advise"))

/** Writes the decisions before the answer, which a ledger that is out or slow costs only a warning. */
const persistDecisions = Effect.fnUntraced(function*(
  advices: readonly [Advice, ...Array<Advice>]
): Effect.fn.Return<ReadonlyArray<RecommendResponse>, never, Ledger | Settings> {
  const ledger = yield* Ledger
  const { ledgerBudgetMs } = yield* Settings
  const [first, ...rest] = advices
  const recording = ledger.record([first.decision, ...rest.map((advice) => advice.decision)]).pipe(
    deadline(ledgerBudgetMs, () => LedgerUnavailable.timedOut(ledgerBudgetMs))
  )
  const recorded = yield* degrade(recording, {
    orElse: () => undefined,
    warnings: { LedgerUnavailable: "memory_unavailable" }
  })
  return yield* Effect.forEach(advices, ({ decision, response }) => {
    const warnings = [...new Set([...response.warnings, ...recorded.warnings])]
    return Effect.as(measureDecision(decision, warnings), { ...response, warnings })
  })
}, span("Recommender.remember"))

const stepRequest = (request: WorkflowRequest, step: WorkflowRequest["steps"][number]): RecommendRequest =>
  RecommendRequest.make({
    task: step.task,
    costQualityTradeoff: request.costQualityTradeoff,
    constraints: merge(request.constraints, step.constraints),
    userId: request.userId,
    namespace: request.namespace,
    allowLlmEscalation: request.allowLlmEscalation
  })

/** Conductor of `recommend/`: which model should run this task? */
export class Recommender extends Context.Service<Recommender, {
  /** Fails only when the constraints leave no model. */
  readonly recommend: (
    accountId: AccountId,
    request: RecommendRequest
  ) => Effect.Effect<RecommendResponse, NoCandidateModels>
  /**
   * Every step runs the same engine on its own; one step without a model fails the workflow, naming the step.
   */
  readonly recommendWorkflow: (
    accountId: AccountId,
    request: WorkflowRequest
  ) => Effect.Effect<WorkflowResponse, NoCandidateModels>
}>()("sextant/engine/Recommender") {
  static readonly layer = Layer.effect(
    Recommender,
    Effect.gen(function*() {
      const ports = yield* Effect.context<Ports>()

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
        ): Effect.fn.Return<WorkflowResponse, NoCandidateModels, Ports> {
          const { recommendationId: workflowId } = yield* RecommendationId.next
          const inTurn = yield* yield* PartTurns
          const advices = yield* Effect.forEach(
            request.steps,
            (step) =>
              inTurn(advise(accountId, stepRequest(request, step), workflowId)).pipe(
                Effect.mapError(() => new NoCandidateModels({ stepId: step.stepId }))
              ),
            { concurrency: (yield* Settings).workflowConcurrency }
          ).pipe(Effect.tap(ownTurn))
          // The schema asks for at least one step.
          const responses = yield* persistDecisions(advices as unknown as readonly [Advice, ...Array<Advice>])
          const total = (of: (each: Advice) => number) => advices.reduce((sum, each) => sum + of(each), 0)
          return {
            workflowRecommendationId: workflowId,
            steps: responses.map((recommendation, i) => ({
              stepId: request.steps[i]?.stepId ?? "",
              recommendation
            })),
            totalEstCostUsd: total((advice) => advice.response.recommendedModel.estCostUsd),
            totalEstCostIfAllPremium: total((advice) => advice.premiumUsd),
            confidence: total((advice) => advice.response.confidence) / advices.length
          }
        },
        Effect.provide(ports),
        span("Recommender.recommendWorkflow")
      )

      return Recommender.of({ recommend, recommendWorkflow })
    })
  )
}
