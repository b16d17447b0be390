import { Schema } from "effect"
import { RecommendRequest, RecommendResponse } from "../../../src/domain/Recommendation.ts"
import { laneOf } from "../../../src/domain/Scope.ts"
import { WorkflowResponse } from "../../../src/domain/Workflow.ts"
import type { Recalled } from "../../../src/memory/Memory.ts"
import type { RepeatCounts } from "../../../src/memory/RecentTasks.ts"
import type { Backend } from "./backend.ts"
import type { Diary, Seen } from "./faults.ts"
import type { Answer, Question } from "./process.ts"
import { unheardOf } from "./workload.ts"

/*
 * What a recommendation has to be like, worked out again from the request, the catalog and what the
 * dependencies are known to have done to it. Nothing here calls the engine.
 */

/** One request, from when it was sent until its answer was there. */
export interface Exchange {
  readonly account: string
  readonly isKeyGood: boolean
  readonly question: Question
  readonly answer: Answer
  readonly diary: Diary
  readonly beganMs: number
  readonly endedMs: number
}

export type Complain = (about: string) => void

const recallBudgetMs = 250
const ledgerBudgetMs = 1_000
const keyPatienceMs = 2_000
const reasonerBudgetMs = 8_000

export const decoded = <A>(schema: Schema.Codec<A, unknown>): (json: unknown) => A =>
  Schema.decodeUnknownSync(Schema.toCodecJson(schema) as unknown as Schema.Codec<A, unknown>)

const readRecommendation = decoded(RecommendResponse as unknown as Schema.Codec<RecommendResponse, unknown>)
const readWorkflow = decoded(WorkflowResponse as unknown as Schema.Codec<WorkflowResponse, unknown>)
const readRequest = decoded(RecommendRequest as unknown as Schema.Codec<RecommendRequest, unknown>)

const seenOf = (diary: Diary, port: Seen["port"], what?: string): Seen | undefined =>
  diary.seen.findLast((seen) => seen.port === port && (what === undefined || seen.what === what))

/** Whoever waits in vain answers before what it waited for has come to know. */
const isCut = ({ end }: Seen): boolean => end === "cut" || end === null
const tookMs = ({ beganMs, endedMs }: Seen): number => (endedMs ?? Infinity) - beganMs
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a))
const tagOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "_tag" in value ? String(value._tag) : ""

/** What the key alone comes to; null when the request goes on. */
export const checkKey = (exchange: Exchange, isLenient: boolean, complain: Complain): boolean => {
  const { answer, diary, isKeyGood } = exchange
  const verify = seenOf(diary, "verify")
  if (verify === undefined || verify.end === null) {
    complain("was answered without a look at its key")
    return false
  }
  if (verify.end === "ok") {
    if (!isKeyGood) complain("a bad key was taken")
    return isKeyGood
  }
  const tag = tagOf(verify.value)
  const want = tag === "KeyRejected" ? 401 : isLenient ? 200 : 503
  if (tag === "KeyRejected" && isKeyGood) complain("a good key was refused")
  if (answer.status !== want) complain(`${tag} was answered ${answer.status}`)
  return false
}

/** Models that the request's constraints leave, before the budgets. */
const poolOf = ({ catalog }: Backend, { constraints }: RecommendRequest): ReadonlyArray<string> =>
  catalog.models.filter((card) =>
    (constraints.candidateModels === null || constraints.candidateModels.includes(card.modelId))
    && (constraints.allowedProviders === null || constraints.allowedProviders.includes(card.provider))
    && !(constraints.excludedModels ?? []).includes(card.modelId)
    && (!constraints.requirePromptCaching || card.supportsPromptCaching)
    && (constraints.requireContextWindow === null || card.contextWindow >= constraints.requireContextWindow)
  ).map(({ modelId }) => modelId)

type Ranked = RecommendResponse["ranked"][number]

