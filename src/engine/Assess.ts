/** First half of the conductor of `recommend/`: runs the stages before the choice. */
import { Clock, Effect } from "effect"
import { noModels, readAccountModels } from "../accounts/AccountModels.ts"
import { type AccountSetting, unreadSettings } from "../accounts/AccountSettings.ts"
import type { Catalog } from "../catalog/Catalog.ts"
import { prepaidModels } from "../domain/account/Prepaid.ts"
import type { ModelRestarts } from "../domain/model/ModelIdentity.ts"
import type { RecommendRequest } from "../domain/Recommendation.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import type { GuaranteeQuery } from "../ledger/GuaranteeEvidence.ts"
import type { LaneCalibrations } from "../ledger/LaneCalibration.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import { allHealthy } from "../ledger/ModelsHealth.ts"
import { Memory } from "../memory/Memory.ts"
import type { RecentTasks } from "../memory/RecentTasks.ts"
import type { Reasoner } from "../reasoner/Reasoner.ts"
import { spreadOf } from "../stats/DifficultySpread.ts"
import type { LaneNumbers } from "../stats/LaneNumbers.ts"
import { degrade } from "./Degraded.ts"
import type { NoCandidateModels } from "./NoCandidateModels.ts"
import { aggregate } from "./recommend/Aggregate.ts"
import type { Assessment } from "./recommend/answer/Advice.ts"
import { condition } from "./recommend/attempts/Condition.ts"
import { knownAttempts } from "./recommend/attempts/KnownAttempts.ts"
import type { Candidate, Classified, Predicted, CostedCandidates } from "./recommend/candidates/Candidate.ts"
import { affordableGoal, isLower, loweredGoal } from "./recommend/choice/BudgetGoal.ts"
import { guaranteeGoal, guaranteeOf, underGuarantee } from "./recommend/choice/GuaranteeGoal.ts"
import { type Goal, goalOf } from "./recommend/choice/Choose.ts"
import { incumbentGoal } from "./recommend/choice/Incumbent.ts"
import { asksForPlan, planGoal } from "./recommend/choice/Plan.ts"
import { underValue } from "./recommend/choice/Threshold.ts"
import { classify, heuristic } from "./recommend/Classify.ts"
import { cost } from "./recommend/Cost.ts"
import { cachingOf } from "./recommend/cost/ListCost.ts"
import { detectRepeats } from "./recommend/DetectRepeats.ts"
import { filter } from "./recommend/Filter.ts"
import { healthGoal } from "./recommend/choice/Health.ts"
import { formerOutcomes } from "./recommend/prediction/FormerOutcomes.ts"
import { readAccountSettings } from "./recommend/ReadAccountSettings.ts"
import { readAttempts } from "./recommend/ReadAttempts.ts"
import { readBudget } from "./recommend/ReadBudget.ts"
import { readGuarantee } from "./recommend/ReadGuarantee.ts"
import { readHealth } from "./recommend/ReadHealth.ts"
import { readLaneNumbers } from "./recommend/ReadLaneNumbers.ts"
import { emptyRecall, recall } from "./recommend/Recall.ts"
import { redactTask, withoutVectors } from "./recommend/RedactTask.ts"
import { type EngineSettings, Settings } from "./Settings.ts"

/** What the stages of an advice need from outside. */
export type AdviceServices = Catalog | LaneCalibrations | Ledger | Memory | RecentTasks | Reasoner | Settings

/** Look-ups that cannot fail begin at once; a defect of one interrupts the others and is passed on. */
const sideBySide = { concurrency: "unbounded" } as const

/** What is known of no guarantee. */
const unguaranteed = Effect.succeed({ value: null, warnings: [] })

/** What the ledger tells of attempts that name no recommendation. */
const unnamed = Effect.succeed({ value: [], warnings: [] })

