/** The pool: the models that a request's constraints allow, without properties of the task, cached. */
import type { CatalogSnapshot, ModelCard } from "../../../domain/model/Model.ts"
import type { Unit } from "../../../domain/Task.ts"
import { BoundedMap } from "../../../resilience/BoundedMap.ts"
import type { EngineSettings } from "../../Settings.ts"
import { type ListCostRule, standardUsd } from "../cost/ListCost.ts"
import { type PriorFacts, priorFactsOf, type PriorRule } from "../prediction/Prior.ts"
import { allowed, type ConstraintRequest } from "./Constraints.ts"
import { type NamedModels, namedModels, type NamingRequest } from "./NamedModels.ts"
import type { ShortListRows } from "./ShortList.ts"

export interface PoolMember {
  readonly facts: PriorFacts
  readonly standardUsd: number
}

export interface Pool {
  readonly named: NamedModels
  /** The members are in the catalog's order. */
  readonly members: ReadonlyArray<PoolMember>
  /** The members by the cost of a standard request; row i of the short list is the i-th cheapest member. */
  readonly byCost: ReadonlyArray<PoolMember>
  readonly rows: Pick<ShortListRows, "cards" | "prior" | "rowOf" | "standardUsd">
}

export type PoolRule =
  & PriorRule
  & ListCostRule
  & Pick<EngineSettings, "poolsMax" | "poolIdsMax" | "restrictionsMax">

/** Cached pool members by unit, settings and card. */
const members: Readonly<Record<Unit, WeakMap<PoolRule, WeakMap<ModelCard, PoolMember>>>> = {
  call: new WeakMap(), run: new WeakMap()
}

const membersOf = (
  settings: PoolRule,
  cards: ReadonlyArray<ModelCard>,
  unit: Unit
): ReadonlyArray<PoolMember> => {
  const known = members[unit].get(settings) ?? new WeakMap<ModelCard, PoolMember>()
  members[unit].set(settings, known)
  return cards.map((card) => {
    const kept = known.get(card)
    if (kept !== undefined) return kept
    const made = { facts: priorFactsOf(settings, card, unit), standardUsd: standardUsd(settings, card) }
    known.set(card, made)
    return made
  })
}

const byStandardCost = (a: PoolMember, b: PoolMember): number =>
  a.standardUsd - b.standardUsd || (a.facts.card.modelId < b.facts.card.modelId ? -1 : 1)

const poolFrom = (named: NamedModels, members: Pool["members"], byCost: Pool["byCost"]): Pool => {
  const cards = byCost.map(({ facts }) => facts.card)
  return {
    named, members, byCost,
    rows: {
      cards,
      rowOf: new Map(cards.map(({ modelId }, row) => [modelId, row])),
      standardUsd: Float64Array.from(byCost, ({ standardUsd }) => standardUsd),
      prior: Float64Array.from(byCost, ({ facts }) => facts.priorLogit)
    }
  }
}

/** Caches the smaller pools that {@link restricted} made, by the row numbers of the removed models. */
const restrictions = new WeakMap<Pool, BoundedMap<string, Pool>>()

/** Returns the pool without the models that a predicate rejects, or the same object if it rejects none. */
export const restricted = (
  { restrictionsMax }: Pick<PoolRule, "restrictionsMax">,
  pool: Pool,
  keeps: (card: ModelCard) => boolean
): Pool => {
  const { cards } = pool.rows
  let rejected = ""
  for (let row = 0; row < cards.length; row++) if (!keeps(cards[row]!)) rejected += `${row} `
  if (rejected === "") return pool
  const known = restrictions.get(pool) ?? new BoundedMap<string, Pool>(restrictionsMax)
  restrictions.set(pool, known)
  const kept = known.get(rejected)
  if (kept !== undefined) return kept
  const isKept = ({ facts }: PoolMember) => keeps(facts.card)
  const made = poolFrom(pool.named, pool.members.filter(isKept), pool.byCost.filter(isKept))
  known.set(rejected, made)
  return made
}

type PoolRequest = NamingRequest & ConstraintRequest & { readonly task: { readonly unit: Unit } }

/** The request's constraints must include the account's defaults. */
export const makePool = (settings: PoolRule, snapshot: CatalogSnapshot, request: PoolRequest): Pool => {
  const named = namedModels(snapshot, request)
  const found = membersOf(settings, allowed(snapshot, request, named), request.task.unit)
  return poolFrom(named, found, found.toSorted(byStandardCost))
}

const pools = new WeakMap<PoolRule, BoundedMap<string, Pool>>()

const numbers = new WeakMap<object, number>()
let numbered = 0

const numberOf = (object: object): number => {
  const known = numbers.get(object)
  if (known !== undefined) return known
  numbers.set(object, numbered)
  return numbered++
}

/** Returns a request's key in the cache of pools; null if the request names more than `poolIdsMax` ids. */
const keyOf = (
  { poolIdsMax }: PoolRule,
  snapshot: CatalogSnapshot,
  request: PoolRequest
): string | null => {
  const { baselineModelId, constraints, incumbentModelId, inferredRequirements } = request
  const { allowedProviders, candidateModels, excludedModels, requireContextWindow } = constraints
  const { dataRegions, requireStructuredOutput, requireTools, requiredModalities } = constraints
  const ids = (allowedProviders?.length ?? 0) + (candidateModels?.length ?? 0) + (excludedModels?.length ?? 0)
  return ids > poolIdsMax ? null : JSON.stringify([
    numberOf(snapshot), request.task.unit, allowedProviders, candidateModels, excludedModels,
    requireContextWindow, constraints.requirePromptCaching, incumbentModelId, baselineModelId,
    dataRegions, requireStructuredOutput, requireTools, requiredModalities, inferredRequirements
  ])
}

export const poolOf = (settings: PoolRule, snapshot: CatalogSnapshot, request: PoolRequest): Pool => {
  const key = keyOf(settings, snapshot, request)
  if (key === null) return makePool(settings, snapshot, request)
  const known = pools.get(settings) ?? new BoundedMap<string, Pool>(settings.poolsMax)
  pools.set(settings, known)
  const pool = known.get(key) ?? makePool(settings, snapshot, request)
  known.set(key, pool)
  return pool
}