/** The cheapest at or above the bar; else the likeliest. Ties by success, then cost. */
const ruleOf = (ranked: ReadonlyArray<Ranked>, tau: number): ReadonlyArray<string> => {
  const highest = Math.max(...ranked.map(({ predictedSuccess }) => predictedSuccess))
  const good = ranked.filter(({ predictedSuccess }) => predictedSuccess >= Math.min(tau, highest))
  const least = Math.min(...good.map(({ estCostUsd }) => estCostUsd))
  const cheapest = good.filter(({ estCostUsd }) => estCostUsd <= least + 1e-9)
  const likeliest = Math.max(...cheapest.map(({ predictedSuccess }) => predictedSuccess))
  return cheapest.filter(({ predictedSuccess }) => predictedSuccess === likeliest).map(({ modelId }) => modelId)
}

/** The probabilities with which exploration picks each eligible model. */
const sharesOf = (eligible: ReadonlyArray<Ranked>, greedy: string): ReadonlyMap<string, number> => {
  const most = Math.max(...eligible.map(({ predictedSuccess }) => predictedSuccess))
  const raised = eligible.map(({ predictedSuccess }) => Math.exp((predictedSuccess - most) / 0.1))
  const total = raised.reduce((sum, value) => sum + value, 0)
  return new Map(eligible.map(({ modelId }, index) =>
    [modelId, 0.03 * raised[index]! / total + (modelId === greedy ? 0.97 : 0)]))
}

const checkChoice = (response: RecommendResponse, complain: Complain): number => {
  const { ranked, recommendedModel, selectionPolicy, thresholdUsed, warnings } = response
  const own = ranked.find(({ modelId }) => modelId === recommendedModel.modelId)
  if (own === undefined) complain(`recommends ${recommendedModel.modelId}, which it does not rank`)
  const rule = ruleOf(ranked, thresholdUsed)
  const isByRule = response.switchReason === "within_noise" || rule.includes(recommendedModel.modelId)
  const eligible = ranked.filter(({ predictedSuccess }) => predictedSuccess >= thresholdUsed)
  const isExplored = warnings.includes("exploration_pick")
  if (selectionPolicy === "argmin" && !isByRule) {
    complain(`recommends ${recommendedModel.modelId} where the rule says ${rule.join(" or ")}`)
  }
  if (isExplored !== !isByRule) complain("exploration_pick does not say whether the rule was left")
  if (!isByRule && !eligible.some(({ modelId }) => modelId === recommendedModel.modelId)) {
    complain("explores below the bar")
  }
  if (warnings.includes("no_model_meets_threshold") !== (eligible.length === 0)) {
    complain("no_model_meets_threshold does not say whether one does")
  }
  ranked.forEach(({ score = NaN }, index) => {
    if (index > 0 && !(score <= ranked[index - 1]!.score!)) complain("ranked is not in the order of the scores")
  })
  const { fallbackModel } = response
  const likelier = ranked.filter(({ predictedSuccess }) => predictedSuccess > recommendedModel.predictedSuccess)
  if (fallbackModel === null && likelier.length > 0) complain("the fallback is missing")
  if (fallbackModel !== null && !likelier.some(({ modelId }) => modelId === fallbackModel.modelId)) {
    complain("falls back on a model that is no likelier than the pick")
  }
  if (selectionPolicy === "argmin" || eligible.length < 2 || rule[0] === undefined) return 1
  const shares = sharesOf(eligible, rule.length === 1 ? rule[0] : isByRule ? recommendedModel.modelId : rule[0])
  const sum = [...shares.values()].reduce((total, share) => total + share, 0)
  if (!isNear(sum, 1)) complain(`propensities sum to ${sum}`)
  return shares.get(recommendedModel.modelId) ?? 0
}

