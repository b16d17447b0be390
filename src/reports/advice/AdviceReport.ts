/* Reads what advice and retirements are made of: sums of the ledger and of telemetry, and predictions. */
import { Clock, Effect, Order, Schema } from "effect"
import { findModel } from "../../catalog/Lookup.ts"
import { type DecisionCandidate, heldBy } from "../../domain/Decision.ts"
import { modelIdOf } from "../../domain/model/ModelVariant.ts"
import type { AdviceResponse } from "../../domain/reports/Advice.ts"
import type { RetirementResponse } from "../../domain/reports/Retirement.ts"
import { parse } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { dayMs, dayOf } from "../../domain/Time.ts"
import type { Ledger } from "../../ledger/Ledger.ts"
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

/** The catalog has no such model, and the account's calls have none either. */
export class UnknownModel extends Schema.TaggedError<UnknownModel>()("UnknownModel", {
  modelId: Schema.String
}) {}

interface Sources {
  readonly aggregates: Aggregates["Service"]
  readonly ledger: Ledger["Service"]
  readonly observed: typeof ObservedCalls.Service
  readonly predictor: typeof Predictor.Service
}

/** What an answer says of its window. */
interface Asked {
  readonly namespace: string | null
  readonly days: number
}

const endOf = ({ until }: LedgerWindow) =>
  until === undefined ? Clock.currentTimeMillis : Effect.succeed(until.getTime())

/** The kinds of task of decisions and of observed calls, those that cost most first. */
const kindsIn = ({ aggregates, observed }: Sources, window: LedgerWindow, days: number) =>
  Effect.gen(function*() {
    const [decided, seen] = yield* Effect.all([aggregates.arms(window), observed.arms(window)], {
      concurrency: 2
    })
    return kindsOf([...decided, ...seen], yield* endOf(window), days)
  })

/** The newest decision; null where none is kept, or none was made. */
const newestDecision = ({ ledger }: Sources, accountId: AccountId, { newestId }: Kind) => {
  const id = newestId === null ? null : parse(newestId)
  const found = id === null ? Effect.succeed(null) : ledger.find(accountId, id)
  return Effect.map(found, (newest) => newest?.decision ?? null)
}

/** Each model once, as the last of the lists has it. */
const each = (...lists: ReadonlyArray<ReadonlyArray<DecisionCandidate>>): ReadonlyArray<DecisionCandidate> =>
  [...new Map(lists.flat().map((candidate) => [candidate.modelId, candidate])).values()]

/** A kind of task with those that may run: its newest decision's, else what the engine would ask of. */
const withCandidates = (sources: Sources, accountId: AccountId) => (kind: Kind) =>
  Effect.gen(function*() {
    const { predictor } = sources
    const newest = yield* newestDecision(sources, accountId, kind)
    if (newest !== null) return { kind, candidates: newest.candidates, heldId: heldBy(newest) }
    const ran = yield* predictor.candidates(accountId, kind, kind.arms.map(({ modelId }) => modelId))
    return { kind, candidates: each(yield* predictor.candidates(accountId, kind, null), ran), heldId: null }
  })

/**
 * A kind of task with what may replace a model: predictions of those that ran or may be picked, and of the
 * catalog's where none of these may.
 */
const withReplacements = (sources: Sources, accountId: AccountId, retiring: Retiring) => (kind: Kind) =>
  Effect.gen(function*() {
    const { predictor } = sources
    const newest = (yield* newestDecision(sources, accountId, kind))?.candidates ?? []
    const own = new Set([...kind.arms, ...newest].map(({ modelId }) => modelId))
    const predicted = yield* predictor.candidates(accountId, kind, [...own])
    const may = mayReplace(retiring)
    const isAny = predicted.some(({ modelId }) => may(modelId))
    const listed = isAny ? [] : yield* predictor.candidates(accountId, kind, null)
    const candidates = each(listed, newest, predicted)
    const used: UsedKind = { kind, candidates, isCandidate: (id) => own.has(id) }
    return used
  })

/** The kinds of task on which a model runs, those with most of its calls first. */
const usedOf = (kinds: ReadonlyArray<Kind>, modelId: string): ReadonlyArray<Kind> => {
  const callsOf = ({ arms }: Kind): number =>
    sum(arms.filter((arm) => modelIdOf(arm.modelId) === modelId), ({ nCalls }) => nCalls)
  return kinds.filter((kind) => callsOf(kind) > 0)
    .sort((one, other) => callsOf(other) - callsOf(one))
    .slice(0, adviceSettings.retiredKindsMax)
}

/** The last days of an account's models by our id. */
const lastDays = ({ predictor }: Sources, accountId: AccountId) =>
  Effect.map(predictor.catalog(accountId), (catalog) => {
    const cardOf = (id: string) => findModel(catalog, id)
    return { cardOf, lastDayOf: (id: string) => cardOf(modelIdOf(id))?.facts?.retiresOn?.value ?? null }
  })

/** The models in use whose last day is near or over, the first to end first; at most `retiringMax`. */
const retiringIn = (sources: Sources, accountId: AccountId, kinds: ReadonlyArray<Kind>) =>
  Effect.gen(function*() {
    const { lastDayOf } = yield* lastDays(sources, accountId)
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
          usedOf(kinds, retiring.modelId), withReplacements(sources, accountId, retiring),
          { concurrency: 2 }
        ),
        (used) => retiringRow(retiring, used)
      ))
  })

/** What to change, and which models retire. */
export const readAdvice = (sources: Sources, window: LedgerWindow, { days, namespace }: Asked) =>
  Effect.gen(function*() {
    const { accountId } = window
    const kinds = yield* kindsIn(sources, window, days)
    const compared = yield* Effect.forEach(
      kinds.slice(0, adviceSettings.kindsMax), withCandidates(sources, accountId), { concurrency: 2 }
    )
    const retiring = yield* retiringIn(sources, accountId, kinds)
    const answer: AdviceResponse = {
      namespace, days, n: sum(kinds, ({ arms }) => sum(arms, ({ nCalls }) => nCalls)),
      nKinds: kinds.length, tolerance: tellRule.tolerance, rows: adviceOf(compared, accountId),
      ...retiring.length === 0 ? {} : { retiring }
    }
    return answer
  })

/** Uses of one sort, of decisions and of observed calls, those with most calls first. */
const named = (uses: ReadonlyArray<UseSums>, by: UseSums["by"]) =>
  [...Map.groupBy(uses.filter((use) => use.by === by), ({ name }) => name)]
    .map(([name, own]) => ({
      name, nCalls: sum(own, ({ nCalls }) => nCalls), spentUsd: sum(own, ({ spentUsd }) => spentUsd)
    }))
    .sort((one, other) => other.nCalls - one.nCalls || (one.name < other.name ? -1 : 1))
    .slice(0, adviceSettings.usesMax)

/** Where a model is used, and what may replace it. Fails for a model that nothing here has a trace of. */
export const readRetirement = (
  sources: Sources,
  window: LedgerWindow,
  { days, modelId: name, namespace }: Asked & { readonly modelId: string }
) =>
  Effect.gen(function*() {
    const { accountId } = window
    const { cardOf, lastDayOf } = yield* lastDays(sources, accountId)
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
    const used = yield* Effect.forEach(
      kinds, withReplacements(sources, accountId, retiring), { concurrency: 2 }
    )
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

