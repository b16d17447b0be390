/** Stage 2: selects the catalog models that the constraints allow, and cuts them to the short list. */
import { Clock, Effect } from "effect"
import { accountCatalog } from "../../catalog/AccountCatalog.ts"
import { Catalog } from "../../catalog/Catalog.ts"
import { callNames } from "../../catalog/Offerings.ts"
import { type AccountModels, withDefaults } from "../../domain/account/AccountModels.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import { dayOf } from "../../domain/Time.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import type { KnownModels } from "../../memory/Memory.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { NoCandidateModels } from "../NoCandidateModels.ts"
import { Settings } from "../Settings.ts"
import type { Candidate, Classified } from "./candidates/Candidate.ts"
import { withinCapacity } from "./candidates/Capacity.ts"
import { removals } from "./candidates/Constraints.ts"
import { withKnownPrices } from "./candidates/KnownPrices.ts"
import { listedModels } from "./candidates/ListedModels.ts"
import { requestedNamesOf } from "./candidates/NamedModels.ts"
import { poolOf, restricted } from "./candidates/Pool.ts"
import { isRetired, retiredWarnings } from "./candidates/Retirement.ts"

export interface Filtered {
  readonly candidates: ReadonlyArray<Candidate>
  readonly snapshot: CatalogSnapshot
  /** The names by which the caller calls models; the keys are the catalog's ids. */
  readonly requestedNames: ReadonlyMap<string, string>
  readonly warnings: ReadonlyArray<RecommendWarning>
}

/** Names a constraint as the account's default if the request did not send the constraint. */
const asNamed = (constraint: string, { constraints }: RecommendRequest): string => {
  if (constraint === "candidate_models" && constraints.candidateModels === null) return "default_candidates"
  return constraint === "allowed_providers" && constraints.allowedProviders === null
    ? "default_providers"
    : constraint
}

/**
 * Applies the request's constraints and the account's defaults. Fails if no model remains.
 *
 * @param knownModels returns the lane's known models; called only if the list of candidates must be cut
 * @param isPriceNeeded true if the account has a hard budget
 */
export const filter = Effect.fnUntraced(function*(
  asked: RecommendRequest,
  classified: Classified,
  account: AccountModels,
  knownModels: () => KnownModels,
  isPriceNeeded = false
): Effect.fn.Return<Filtered, NoCandidateModels, Catalog | Settings> {
  const settings = yield* Settings
  const snapshot = accountCatalog(yield* (yield* Catalog).snapshot, account)
  const request = { ...asked, constraints: withDefaults(account, asked.constraints) }
  const today = dayOf(yield* Clock.currentTimeMillis)
  const permitted = poolOf(settings, snapshot, request)
  const running = restricted(settings, permitted, (card) => !isRetired(card, today))
  const isLimited = isPriceNeeded || request.maxTotalCostUsd !== null
  const priced = withKnownPrices(settings, running, request.constraints.maxCostPerCall, isLimited)
  const { notes: capacityNotes, pool } = withinCapacity(settings, priced.pool, request.task, classified)
  const { members: { length: poolSize }, named } = pool
  const { unknownIds } = named
  const candidates = listedModels(settings, pool, { snapshot, request, classified, knownModels })
  if (candidates.length === 0) {
    const removed = removals(snapshot, request, named).map((removal) =>
      ({ ...removal, constraint: asNamed(removal.constraint, asked) }))
    const retired = { constraint: "retires_on", count: permitted.members.length, unknown: 0 }
    return yield* new NoCandidateModels({
      stepId: null, removals: retired.count === 0 ? removed : [...removed, retired], unknownIds
    })
  }
  yield* annotate(() => ({ [attribute.candidates]: candidates.length }))
  const wasListCut = request.constraints.candidateModels !== null && poolSize > request.maxCandidates
  return {
    candidates,
    snapshot,
    requestedNames: named.isOffered
      ? new Map([
        ...requestedNamesOf(snapshot, asked),
        ...callNames(snapshot, candidates.map(({ card }) => card), asked.constraints.candidateModels)
      ])
      : requestedNamesOf(snapshot, asked),
    warnings: [
      ...(unknownIds.length > 0 ? [`unknown_models:${unknownIds.length}` as const] : []),
      ...(snapshot.stale ? ["prices_stale" as const] : []),
      ...retiredWarnings(named, today),
      ...capacityNotes,
      ...priced.notes,
      ...(wasListCut ? [`candidates_capped:${poolSize - candidates.length}` as const] : [])
    ]
  }
}, stage("filter"))