const checkConstraints = (
  backend: Backend,
  request: RecommendRequest,
  { ranked, thresholdUsed, warnings }: RecommendResponse,
  complain: Complain
) => {
  const pool = poolOf(backend, request)
  for (const { modelId } of ranked) if (!pool.includes(modelId)) complain(`ranks ${modelId} against a constraint`)
  if (ranked.length > request.maxCandidates) complain("ranks more than max_candidates")
  const { candidateModels, maxCostPerCall, maxLatencyMs, minQuality } = request.constraints
  const tau = Math.max(0.55 + request.costQualityTradeoff / 10 * 0.37, minQuality ?? 0)
  if (!isNear(tau, thresholdUsed)) complain(`threshold ${thresholdUsed} instead of ${tau}`)
  const capped = candidateModels !== null && pool.length > request.maxCandidates
    ? `candidates_capped:${pool.length - request.maxCandidates}`
    : null
  const said = warnings.find((warning) => warning.startsWith("candidates_capped:")) ?? null
  if (said !== capped) complain(`says ${said} where ${capped} is true`)
  const dear = ranked.filter(({ estCostUsd }) => maxCostPerCall !== null && estCostUsd > maxCostPerCall)
  if (warnings.includes("no_model_within_cost_budget")) {
    if (dear.length < ranked.length) complain("relaxes a cost budget that a model keeps")
  } else if (dear.length > 0) complain(`ranks ${dear[0]?.modelId} over the cost budget`)
  const slow = ranked.filter(({ estLatencyMs }) =>
    maxLatencyMs !== null && estLatencyMs != null && estLatencyMs > maxLatencyMs)
  const timed = ranked.filter(({ estLatencyMs }) => estLatencyMs !== null)
  if (warnings.includes("no_model_within_latency_budget")) {
    if (timed.length === 0 || slow.length < timed.length) complain("relaxes a latency budget that a model keeps")
  } else if (slow.length > 0) complain(`ranks ${slow[0]?.modelId} over the latency budget`)
}

/** What recall and the drift of memory have to say, and when it had to be given up. */
const recallWarnings = (diary: Diary, task: string, response: RecommendResponse, complain: Complain): Array<string> => {
  const recall = seenOf(diary, "recall", task)
  if (recall === undefined) {
    complain("did not recall")
    return []
  }
  if (recall.end === "cut" && !isNear(tookMs(recall), recallBudgetMs)) complain(`gave recall up after ${tookMs(recall)} ms`)
  if (!isCut(recall) && tookMs(recall) > recallBudgetMs) complain(`waited ${tookMs(recall)} ms for recall`)
  if (recall.end === "failed") return ["memory_unavailable"]
  if (isCut(recall)) return ["recall_timeout"]
  const { neighbours, tallies } = recall.value as Recalled
  const isCold = neighbours.length === 0 && (tallies.size === 0 || response.warnings.includes("cold_start"))
  if (isCold && response.ranked.some(({ decisionBasis }) => decisionBasis === "memory")) complain("is cold, and from memory")
  const note = seenOf(diary, "note", task)?.value as RepeatCounts | undefined
  if (note === undefined) complain("did not note what was asked")
  const isFollowedUp = [...neighbours].some(({ ageDays, similarity }) =>
    similarity >= 0.95 && (seenOf(diary, "note", task)?.beganMs ?? 0) - ageDays * 86_400_000 > (note?.alikeSinceMs ?? 0))
  return [
    ...(isCold ? ["cold_start"] : []),
    ...((note?.alike ?? 0) >= 5 && !isFollowedUp ? ["memory_drift:repeated"] : []),
    ...((note?.sameRecalls ?? 0) > 5 ? ["memory_drift:stagnant"] : [])
  ]
}

const reasonerWarnings = (
  { diary }: Exchange,
  task: string,
  request: RecommendRequest,
  response: RecommendResponse,
  isConfigured: boolean,
  complain: Complain
): Array<string> => {
  const classified = seenOf(diary, "classify", task)
  const ranked = seenOf(diary, "rank", task)
  const suggested = response.escalationReasons
  const isMoved = response.ranked.some(({ decisionBasis }) => decisionBasis === "llm")
  if ((classified !== undefined || ranked !== undefined || suggested.length > 0) && !request.allowLlmEscalation) {
    complain("escalates although it may not")
  }
  if (!isConfigured) return suggested.length > 0 ? ["reasoner_disabled"] : []
  const isOutOfTime = suggested.length > 0 && ranked === undefined
  if (isOutOfTime && (classified === undefined || tookMs(classified) + recallBudgetMs < reasonerBudgetMs - 100)) {
    complain("did not ask the reasoner, whose time was not up")
  }
  if (suggested.length === 0 && ranked !== undefined) complain("asked the reasoner without saying why")
  if (isMoved && ranked?.end !== "ok") complain("scores moved that the reasoner did not judge")
  const isFailed = isOutOfTime || [classified, ranked].some((seen) => seen !== undefined && seen.end !== "ok")
  return [
    ...(classified?.end === "ok" ? ["llm_classified"] : []),
    ...(isFailed ? ["reasoner_failed"] : []),
    ...(isMoved ? ["reasoner_consulted"] : [])
  ]
}

