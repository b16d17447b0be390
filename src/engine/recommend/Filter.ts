import { Effect } from "effect"
import { Catalog } from "../../catalog/Catalog.ts"
import { findModel } from "../../catalog/Lookup.ts"
import type { CatalogSnapshot, ModelCard } from "../../domain/Model.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import { type defaults, Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Candidate, Classified } from "./candidates/Candidate.ts"
import * as ListCost from "./cost/ListCost.ts"
import { NoCandidateModels } from "../NoCandidateModels.ts"
import { withPriors } from "./prediction/Prior.ts"
import { cap } from "./candidates/ShortList.ts"

export interface Filtered {
  readonly candidates: ReadonlyArray<Candidate>
  readonly snapshot: CatalogSnapshot
  readonly notes: ReadonlyArray<RecommendWarning>
}

/**
 * One predicate per catalog constraint, in the specification's order. The cost and latency budgets act once
 * cost and latency are known, since only then can they be relaxed.
 */
export const allowed = (
  snapshot: CatalogSnapshot,
  { constraints }: Pick<RecommendRequest, "constraints">
): ReadonlyArray<ModelCard> => {
  const canonical = (ids: ReadonlyArray<string>) =>
    new Set(ids.map((id) => findModel(snapshot, id)?.modelId ?? id))
  const listed = constraints.candidateModels === null ? null : canonical(constraints.candidateModels)
  const providers = constraints.allowedProviders === null
    ? null
    : new Set(constraints.allowedProviders.map((name) => name.toLowerCase()))
  const excluded = canonical(constraints.excludedModels ?? [])
  const contextWindow = constraints.requireContextWindow ?? 0
  return snapshot.models.filter((card) =>
    (listed === null || listed.has(card.modelId))
    && (providers === null || providers.has(card.provider.toLowerCase()))
    && !excluded.has(card.modelId)
    && (!constraints.requirePromptCaching || card.supportsPromptCaching)
    && card.contextWindow >= contextWindow
  )
}

/** Allowed models with their priors, cut to the request's `maxCandidates`. */
const shortList = (
  settings: typeof defaults,
  snapshot: CatalogSnapshot,
  request: RecommendRequest,
  classified: Classified
) => {
  const pool = withPriors(settings, allowed(snapshot, request), classified)
  const caching = ListCost.cachingOf(snapshot, request)
  const input = ListCost.inputTokens(settings, request.task, classified)
  const budgetUsd = request.constraints.maxCostPerCall ?? Infinity
  const entries = pool.map((candidate) => {
    const { card } = candidate
    const output = ListCost.outputTokens(settings, request.task, classified, card)
    const coldUsd = ListCost.inputCostUsd(settings, card, input, caching)
      + ListCost.outputCostUsd(card, output)
    return {
      candidate,
      standardUsd: ListCost.standardUsd(settings, card),
      isAffordable: coldUsd <= budgetUsd
    }
  })
  const kept = new Set(
    [request.incumbentModelId, request.baselineModelId]
      .flatMap((id) => id === null ? [] : [findModel(snapshot, id)?.modelId ?? id])
  )
  return { candidates: cap(entries, request.maxCandidates, kept), poolSize: pool.length }
}

/** Catalog models that the constraints allow, capped. Fails when nothing is left. */
export const filter = Effect.fnUntraced(function*(
  request: RecommendRequest,
  classified: Classified
): Effect.fn.Return<Filtered, NoCandidateModels, Catalog | Settings> {
  const settings = yield* Settings
  const snapshot = yield* (yield* Catalog).snapshot
  const { candidates, poolSize } = shortList(settings, snapshot, request, classified)
  if (candidates.length === 0) return yield* new NoCandidateModels({ stepId: null })
  yield* annotate(() => ({ [attribute.candidates]: candidates.length }))
  const wasListCut = request.constraints.candidateModels !== null && poolSize > request.maxCandidates
  return {
    candidates,
    snapshot,
    notes: [
      ...(snapshot.stale ? ["prices_stale" as const] : []),
      ...(wasListCut ? [`candidates_capped:${poolSize - candidates.length}` as const] : [])
    ]
  }
}, stage("filter"))
