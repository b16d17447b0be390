import { Effect } from "effect"
import { Catalog } from "../../catalog/Catalog.ts"
import { findModel } from "../../catalog/Lookup.ts"
import type { CatalogSnapshot, ModelCard } from "../../domain/Model.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import { type defaults, Settings } from "../Settings.ts"
import type { Candidate, Classified } from "./Candidate.ts"
import * as ColdCost from "./ColdCost.ts"
import { NoCandidateModels } from "./NoCandidateModels.ts"
import { withPriors } from "./Prior.ts"

export interface Filtered {
  readonly candidates: ReadonlyArray<Candidate>
  readonly snapshot: CatalogSnapshot
  readonly notes: ReadonlyArray<RecommendWarning>
}

/** One predicate per catalog constraint, in the specification's order. Cost and latency budgets act later. */
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

const byPrior = (a: Entry, b: Entry): number =>
  b.candidate.prior - a.candidate.prior || a.costUsd - b.costUsd
  || (a.candidate.card.modelId < b.candidate.card.modelId ? -1 : 1)

interface Entry {
  readonly candidate: Candidate
  readonly costUsd: number
}

/** Entries that no other beats on both prior and cost, cheapest first. */
const paretoFront = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const front: Array<Entry> = []
  let best = -Infinity
  for (const entry of [...entries].sort((a, b) => a.costUsd - b.costUsd || byPrior(a, b))) {
    if (entry.candidate.prior > best) {
      front.push(entry)
      best = entry.candidate.prior
    }
  }
  return front
}

/** `count` entries spread evenly over a front that is longer, both ends kept. */
const spread = (front: ReadonlyArray<Entry>, count: number): ReadonlyArray<Entry> => {
  if (front.length <= count) return front
  if (count === 1) return front.slice(-1)
  return Array.from(
    { length: count },
    (_, i) => front[Math.round((i * (front.length - 1)) / (count - 1))] as Entry
  )
}

/**
 * At most `limit` candidates: `kept` ids first, in their order, then the rest of the Pareto front of (prior,
 * cost), then by prior. Cutting by prior alone would leave only frontier models and make the slider inert.
 */
export const cap = (
  entries: ReadonlyArray<Entry>,
  limit: number,
  kept: ReadonlySet<string>
): ReadonlyArray<Candidate> => {
  if (entries.length <= limit) return entries.map((entry) => entry.candidate)
  const held = [...kept].flatMap((id) => entries.find((entry) => entry.candidate.card.modelId === id) ?? [])
  const chosen = new Set<Entry>(held.slice(0, limit))
  const front = paretoFront(entries).filter((entry) => !chosen.has(entry))
  for (const entry of spread(front, limit - chosen.size)) chosen.add(entry)
  for (const entry of [...entries].sort(byPrior)) if (chosen.size < limit) chosen.add(entry)
  return [...chosen].map((entry) => entry.candidate)
}

const pure = (
  settings: typeof defaults,
  snapshot: CatalogSnapshot,
  request: RecommendRequest,
  classified: Classified
) => {
  const pool = withPriors(settings, allowed(snapshot, request), classified)
  const caching = {
    requirePromptCaching: request.constraints.requirePromptCaching,
    incumbentModelId: request.incumbentModelId
  }
  const input = ColdCost.inputTokens(settings, request.task, classified)
  const entries = pool.map((candidate) => ({
    candidate,
    costUsd: ColdCost.inputCostUsd(settings, candidate.card, input, caching)
      + ColdCost.outputCostUsd(
        candidate.card,
        ColdCost.outputTokens(settings, request.task, classified, candidate.card)
      )
  }))
  const kept = new Set(
    [request.incumbentModelId, request.baselineModelId]
      .flatMap((id) => id === null ? [] : [findModel(snapshot, id)?.modelId ?? id])
  )
  return { candidates: cap(entries, request.maxCandidates, kept), poolSize: pool.length }
}

/** Catalog models that the constraints allow, capped. Fails when nothing is left. */
export const filter = Effect.fn("filter")(function*(
  request: RecommendRequest,
  classified: Classified
): Effect.fn.Return<Filtered, NoCandidateModels, Catalog | Settings> {
  const settings = yield* Settings
  const snapshot = yield* (yield* Catalog).snapshot
  const { candidates, poolSize } = pure(settings, snapshot, request, classified)
  if (candidates.length === 0) return yield* new NoCandidateModels({ stepId: null })
  const wasListCut = request.constraints.candidateModels !== null && poolSize > request.maxCandidates
  return {
    candidates,
    snapshot,
    notes: [
      ...(snapshot.stale ? ["prices_stale" as const] : []),
      ...(wasListCut ? [`candidates_capped:${poolSize - candidates.length}` as const] : [])
    ]
  }
})