/**
 * Reasons that can be seen from outside, where the reasoner moved nothing and nothing was explored. Each also
 * needs a rival of the pick, which is not seen. One that is shown by another reason is a rival for all, except
 * that thin evidence is content with less, and that a tie needs the rival in the first two places.
 */
const checkReasons = (
  { confidence, escalationReasons, ranked, recommendedModel, warnings }: RecommendResponse,
  complain: Complain
) => {
  if (warnings.includes("reasoner_consulted") || warnings.includes("exploration_pick")) return
  const [first, second] = ranked
  const said = (reason: string) => escalationReasons.includes(reason)
  const hasRival = ["low_confidence", "tie", "conflict", "wide_interval", "low_recall_confidence"].some(said)
  const isInFront = [first, second].some((each) => each?.modelId === recommendedModel.modelId)
  const holds: ReadonlyArray<readonly [string, boolean]> = [
    ["low_confidence", confidence < 0.45],
    ["tie", first !== undefined && second !== undefined && first.score! - second.score! < 0.05 && isInFront],
    ["wide_interval", recommendedModel.successIntervalWidth! > 0.5]
  ]
  for (const [reason, isTrue] of holds) {
    if (said(reason) && !isTrue) complain(`says ${reason}, which does not hold`)
    if (isTrue && hasRival && reason !== "tie" && !said(reason)) complain(`${reason} holds, and is not said`)
  }
  if (ranked.length < 2 && escalationReasons.length > 0) {
    complain("asks about the only candidate")
  }
}

/** Of conditions that the checks above apply one by one. */
const settledElsewhere = /^candidates_capped:|^(no_model_|exploration_pick)/

const checkWarnings = (said: ReadonlyArray<string>, wanted: ReadonlyArray<string>, complain: Complain) => {
  const rest = said.filter((warning) => !settledElsewhere.test(warning))
  const missing = wanted.filter((warning) => !rest.includes(warning))
  const invented = rest.filter((warning) => !wanted.includes(warning))
  if (new Set(said).size < said.length) complain("says a warning twice")
  if (missing.length > 0) complain(`does not say ${[...new Set(missing)].join(", ")}`)
  if (invented.length > 0) complain(`says ${invented.join(", ")} for nothing`)
}

/** What is told of a memory must be of the account's own lane, and of the actor, if there is one. */
const checkEvidence = (
  { observations }: Backend,
  { account }: Exchange,
  request: RecommendRequest,
  { ranked }: RecommendResponse,
  complain: Complain
) => {
  for (const { evidence, modelId } of ranked) {
    for (const { entryId } of evidence!) {
      if (entryId.startsWith("seed:")) continue
      const told = observations.get(entryId)
      if (told?.accountId !== account || told.lane !== laneOf(request.namespace)) {
        complain(`shows ${entryId}, which is not of its account's lane`)
      } else if (told.modelId !== modelId) complain(`shows ${entryId} of another model`)
      if (request.userId !== null && told?.userId !== request.userId) complain(`shows ${entryId} of another actor`)
    }
    if (!request.explain && evidence!.length > 0) complain("explains unasked")
  }
}

