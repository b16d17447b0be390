/** Stage 2: the catalog models that the constraints allow, cut to the short list. */
import { Clock, Effect } from "effect"
import { accountCatalog } from "../../catalog/AccountCatalog.ts"
import { Catalog } from "../../catalog/Catalog.ts"
import { findModel } from "../../catalog/Lookup.ts"
import { callNames, isOffering } from "../../catalog/Offerings.ts"
import { type AccountModels, withDefaults } from "../../domain/account/AccountModels.ts"
import { armOf, modelIdOf } from "../../domain/model/Arm.ts"
import type { CatalogSnapshot, ModelCard } from "../../domain/model/Model.ts"
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
import { spellingsOf } from "./candidates/NamedModels.ts"
import { type Pool, poolOf, type PoolRule, restricted } from "./candidates/Pool.ts"
import { isRetired, retiredWarnings } from "./candidates/Retirement.ts"
import { cap, type ShortListRule } from "./candidates/ShortList.ts"
import * as ListCost from "./cost/ListCost.ts"
import { priorOf, withPrior } from "./prediction/Prior.ts"

/** What passed the filter, and the catalog that it was read from. */
interface Filtered {
  /** At least one. */
  readonly candidates: ReadonlyArray<Candidate>
  readonly snapshot: CatalogSnapshot
  /** Ids of the account's models whose next call is paid already, as this request may call them. */
  readonly prepaid: ReadonlySet<string>
  /** The caller's spelling of each model that it named, by our id. */
  readonly spellings: ReadonlyMap<string, string>
  readonly notes: ReadonlyArray<RecommendWarning>
}

/** Whether the list cost of this request is within its cost budget. */
const affordable = (
  settings: ListCost.ListCostRule,
  snapshot: CatalogSnapshot,
  request: RecommendRequest,
  classified: Classified,
  budgetUsd: number
): ((card: ModelCard) => boolean) => {
  const query = { task: request.task, classified, caching: ListCost.cachingOf(snapshot, request) }
  return (card) => {
    const { inputUsd, outputUsd } = ListCost.listCost(settings, card, query)
    return inputUsd + outputUsd <= budgetUsd
  }
}

/** The rows that an id has a claim to, by id: its own, else those of the model's arms. */
const placesOf = ({ cards, rowOf }: Pool["rows"], id: string): ReadonlyArray<string> =>
  rowOf.has(id)
    ? [id]
    : cards.flatMap(({ modelId }) => armOf(modelId)?.modelId === id ? [modelId] : [])

/** The models of a pool with their priors, cut to the request's `maxCandidates`. */
const shortList = (
  settings: PoolRule & ShortListRule,
  { byCost, members, named, rows }: Pool,
  snapshot: CatalogSnapshot,
  request: RecommendRequest,
  classified: Classified,
  knownModels: () => KnownModels,
  prepaid: ReadonlySet<string>
): ReadonlyArray<Candidate> => {
  if (members.length <= request.maxCandidates) {
    return members.map(({ facts }) => withPrior(settings, facts, classified))
  }
  const { maxCostPerCall } = request.constraints
  const isAffordable = maxCostPerCall === null
    ? null
    : rows.cards.map(affordable(settings, snapshot, request, classified, maxCostPerCall))
  const prior = new Float64Array(byCost.length)
  for (let row = 0; row < prior.length; row++) prior[row] = priorOf(settings, byCost[row]!.facts, classified)
  const [laneWeight, typeWeight] = [new Float64Array(prior.length), new Float64Array(prior.length)]
  for (const [modelId, { lane, taskType }] of knownModels()) {
    const row = rows.rowOf.get(modelId)
    if (row === undefined) continue
    laneWeight[row] = lane
    typeWeight[row] = taskType
  }
  const guaranteedId = request.guarantee?.baselineModelId ?? null
  const guaranteed = guaranteedId === null ? null : findModel(snapshot, guaranteedId)?.modelId ?? null
  const kept = new Set(
    [named.incumbentModelId, named.baselineModelId, guaranteed].flatMap((id) =>
      id === null ? [] : placesOf(rows, id))
  )
  const from = { ...rows, prior, isAffordable, laneWeight, typeWeight }
  const paid = prepaid.size === 0
    ? []
    : rows.cards.flatMap(({ modelId }) => prepaid.has(modelIdOf(modelId)) ? [modelId] : [])
  const own = paid.length === 0 ? snapshot.ownModelIds : new Set([...snapshot.ownModelIds ?? [], ...paid])
  return cap(settings, from, request.maxCandidates, kept, own)
    .map((row) => withPrior(settings, byCost[row]!.facts, classified))
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
 * @param prepaid ids of the account's models whose next call is paid already
 * @param hasHardBudget whether the account's budget refuses what does not fit
 */
export const filter = Effect.fnUntraced(function*(
  asked: RecommendRequest,
  classified: Classified,
  account: AccountModels,
  knownModels: () => KnownModels,
  prepaid: ReadonlySet<string> = new Set(),
  hasHardBudget = false
): Effect.fn.Return<Filtered, NoCandidateModels, Catalog | Settings> {
  const settings = yield* Settings
  const snapshot = accountCatalog(yield* (yield* Catalog).snapshot, account)
  const request = { ...asked, constraints: withDefaults(account, asked.constraints) }
  const today = dayOf(yield* Clock.currentTimeMillis)
  const permitted = poolOf(settings, snapshot, request)
  const running = restricted(permitted, (card) => !isRetired(card, today))
  const isLimited = hasHardBudget || request.maxTotalCostUsd !== null
  const priced = withKnownPrices(running, request.constraints.maxCostPerCall, isLimited)
  const { notes: capacityNotes, pool } = withinCapacity(settings, priced.pool, request.task, classified)
  const { members: { length: poolSize }, named } = pool
  const { unknownIds } = named
  const candidates = shortList(settings, pool, snapshot, request, classified, knownModels, prepaid)
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
  // A quota is of the model as the account declares it, and of no offering in another region.
  const paid = prepaid.size === 0 ? prepaid : new Set([...prepaid].filter((id) =>
    !candidates.some(({ card }) => isOffering(card) && modelIdOf(card.modelId) === id)))
  return {
    candidates: paid.size === 0 ? candidates : candidates.map((each) =>
      paid.has(modelIdOf(each.card.modelId)) ? { ...each, isPrepaid: true as const } : each),
    prepaid: paid,
    snapshot,
    spellings: named.isOffered
      ? new Map([
        ...spellingsOf(snapshot, asked),
        ...callNames(snapshot, candidates.map(({ card }) => card), asked.constraints.candidateModels)
      ])
      : spellingsOf(snapshot, asked),
    notes: [
      ...(unknownIds.length > 0 ? [`unknown_models:${unknownIds.length}` as const] : []),
      ...(snapshot.stale ? ["prices_stale" as const] : []),
      ...retiredWarnings(named, today),
      ...capacityNotes,
      ...priced.notes,
      ...(wasListCut ? [`candidates_capped:${poolSize - candidates.length}` as const] : [])
    ]
  }
}, stage("filter"))
