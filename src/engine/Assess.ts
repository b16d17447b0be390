/** First half of the conductor of `recommend/`: runs the stages before the choice; `LookUp.ts` reads. */
import { Clock, type Context, Effect } from "effect"
import { Catalog } from "../catalog/Catalog.ts"
import { prepaidModels } from "../domain/account/Prepaid.ts"
import type { RecommendRequest } from "../domain/Recommendation.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import { LaneCalibrations } from "../ledger/LaneCalibration.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Memory } from "../memory/Memory.ts"
import { RecentTasks } from "../memory/RecentTasks.ts"
import { Reasoner } from "../reasoner/Reasoner.ts"
import { inStep } from "../resilience/CooperativeYield.ts"
import { spreadOf } from "../stats/DifficultySpread.ts"
import type { LaneNumbers } from "../stats/LaneNumbers.ts"
import { degrade } from "./Degraded.ts"
import { type Attempted, lookUp, readAccount } from "./LookUp.ts"
import type { NoCandidateModels } from "./NoCandidateModels.ts"
import { readBudget } from "./recommend/AccountReads.ts"
import { aggregate } from "./recommend/Aggregate.ts"
import type { Assessment } from "./recommend/answer/Advice.ts"
import { condition } from "./recommend/attempts/Condition.ts"
import { knownAttempts } from "./recommend/attempts/KnownAttempts.ts"
import type { CostedCandidates, Predicted } from "./recommend/candidates/Candidate.ts"
import { affordableGoal, isLower, loweredGoal } from "./recommend/choice/BudgetGoal.ts"
import { guaranteeGoal, guaranteeOf } from "./recommend/choice/GuaranteeGoal.ts"
import { type Goal, goalOf } from "./recommend/choice/Choose.ts"
import { incumbentGoal } from "./recommend/choice/Incumbent.ts"
import { asksForPlan, planGoal } from "./recommend/choice/Plan.ts"
import { classify, heuristic } from "./recommend/Classify.ts"
import { cost } from "./recommend/Cost.ts"
import { cachingOf } from "./recommend/cost/ListCost.ts"
import { detectRepeats } from "./recommend/DetectRepeats.ts"
import { filter } from "./recommend/Filter.ts"
import { healthGoal } from "./recommend/choice/Health.ts"
import { formerOutcomes } from "./recommend/prediction/FormerOutcomes.ts"
import { type EngineSettings, Settings } from "./Settings.ts"

/** What the stages of an advice need from outside. */
export const advicePorts = [
  Catalog, LaneCalibrations, Ledger, Memory, RecentTasks, Reasoner, Settings
] as const
export type AdviceServices = Context.Service.Identifier<typeof advicePorts[number]>

/** Which task the candidates were predicted for. */
type PredictedTask = Pick<Assessment, "classified" | "snapshot">

/** The candidates given earlier attempts at the task, for a request that is about attempts. */
const afterAttempts = (
  settings: EngineSettings,
  { attempts, verification }: RecommendRequest,
  { value: ledger, warnings }: Attempted,
  predicted: ReadonlyArray<Predicted>,
  { spreadEvidence }: LaneNumbers,
  task: PredictedTask
) => {
  const known = knownAttempts(settings, task.snapshot, attempts, verification, ledger)
  const isUnread = warnings.length > 0 || known.unknown === 0
  const spread = spreadOf(spreadEvidence, settings.difficultySpread)
  return {
    ...condition(settings, predicted, known, { ...task, spread }),
    warnings: isUnread ? warnings : [`unknown_attempts:${known.unknown}` as const]
  }
}

