/** Returns the candidates of a request: the models of its pool with their priors, cut to the short list. */
import { findModel } from "../../../catalog/Lookup.ts"
import { variantOf } from "../../../domain/model/ModelVariant.ts"
import type { CatalogSnapshot, ModelCard } from "../../../domain/model/Model.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import type { KnownModels } from "../../../memory/Memory.ts"
import { BoundedMap } from "../../../resilience/BoundedMap.ts"
import * as ListCost from "../cost/ListCost.ts"
import { withPrior } from "../prediction/Prior.ts"
import type { Candidate, Classified } from "./Candidate.ts"
import type { Pool, PoolMember, PoolRule } from "./Pool.ts"
import { cap, type ShortListRule, type ShortListRows } from "./ShortList.ts"

interface ListQuery {
  readonly snapshot: CatalogSnapshot
  readonly request: RecommendRequest
  readonly classified: Classified
  /** Returns the lane's known models; called only if the list of candidates must be cut. */
  readonly knownModels: () => KnownModels
}

type ListRule = PoolRule & ShortListRule

/** Tells which rows have a list cost within the limit; null if the request has no limit. */
const affordableRows = (
  settings: ListCost.ListCostRule,
  cards: ReadonlyArray<ModelCard>,
  { classified, request, snapshot }: ListQuery
): ReadonlyArray<boolean> | null => {
  const { maxCostPerCall } = request.constraints
  if (maxCostPerCall === null) return null
  const query = { task: request.task, classified, caching: ListCost.cachingOf(snapshot, request) }
  return cards.map((card) => {
    const { inputUsd, outputUsd } = ListCost.listCost(settings, card, query)
    return inputUsd + outputUsd <= maxCostPerCall
  })
}

const placesOf = ({ cards, rowOf }: Pool["rows"], id: string): ReadonlyArray<string> =>
  rowOf.has(id)
    ? [id]
    : cards.flatMap(({ modelId }) => variantOf(modelId)?.modelId === id ? [modelId] : [])

/** Ids with the first places on the short list: the incumbent, the baseline, the guarantee's baseline. */
const keptIds = ({ named, rows }: Pool, { request, snapshot }: ListQuery): ReadonlyArray<string> => {
  const guaranteedId = request.guarantee?.baselineModelId ?? null
  const guaranteed = guaranteedId === null ? null : findModel(snapshot, guaranteedId)?.modelId ?? null
  return [named.incumbentModelId, named.baselineModelId, guaranteed].flatMap((id) =>
    id === null ? [] : placesOf(rows, id))
}

const cut = (
  settings: ListRule,
  pool: Pool,
  query: ListQuery,
  known: KnownModels,
  isAffordable: ShortListRows["isAffordable"],
  kept: ReadonlyArray<string>
): ReadonlyArray<PoolMember> => {
  const { byCost, rows } = pool
  const [laneWeight, typeWeight] = [new Float64Array(byCost.length), new Float64Array(byCost.length)]
  for (const [modelId, { lane, taskType }] of known) {
    const row = rows.rowOf.get(modelId)
    if (row === undefined) continue
    laneWeight[row] = lane
    typeWeight[row] = taskType
  }
  const from = { ...rows, isAffordable, laneWeight, typeWeight }
  return cap(settings, from, query.request.maxCandidates, new Set(kept), query.snapshot.ownModelIds)
    .map((row) => byCost[row]!)
}

/** Short lists by length and by the ids that have the first places. */
type ShortLists = BoundedMap<string, ReadonlyArray<PoolMember>>

/** Cached short lists, by the object that holds a lane's known models and by pool. */
const lists = new WeakMap<KnownModels, WeakMap<Pool, ShortLists>>()

/** Lists under a cost limit depend on the task's length and are not cached. */
const shortList = (settings: ListRule, pool: Pool, query: ListQuery): ReadonlyArray<PoolMember> => {
  const { request } = query
  const known = query.knownModels()
  const kept = keptIds(pool, query)
  const isAffordable = affordableRows(settings, pool.rows.cards, query)
  if (isAffordable !== null) return cut(settings, pool, query, known, isAffordable, kept)
  const ofLane = lists.get(known) ?? new WeakMap<Pool, ShortLists>()
  lists.set(known, ofLane)
  const ofPool: ShortLists = ofLane.get(pool) ?? new BoundedMap(settings.restrictionsMax)
  ofLane.set(pool, ofPool)
  const key = `${request.maxCandidates} ${kept.join(" ")}`
  const list = ofPool.get(key) ?? cut(settings, pool, query, known, null, kept)
  ofPool.set(key, list)
  return list
}

export const listedModels = (settings: ListRule, pool: Pool, query: ListQuery): ReadonlyArray<Candidate> => {
  const isCut = pool.members.length > query.request.maxCandidates
  const members = isCut ? shortList(settings, pool, query) : pool.members
  return members.map(({ facts }) => withPrior(settings, facts, query.classified))
}
