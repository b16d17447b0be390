/** Stage 2: the catalog models that the constraints allow, cut to the short list. */
import { Effect } from "effect"
import { accountCatalog } from "../../catalog/AccountCatalog.ts"
import { Catalog } from "../../catalog/Catalog.ts"
import { type AccountModels, withDefaults } from "../../domain/AccountModels.ts"
import type { CatalogSnapshot } from "../../domain/Model.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import type { KnownModels } from "../../memory/Memory.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { NoCandidateModels } from "../NoCandidateModels.ts"
import { Settings } from "../Settings.ts"
import type { Candidate, Classified } from "./candidates/Candidate.ts"
import { allowed, removals } from "./candidates/Constraints.ts"
import { type NamedModels, namedModels, spellingsOf } from "./candidates/NamedModels.ts"
import { cap, type ShortListRule } from "./candidates/ShortList.ts"
import * as ListCost from "./cost/ListCost.ts"
import { type PriorRule, withPriors } from "./prediction/Prior.ts"

/** What passed the filter, and the catalog that it was read from. */
interface Filtered {
  /** At least one. */
  readonly candidates: ReadonlyArray<Candidate>
  readonly snapshot: CatalogSnapshot
  /** The caller's spelling of each model that it named, by our id. */
  readonly spellings: ReadonlyMap<string, string>
  readonly notes: ReadonlyArray<RecommendWarning>
}

/** Allowed models with their priors, cut to the request's `maxCandidates`, and how many were allowed. */
const shortList = (
  settings: PriorRule & ListCost.ListCostRule & ShortListRule,
  snapshot: CatalogSnapshot,
  request: RecommendRequest,
  named: NamedModels,
  classified: Classified,
  knownModels: () => KnownModels
): { readonly candidates: ReadonlyArray<Candidate>; readonly poolSize: number } => {
  const pool = withPriors(settings, allowed(snapshot, request.constraints, named), classified)
  if (pool.length <= request.maxCandidates) return { candidates: pool, poolSize: pool.length }
  const caching = ListCost.cachingOf(snapshot, request)
  const input = ListCost.inputTokens(settings, request.task, classified)
  const budgetUsd = request.constraints.maxCostPerCall ?? Infinity
  const known = knownModels()
  const entries = pool.map((candidate) => {
    const { card } = candidate
    const own = known.get(card.modelId)
    const output = ListCost.outputTokens(settings, request.task, classified, card)
    const listCostUsd = ListCost.inputCostUsd(settings, card, input, caching)
      + ListCost.outputCostUsd(card, output)
    return {
      candidate,
      standardUsd: ListCost.standardUsd(settings, card),
      isAffordable: listCostUsd <= budgetUsd,
      laneWeight: own?.lane ?? 0,
      typeWeight: own?.taskType ?? 0
    }
  })
  const kept = new Set([named.incumbentModelId, named.baselineModelId].filter((id) => id !== null))
  const candidates = cap(settings, entries, request.maxCandidates, kept, snapshot.ownModelIds)
  return { candidates, poolSize: pool.length }
}

/** A constraint by the field that sets it: the account's where the request leaves it out. */
const asNamed = (constraint: string, { constraints }: RecommendRequest): string => {
  if (constraint === "candidate_models" && constraints.candidateModels === null) return "default_candidates"
  return constraint === "allowed_providers" && constraints.allowedProviders === null
    ? "default_providers"
    : constraint
}

/**
 * Models of the account's catalog that the constraints allow, its defaults included, capped. Fails when
 * nothing is left.
 *
 * @param knownModels what the lane knows, asked only where the list must be cut
 */
export const filter = Effect.fnUntraced(function*(
  asked: RecommendRequest,
  classified: Classified,
  account: AccountModels,
  knownModels: () => KnownModels
): Effect.fn.Return<Filtered, NoCandidateModels, Catalog | Settings> {
  const settings = yield* Settings
  const snapshot = accountCatalog(yield* (yield* Catalog).snapshot, account)
  const request = { ...asked, constraints: withDefaults(account, asked.constraints) }
  const named = namedModels(snapshot, request)
  const { unknownIds } = named
  const { candidates, poolSize } =
    shortList(settings, snapshot, request, named, classified, knownModels)
  if (candidates.length === 0) {
    const removed = removals(snapshot, request.constraints, named).map((removal) =>
      ({ ...removal, constraint: asNamed(removal.constraint, asked) }))
    return yield* new NoCandidateModels({ stepId: null, removals: removed, unknownIds })
  }
  yield* annotate(() => ({ [attribute.candidates]: candidates.length }))
  const wasListCut = request.constraints.candidateModels !== null && poolSize > request.maxCandidates
  return {
    candidates,
    snapshot,
    spellings: spellingsOf(snapshot, asked),
    notes: [
      ...(unknownIds.length > 0 ? [`unknown_models:${unknownIds.length}` as const] : []),
      ...(snapshot.stale ? ["prices_stale" as const] : []),
      ...(wasListCut ? [`candidates_capped:${poolSize - candidates.length}` as const] : [])
    ]
  }
}, stage("filter"))
