/** Stage 2: the catalog models that the constraints allow, cut to the short list. */
import { Effect } from "effect"
import { accountCatalog } from "../../catalog/AccountCatalog.ts"
import { Catalog } from "../../catalog/Catalog.ts"
import { findModel } from "../../catalog/Lookup.ts"
import { type AccountModels, withDefaults } from "../../domain/AccountModels.ts"
import type { CatalogSnapshot } from "../../domain/Model.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { NoCandidateModels } from "../NoCandidateModels.ts"
import { Settings } from "../Settings.ts"
import type { Candidate, Classified } from "./candidates/Candidate.ts"
import { allowed } from "./candidates/Constraints.ts"
import { cap } from "./candidates/ShortList.ts"
import * as ListCost from "./cost/ListCost.ts"
import { type PriorRule, withPriors } from "./prediction/Prior.ts"

/** What passed the filter, and the catalog that it was read from. */
interface Filtered {
  /** At least one. */
  readonly candidates: ReadonlyArray<Candidate>
  readonly snapshot: CatalogSnapshot
  readonly notes: ReadonlyArray<RecommendWarning>
}

/** Allowed models with their priors, cut to the request's `maxCandidates`, and how many were allowed. */
const shortList = (
  settings: PriorRule & ListCost.ListCostRule,
  snapshot: CatalogSnapshot,
  request: RecommendRequest,
  classified: Classified
): { readonly candidates: ReadonlyArray<Candidate>; readonly poolSize: number } => {
  const pool = withPriors(settings, allowed(snapshot, request), classified)
  const caching = ListCost.cachingOf(snapshot, request)
  const input = ListCost.inputTokens(settings, request.task, classified)
  const budgetUsd = request.constraints.maxCostPerCall ?? Infinity
  const entries = pool.map((candidate) => {
    const { card } = candidate
    const output = ListCost.outputTokens(settings, request.task, classified, card)
    const listCostUsd = ListCost.inputCostUsd(settings, card, input, caching)
      + ListCost.outputCostUsd(card, output)
    return {
      candidate,
      standardUsd: ListCost.standardUsd(settings, card),
      isAffordable: listCostUsd <= budgetUsd
    }
  })
  const kept = new Set([
    ...[request.incumbentModelId, request.baselineModelId]
      .flatMap((id) => id === null ? [] : [findModel(snapshot, id)?.modelId ?? id]),
    ...snapshot.ownModelIds ?? []
  ])
  return { candidates: cap(entries, request.maxCandidates, kept), poolSize: pool.length }
}

/**
 * Models of the account's catalog that the constraints allow, its defaults included, capped. Fails when
 * nothing is left.
 */
export const filter = Effect.fnUntraced(function*(
  asked: RecommendRequest,
  classified: Classified,
  account: AccountModels
): Effect.fn.Return<Filtered, NoCandidateModels, Catalog | Settings> {
  const settings = yield* Settings
  const snapshot = accountCatalog(yield* (yield* Catalog).snapshot, account)
  const request = { ...asked, constraints: withDefaults(account, asked.constraints) }
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