const timeIn = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** One recommendation, alone or a workflow's step; yields whether it was written. */
const checkOne = (
  backend: Backend,
  exchange: Exchange,
  request: RecommendRequest,
  response: RecommendResponse,
  isConfigured: boolean,
  complain: Complain
) => {
  const { account, beganMs, diary, endedMs } = exchange
  const { recommendationId } = response
  const task = request.task.task
  const propensity = checkChoice(response, complain)
  checkConstraints(backend, request, response, complain)
  checkEvidence(backend, exchange, request, response, complain)
  if (request.allowLlmEscalation) checkReasons(response, complain)
  const record = diary.seen.find((seen) => seen.port === "record" && seen.what.includes(recommendationId))
  if (record === undefined) return complain("was answered before the ledger was told")
  if (record.end === "cut" && !isNear(tookMs(record), ledgerBudgetMs)) complain(`gave the ledger up after ${tookMs(record)} ms`)
  if (!isCut(record) && tookMs(record) > ledgerBudgetMs) complain(`waited ${tookMs(record)} ms for the ledger`)
  const prices = diary.faults.some(([port]) => port === "catalog")
  if (response.catalogStale && !prices) complain("calls fresh prices stale")
  checkWarnings(response.warnings, [
    ...recallWarnings(diary, task, response, complain),
    ...reasonerWarnings(exchange, task, request, response, isConfigured, complain),
    ...(record.end === "ok" ? [] : ["memory_unavailable"]),
    ...(response.catalogStale ? ["prices_stale"] : []),
    // Said only of a fault, which a delay within the budget is not.
    ...(diary.faults.some(([port]) => port === "lanes.read")
      ? response.warnings.filter((warning) => warning === "lane_numbers_unavailable") : []),
    ...(request.baselineModelId === unheardOf ? ["unknown_models:1"] : [])
  ], complain)
  const createdAtMs = timeIn(recommendationId)
  if (createdAtMs < Math.floor(beganMs) || createdAtMs > endedMs) complain("its id is of another time")
  const written = backend.written.get(recommendationId)?.decision
  if (written === undefined && record.end === "ok") complain("is not in the ledger")
  if (written === undefined) return
  if (written.accountId !== account) complain("is another account's in the ledger")
  if (written.lane !== laneOf(request.namespace)) complain("is another lane's in the ledger")
  if (written.recommendedModelId !== response.recommendedModel.modelId) complain("is of another model in the ledger")
  if (!isNear(written.costRecommendedUsd, response.recommendedModel.estCostUsd)) complain("costs another sum in the ledger")
  if (!isNear(written.propensity, propensity)) complain(`propensity ${written.propensity} instead of ${propensity}`)
}

/** The longest that an answer may take on the clock of the run. */
const checkDeadline = ({ beganMs, diary, endedMs }: Exchange, complain: Complain) => {
  const isAsked = diary.seen.some(({ port }) => port === "rank" || port === "classify")
  const mostMs = keyPatienceMs + recallBudgetMs + ledgerBudgetMs + (isAsked ? reasonerBudgetMs : 0)
  if (endedMs - beganMs > mostMs + 1e-3) complain(`took ${endedMs - beganMs} ms, and may take ${mostMs}`)
}

interface Asked {
  readonly backend: Backend
  readonly isReasonerConfigured: boolean
}

export const checkRecommendation = ({ backend, isReasonerConfigured }: Asked, exchange: Exchange, complain: Complain) => {
  const { answer, question } = exchange
  checkDeadline(exchange, complain)
  if (!checkKey(exchange, false, complain)) return null
  const request = readRequest(question.body)
  const isPossible = poolOf(backend, request).length > 0
  if (answer.status !== (isPossible ? 200 : 422)) {
    complain(`was answered ${answer.status}`)
    return null
  }
  if (!isPossible) return null
  const response = readRecommendation(answer.json)
  checkOne(backend, exchange, request, response, isReasonerConfigured, complain)
  return response
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

export const checkWorkflow = ({ backend, isReasonerConfigured }: Asked, exchange: Exchange, complain: Complain) => {
  const { answer, question } = exchange
  checkDeadline(exchange, complain)
  if (!checkKey(exchange, false, complain)) return null
  if (answer.status !== 200) {
    complain(`was answered ${answer.status}`)
    return null
  }
  const response = readWorkflow(answer.json)
  const { steps, ...whole } = question.body as { readonly steps: ReadonlyArray<{ readonly step_id: string }> }
  response.steps.forEach(({ recommendation, stepId }, index) => {
    const { step_id, ...own } = steps[index] ?? { step_id: "" }
    if (stepId !== step_id) complain("answers another step")
    checkOne(backend, exchange, readRequest({ ...whole, ...own }), recommendation, isReasonerConfigured, complain)
  })
  const total = sum(response.steps.map(({ recommendation }) => recommendation.recommendedModel.estCostUsd))
  if (!isNear(total, response.totalEstCostUsd)) complain("its steps do not add up")
  return response
}