/** Stages 1 to 5: classify, filter, recall, aggregate, cost. */
export const assess = Effect.fnUntraced(function*(
  accountId: AccountId,
  given: RecommendRequest,
  beganMs: number
): Effect.fn.Return<Assessment, NoCandidateModels, AdviceServices> {
  const settings = yield* Settings
  const askedAtMs = yield* Clock.currentTimeMillis
  const { account: { document, prepaid: uses, restarts }, accountWarnings, own, request } =
    yield* readAccount(accountId, given)
  const { allowLlmEscalation, guarantee: terms, task } = request
  yield* inStep
  const { value: { answer: classified, costUsd }, warnings } = yield* degrade(
    classify(accountId, task, allowLlmEscalation),
    {
      orElse: ({ costUsd }) => ({ answer: heuristic(task), costUsd }),
      warnings: { ReasonerFailed: "reasoner_failed" }
    }
  )
  // All questions share one budget. Null: classify asked none, and the driver's own limit is enough.
  const leftMs = costUsd === null ? null : settings.reasonerBudgetMs - ((yield* monotonicMs) - beganMs)
  const { knownModels } = yield* Memory
  yield* inStep
  const quotas = prepaidModels(document, uses, askedAtMs)
  const { candidates, notes, prepaid, snapshot, spellings } = yield* filter(
    request, classified, document,
    () => knownModels({ accountId, lane: laneOf(request.namespace) }, classified.cluster),
    quotas, own.budget?.isHard
  )
  yield* inStep
  const promised = terms === null
    ? null
    : guaranteeOf(accountId, laneOf(request.namespace), terms, snapshot, restarts)
  // Without its baseline a guarantee promises nothing, so nothing is read for it.
  const hasBaseline = candidates.some(({ card }) => card.modelId === promised?.baselineModelId)
  const kept = hasBaseline ? promised : null
  const {
    attempted, evidence, evidenceWarnings, health, lane, numbers, numbersWarnings, recalled, recallWarnings,
    redacted
  } = yield* lookUp(settings, accountId, own, request, classified, candidates, kept, restarts)
  yield* inStep
  const selectionPolicy = own.selectionPolicy ?? settings.selectionPolicy
  const isRecalled = recallWarnings.length === 0
  const { cluster, isDifficultyKnown } = classified
  const predicted = yield* aggregate(candidates, { recalled, numbers, isDifficultyKnown, tags: task.tags })
  const repeats = isRecalled
    ? yield* detectRepeats({ accountId, lane, cluster, task: task.task }, recalled)
    : []
  // An actor without outcomes of its own recalls none, yet is not cold where the lane's tallies count.
  const isCold = isRecalled && recalled.neighbours.length === 0
    && predicted.every(({ decisionBasis }) => decisionBasis === "prior")
  const former = restarts.size === 0
    ? []
    : formerOutcomes(restarts, candidates, recalled.neighbours, askedAtMs)
  yield* inStep
  const caching = cachingOf(snapshot, request)
  const query = { task, classified, caching, measurements: recalled.measurements }
  const guarantee = terms === null || promised === null
    ? null
    : guaranteeGoal({ request, terms, asked: promised, evidence, kind: classified.taskType })
  const tried = asksForPlan(request)
    ? afterAttempts(settings, request, attempted, predicted, numbers, { classified, snapshot })
    : null
  const single: Goal = {
    ...goalOf(settings, request, selectionPolicy, guarantee),
    health: healthGoal(health, candidates),
    incumbent: incumbentGoal(caching, request.constraints)
  }
  const asked: Goal = tried === null
    ? single
    : { ...single, plan: planGoal(settings, request, tried) }
  // Last, so that what other requests take meanwhile is known.
  const { value: openBudget, warnings: budgetWarnings } = yield* degrade(readBudget(accountId, own.budget), {
    orElse: () => null, warnings: { LedgerUnavailable: "budget_unavailable" }
  })
  const aimed = openBudget === null ? asked : loweredGoal(settings, request, asked, openBudget.state.shift)
  // Filter fails rather than yield no candidate, so the list is never empty here.
  const priced = (yield* cost(tried?.candidates ?? predicted, query)) as CostedCandidates
  const affordable = openBudget === null
    ? null
    : affordableGoal(settings, request, aimed, priced, openBudget.state)
  yield* inStep
  const { goal } = affordable ?? { goal: aimed }
  return {
    request, classified, snapshot, spellings, recalled, goal, redacted, query, costUsd, leftMs,
    priced, prepaid,
    spending: openBudget === null || affordable === null ? null : { ...affordable, openBudget },
    warnings: [
      ...accountWarnings,
      ...warnings,
      ...(classified.isRefined ? ["llm_classified" as const] : []),
      ...notes,
      ...recallWarnings,
      ...numbersWarnings,
      ...evidenceWarnings,
      ...(tried?.warnings ?? []),
      ...budgetWarnings,
      ...(recalled.embedderFailed === true ? ["embedder_failed" as const] : []),
      ...(isCold ? ["cold_start" as const] : []),
      ...former,
      ...repeats,
      ...(isLower(goal, asked) ? ["budget_paced" as const] : [])
    ]
  }
})
