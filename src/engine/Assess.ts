/** Part of the pipeline: the stages `classify` to `cost`, which run before the choice of a model. */
import { Effect } from "effect"
import type { RecommendRequest } from "../domain/Recommendation.ts"
import { laneOf } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import { Memory } from "../memory/Memory.ts"
import { lookUp, readAccount } from "./LookUp.ts"
import type { NoCandidateModels } from "./NoCandidateModels.ts"
import { degrade, Notes } from "./Notes.ts"
import { criteriaLevels } from "./policies/BudgetCriteria.ts"
import { policyContext } from "./policies/Policy.ts"
import type { AdviceServices } from "./Ports.ts"
import { readBudget } from "./recommend/AccountReads.ts"
import { underTerms } from "./recommend/AccountTerms.ts"
import { aggregate } from "./recommend/Aggregate.ts"
import { afterAttempts } from "./recommend/attempts/AfterAttempts.ts"
import type { CostedCandidates } from "./recommend/candidates/Candidate.ts"
import { checkFindings } from "./recommend/CheckFindings.ts"
import { classify, heuristic } from "./recommend/Classify.ts"
import { cost } from "./recommend/Cost.ts"
import { cachingOf } from "./recommend/cost/ListCost.ts"
import { filter } from "./recommend/Filter.ts"
import { recallWarnings } from "./recommend/RecallWarnings.ts"
import type { RecommendationIdentity, RequestContext } from "./recommend/RequestContext.ts"
import { Settings } from "./Settings.ts"

/** Runs the stages, and returns the context for the choice, the decision and the answer. */
export const assess = Effect.fnUntraced(function*(
  identity: RecommendationIdentity,
  given: RecommendRequest
): Effect.fn.Return<RequestContext, NoCandidateModels, AdviceServices> {
  const { accountId, createdAt } = identity
  const askedAtMs = createdAt.getTime()
  const settings = yield* Settings
  const { knownModels } = yield* Memory
  const notes = new Notes()
  const [{ document, restarts }, own] = yield* readAccount(notes, accountId)
  const request = underTerms(given, own)
  const { task } = request
  const lane = laneOf(request.namespace)
  const reading = classify(accountId, task, request.allowLlmEscalation)
  const { answer: classified, costUsd: reasonerCostUsd } = yield* degrade(notes, reading, {
    orElse: ({ costUsd }) => ({ answer: heuristic(task), costUsd }),
    warnings: { ReasonerFailed: "reasoner_failed" }
  })
  if (classified.isRefined) notes.add("llm_classified")
  // All questions of a request to the reasoner share one time limit.
  const spentMs = (yield* monotonicMs) - identity.beganMs
  const reasonerLeftMs = reasonerCostUsd === null ? null : settings.reasonerBudgetMs - spentMs
  const { cluster, isDifficultyKnown } = classified
  const filtered = yield* filter(
    request, classified, document, () => knownModels({ accountId, lane }, cluster), own.budget?.isHard
  )
  notes.add(...filtered.warnings)
  const { snapshot, requestedNames } = filtered
  const known = yield* lookUp(notes, { accountId, own, request, cluster, restarts, ...filtered })
  const { recalled, recalled: { measurements }, redacted } = known
  const predicted = yield* aggregate(filtered.candidates, { ...known, isDifficultyKnown, tags: task.tags })
  const tried = afterAttempts(settings, { request, classified, snapshot, ...known }, predicted)
  notes.add(...tried.warnings)
  const checks = tried.attempts === null ? null : yield* checkFindings({ accountId, lane }, request)
  if (checks !== null) notes.add(...checks.warnings)
  const ofBudget = notes.place()
  const repeat = { accountId, lane, cluster, task: task.task }
  notes.add(...yield* recallWarnings(repeat, { ...known, predicted, restarts, askedAtMs }))
  // The budget is read late, so that it includes the spending of concurrent requests.
  const budget = yield* degrade(ofBudget, readBudget(accountId, own.budget), {
    orElse: () => null, warnings: { LedgerUnavailable: "budget_unavailable" }
  })
  const query = { task, classified, caching: cachingOf(snapshot, request), measurements }
  // The list of candidates is never empty, because the filter fails if none remains.
  const candidates = (yield* cost(tried.candidates, query)) as CostedCandidates
  return {
    ...identity,
    ...policyContext(settings, request, query, {
      ...known, ...tried, budget, attempts: tried.attempts && { ...tried.attempts, isAlone: checks?.isAlone }
    }),
    request, notes, classified, snapshot, requestedNames, recalled, redacted, candidates,
    reasonerCostUsd, reasonerLeftMs,
    levels: criteriaLevels(settings, request, own.selectionPolicy, candidates, budget?.state ?? null)
  }
})
