/* Reads sums and predictions for advice and retirements, and makes their answers. */
import { Cache, Clock, Effect, Order, Schema } from "effect"
import { findModel } from "../../catalog/Lookup.ts"
import { type Decision, type DecisionCandidate, heldBy } from "../../domain/Decision.ts"
import { modelIdOf } from "../../domain/model/ModelVariant.ts"
import type { AdviceResponse } from "../../domain/reports/Advice.ts"
import type { RetirementResponse } from "../../domain/reports/Retirement.ts"
import { parse, type RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { dayMs, dayOf } from "../../domain/Time.ts"
import type { Ledger, LedgerUnavailable } from "../../ledger/Ledger.ts"
import { tellRule } from "../../stats/VerdictsNeeded.ts"
import { adviceOf } from "./Advice.ts"
import { type Kind, kindsOf, monthDays } from "./AdviceArms.ts"
import { adviceSettings } from "./AdviceSettings.ts"
import type { Aggregates } from "../Aggregates.ts"
import type { UseSums } from "./ArmSums.ts"
import { sum } from "../savings/Followed.ts"
import type { LedgerWindow } from "../LedgerWindow.ts"
import type { ObservedCalls } from "../ObservedCalls.ts"
import type { Predictor } from "../Predictor.ts"
import {
  daysLeft, mayReplace, type Retiring, retirementOf, retiringRow, type UsedKind
} from "./Retirement.ts"

/** The error for a model that is neither in the catalog nor in any call of the report. */
export class UnknownModel extends Schema.TaggedError<UnknownModel>()("UnknownModel", {
  modelId: Schema.String
}) {}

interface Sources {
  readonly aggregates: Aggregates["Service"]
  readonly ledger: Ledger["Service"]
  readonly observed: typeof ObservedCalls.Service
  readonly predictor: typeof Predictor.Service
}

interface Asked {
  readonly namespace: string | null
  readonly days: number
}

const endOf = ({ until }: LedgerWindow) =>
  until === undefined ? Clock.currentTimeMillis : Effect.succeed(until.getTime())

/** Returns the kinds of task of the decisions and observed calls in the window. */
const kindsIn = ({ aggregates, observed }: Sources, window: LedgerWindow, days: number) =>
  Effect.gen(function*() {
    const [decided, seen] = yield* Effect.all([aggregates.arms(window), observed.arms(window)], {
      concurrency: 2
    })
    return kindsOf([...decided, ...seen], yield* endOf(window), days)
  })

interface Reads {
  readonly accountId: AccountId
  readonly predictor: typeof Predictor.Service
  /** Reads the newest decision on a first attempt at a kind of task; null if none is stored. */
  readonly newestDecision: (kind: Kind) => Effect.Effect<Decision | null, LedgerUnavailable>
}

/** A report reads each decision only once. */
const readsOf = ({ ledger, predictor }: Sources, accountId: AccountId): Effect.Effect<Reads> =>
  Effect.map(
    Cache.make({
      capacity: Infinity,
      lookup: (id: RecommendationId) =>
        Effect.map(ledger.find(accountId, id), (found) => found?.decision ?? null)
    }),
    (decisions): Reads => ({
      accountId,
      predictor,
      newestDecision: ({ newestId }) => {
        const id = newestId === null ? null : parse(newestId)
        return id === null ? Effect.succeed(null) : Cache.get(decisions, id)
      }
    })
  )

/** If a model is in several lists, the entry of the last list is used. */
const joined = (
  ...lists: ReadonlyArray<ReadonlyArray<DecisionCandidate>>
): ReadonlyArray<DecisionCandidate> =>
  [...new Map(lists.flat().map((candidate) => [candidate.modelId, candidate])).values()]

/**
 * Returns a kind of task with its newest decision's candidates. If the newest decision is not stored, the
 * candidates are the models that ran, and those that the engine would now consider.
 */
const withCandidates = ({ accountId, newestDecision, predictor }: Reads) => (kind: Kind) =>
  Effect.gen(function*() {
    const newest = yield* newestDecision(kind)
    if (newest !== null) return { kind, candidates: newest.candidates, heldId: heldBy(newest) }
    const ran = yield* predictor.candidates(accountId, kind, kind.arms.map(({ modelId }) => modelId))
    const candidates = joined(yield* predictor.candidates(accountId, kind, null), ran)
    return { kind, candidates, heldId: null }
  })

/**
 * Returns a kind of task with predictions for the models that ran, and for the newest decision's candidates.
 * If none of the predicted models may replace the retiring model, the engine's candidates are added.
 */
const withReplacements = (reads: Reads, retiring: Retiring) => (kind: Kind) =>
  Effect.gen(function*() {
    const { accountId, newestDecision, predictor } = reads
    const newest = (yield* newestDecision(kind))?.candidates ?? []
    const own = new Set([...kind.arms, ...newest].map(({ modelId }) => modelId))
    const predicted = yield* predictor.candidates(accountId, kind, [...own])
    const may = mayReplace(retiring)
    const isAny = predicted.some(({ modelId }) => may(modelId))
    const listed = isAny ? [] : yield* predictor.candidates(accountId, kind, null)
    const candidates = joined(listed, newest, predicted)
    const used: UsedKind = { kind, candidates, isCandidate: (id) => own.has(id) }
    return used
  })

/** Returns at most `retiredKindsMax` kinds of task on which a model ran, by its number of calls. */
const usedOf = (kinds: ReadonlyArray<Kind>, modelId: string): ReadonlyArray<Kind> => {
  const callsOf = ({ arms }: Kind): number =>
    sum(arms.filter((arm) => modelIdOf(arm.modelId) === modelId), ({ nCalls }) => nCalls)
  return kinds.filter((kind) => callsOf(kind) > 0)
    .sort((one, other) => callsOf(other) - callsOf(one))
    .slice(0, adviceSettings.retiredKindsMax)
}

const lastDays = ({ accountId, predictor }: Reads) =>
  Effect.map(predictor.catalog(accountId), (catalog) => {
    const cardOf = (id: string) => findModel(catalog, id)
    return { cardOf, lastDayOf: (id: string) => cardOf(modelIdOf(id))?.facts?.retiresOn?.value ?? null }
  })

/** Returns the models in use whose last day is near or over, the earliest first, at most `retiringMax`. */
const retiringIn = (reads: Reads, kinds: ReadonlyArray<Kind>) =>
  Effect.gen(function*() {
    const { accountId } = reads
    const { lastDayOf } = yield* lastDays(reads)
    const nowMs = yield* Clock.currentTimeMillis
    const until = dayOf(nowMs + adviceSettings.retiringDays * dayMs)
    const ids = new Set(kinds.flatMap(({ arms }) => arms.map(({ modelId }) => modelIdOf(modelId))))
    const near = [...ids].flatMap((modelId): ReadonlyArray<Retiring> => {
      const retiresOn = lastDayOf(modelId)
      return retiresOn === null || retiresOn > until
        ? []
        : [{ accountId, modelId, retiresOn, lastDayOf, nowMs }]
    }).sort((one, other) => Order.String(one.retiresOn!, other.retiresOn!))
    return yield* Effect.forEach(near.slice(0, adviceSettings.retiringMax), (retiring) =>
      Effect.map(
        Effect.forEach(
          usedOf(kinds, retiring.modelId), withReplacements(reads, retiring), { concurrency: 2 }
        ),
        (used) => retiringRow(retiring, used)
      ))
  })

export const readAdvice = (sources: Sources, window: LedgerWindow, { days, namespace }: Asked) =>
  Effect.gen(function*() {
    const { accountId } = window
    const reads = yield* readsOf(sources, accountId)
    const kinds = yield* kindsIn(sources, window, days)
    const compared = yield* Effect.forEach(
      kinds.slice(0, adviceSettings.kindsMax), withCandidates(reads), { concurrency: 2 }
    )
    const retiring = yield* retiringIn(reads, kinds)
    const answer: AdviceResponse = {
      namespace, days, n: sum(kinds, ({ arms }) => sum(arms, ({ nCalls }) => nCalls)),
      nKinds: kinds.length, tolerance: tellRule.tolerance, rows: adviceOf(compared, accountId),
      ...retiring.length === 0 ? {} : { retiring }
    }
    return answer
  })

const named = (uses: ReadonlyArray<UseSums>, by: UseSums["by"]) =>
  [...Map.groupBy(uses.filter((use) => use.by === by), ({ name }) => name)]
    .map(([name, own]) => ({
      name, nCalls: sum(own, ({ nCalls }) => nCalls), spentUsd: sum(own, ({ spentUsd }) => spentUsd)
    }))
    .sort((one, other) => other.nCalls - one.nCalls || (one.name < other.name ? -1 : 1))
    .slice(0, adviceSettings.usesMax)

/** Reads a model's use and its possible successors; fails if neither the catalog nor calls have the model. */
export const readRetirement = (
  sources: Sources,
  window: LedgerWindow,
  { days, modelId: name, namespace }: Asked & { readonly modelId: string }
) =>
  Effect.gen(function*() {
    const { accountId } = window
    const reads = yield* readsOf(sources, accountId)
    const { cardOf, lastDayOf } = yield* lastDays(reads)
    const card = cardOf(name)
    const modelId = modelIdOf(card?.modelId ?? name)
    const [decided, seen] = yield* Effect.all([
      sources.aggregates.uses(window, modelId), sources.observed.uses(window, modelId)
    ], { concurrency: 2 })
    const uses = [...decided, ...seen]
    const all = named(uses, "all")[0] ?? { nCalls: 0, spentUsd: 0 }
    if (card === undefined && all.nCalls === 0) return yield* new UnknownModel({ modelId: name })
    const kinds = usedOf(yield* kindsIn(sources, window, days), modelId)
    const nowMs = yield* Clock.currentTimeMillis
    const retiresOn = lastDayOf(modelId)
    const retiring: Retiring = { accountId, modelId, retiresOn, lastDayOf, nowMs }
    const used = yield* Effect.forEach(kinds, withReplacements(reads, retiring), { concurrency: 2 })
    const perMonth = kinds[0]?.perMonth ?? monthDays / days
    const answer: RetirementResponse = {
      modelId, retiresOn, namespace, days,
      daysLeft: daysLeft(retiresOn, nowMs),
      retiresOnSource: card?.facts?.retiresOn?.source ?? null,
      nCalls: all.nCalls,
      nObserved: named(seen, "all")[0]?.nCalls ?? 0,
      spentUsd: all.spentUsd,
      callsPerMonth: all.nCalls * perMonth,
      usdPerMonth: all.spentUsd * perMonth,
      users: named(uses, "user"),
      tags: named(uses, "tag"),
      ...retirementOf(retiring, used)
    }
    return answer
  })