/** The account's own models and settings, and the request under its own terms or else the account's. */
const readAccount = Effect.fnUntraced(function*(accountId: AccountId, given: RecommendRequest) {
  const { recallBudgetMs } = yield* Settings
  const [models, own] = yield* Effect.all([
    degrade(readAccountModels(accountId, recallBudgetMs), {
      orElse: () => noModels, warnings: { LedgerUnavailable: "account_models_unavailable" }
    }),
    degrade(readAccountSettings(accountId), {
      orElse: () => unreadSettings, warnings: { LedgerUnavailable: "account_settings_unavailable" }
    })
  ], sideBySide)
  return {
    account: models.value,
    own: own.value,
    accountWarnings: [...models.warnings, ...own.warnings],
    request: underValue(underGuarantee(given, own.value.guarantee), own.value.successValueUsd)
  }
})

/** What is looked up for a request side by side, each look-up within the recall budget. */
const lookUp = Effect.fnUntraced(function*(
  { laneStart }: EngineSettings,
  accountId: AccountId,
  own: AccountSetting,
  request: RecommendRequest,
  { cluster }: Classified,
  candidates: ReadonlyArray<Candidate>,
  guarantee: GuaranteeQuery | null,
  restarts: ModelRestarts
) {
  const { attempts, task: { task, tags }, userId } = request
  const lane = laneOf(request.namespace)
  const modelIds = candidates.map(({ card }) => card.modelId)
  const isNamed = attempts.some(({ recommendationId }) => recommendationId !== null)
  const [recalled, numbers, redacted, evidence, health, attempted] = yield* Effect.all([
    degrade(recall({ accountId, lane, task, cluster, tags, userId, modelIds, restarts }), {
      orElse: () => emptyRecall,
      warnings: { RecallTimeout: "recall_timeout", MemoryUnavailable: "memory_unavailable" }
    }),
    degrade(readLaneNumbers(accountId, lane), {
      orElse: () => laneStart,
      warnings: { LedgerUnavailable: "lane_numbers_unavailable" }
    }),
    degrade(redactTask(accountId, own, task), {
      orElse: () => withoutVectors,
      warnings: { MemoryUnavailable: { log: "A task is kept without its vectors" } }
    }),
    guarantee === null ? unguaranteed : degrade(readGuarantee(guarantee), {
      orElse: () => null,
      warnings: { LedgerUnavailable: "guarantee_unavailable" }
    }),
    degrade(readHealth(accountId), {
      orElse: () => allHealthy, warnings: { LedgerUnavailable: { log: "Every model counts as healthy" } }
    }),
    isNamed
      ? degrade(readAttempts(accountId, attempts), {
        orElse: () => [], warnings: { LedgerUnavailable: "attempts_unavailable" }
      })
      : unnamed
  ], sideBySide)
  return {
    lane, recalled: recalled.value, recallWarnings: recalled.warnings,
    numbers: numbers.value, numbersWarnings: numbers.warnings,
    redacted: redacted.value,
    health: health.value,
    evidence: evidence.value, evidenceWarnings: evidence.warnings,
    attempted
  }
})

/** What the ledger knows of each attempt, or a warning that it could not be read. */
type Attempted = Effect.Success<ReturnType<typeof lookUp>>["attempted"]

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
  const quotas = prepaidModels(document, uses, askedAtMs)
  const { candidates, notes, prepaid, snapshot, spellings } = yield* filter(
    request, classified, document,
    () => knownModels({ accountId, lane: laneOf(request.namespace) }, classified.cluster),
    quotas
  )
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
  const caching = cachingOf(snapshot, request)
  const query = { task, classified, caching, measurements: recalled.measurements }
  const guarantee = terms === null || promised === null
    ? null
    : guaranteeGoal(settings, {
      request, terms, asked: promised, evidence, selectionPolicy, kind: classified.taskType
    })
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
  const { goal } = affordable ?? { goal: aimed }
  return {
    request, classified, snapshot, spellings, recalled, isRecalled, goal, redacted, query, costUsd, leftMs,
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
