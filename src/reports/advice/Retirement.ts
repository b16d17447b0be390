/* Finds successors of a model, such as one that its provider retires, by kind of task and over all kinds. */
import { Order } from "effect"
import type { DecisionCandidate } from "../../domain/Decision.ts"
import { modelIdOf, namedOf } from "../../domain/model/ModelVariant.ts"
import type {
  Audition, OverallSuccessor, RetirementKind, RetirementResponse, RetiringModel, Successor
} from "../../domain/reports/Retirement.ts"
import { dayMs, dayOf } from "../../domain/Time.ts"
import { mean, variance } from "../../stats/Beta.ts"
import { normal975, normalBelow } from "../../stats/Normal.ts"
import { comparedIn, type Kind, spentOn } from "./AdviceArms.ts"
import { type Change, commandOf, retireCommand } from "./AdviceCommands.ts"
import { byAudition, certaintyOf, modelOf, type Pair, pairOf, rule } from "./AdvicePairs.ts"
import { adviceSettings } from "./AdviceSettings.ts"
import { sum } from "../savings/Followed.ts"

export interface Retiring {
  readonly accountId: string
  readonly modelId: string
  /** The model's last day, YYYY-MM-DD; null if it is not known. */
  readonly retiresOn: string | null
  /** Returns the retirement date of any model, YYYY-MM-DD; null if it is not known. */
  readonly lastDayOf: (modelId: string) => string | null
  readonly nowMs: number
}

export interface UsedKind {
  readonly kind: Kind
  readonly candidates: ReadonlyArray<DecisionCandidate>
  /** True if the model ran on this kind of task, or was a candidate of the kind's newest decision. */
  readonly isCandidate: (modelId: string) => boolean
}

interface Replacement extends Pair {
  readonly isCandidate: boolean
}

interface Replaced {
  readonly kind: Kind
  readonly nCalls: number
  readonly nObserved: number
  readonly spentUsd: number
  readonly usual: Pair["usual"] | null
  readonly all: ReadonlyArray<Replacement>
}

/** True for another model whose last day is unknown, or late enough to replace the retiring model. */
export const mayReplace = (retiring: Retiring) => (modelId: string): boolean => {
  const { lastDayOf, nowMs, retiresOn } = retiring
  if (modelIdOf(modelId) === retiring.modelId) return false
  const day = lastDayOf(modelId)
  const lastMs = Math.max(nowMs, retiresOn === null ? nowMs : Date.parse(retiresOn))
  return day === null || day > dayOf(lastMs + adviceSettings.successorDaysMin * dayMs)
}

/** The candidate's expected success less the retiring model's, and less `easierBy` if it is known. */
const changeOf = ({ candidate, easierBy, usual }: Pair): number =>
  mean(candidate.belief) - mean(usual.belief) - (easierBy ?? 0)

/** The change less one standard deviation of the candidate's success, so that few verdicts rank lower. */
const cautiousChangeOf = (pair: Pair): number => changeOf(pair) - Math.sqrt(variance(pair.candidate.belief))

interface Ranked {
  readonly id: string
  readonly change: number
  readonly isCandidate: boolean
  readonly usd: number
}

/**
 * The order of replacements. Models whose `change` is a loss of at most `rule.tolerance` come first: models
 * that ran or were candidates, then others, both by cost. Models beyond the tolerance come last, by loss.
 */
const best = (one: Ranked, other: Ranked): number => {
  const isGood = ({ change }: Ranked): boolean => change >= -rule.tolerance
  const byGood = Number(isGood(other)) - Number(isGood(one))
  const byCandidate = Number(other.isCandidate) - Number(one.isCandidate)
  return byGood || (isGood(one)
    ? byCandidate || one.usd - other.usd
    : other.change - one.change) || Order.String(one.id, other.id)
}

const replacedIn = (retiring: Retiring) => ({ candidates, isCandidate, kind }: UsedKind): Replaced => {
  const isRetiring = (id: string): boolean => modelIdOf(id) === retiring.modelId
  const own = kind.arms.filter(({ modelId }) => isRetiring(modelId))
  const nCalls = sum(own, (arm) => arm.nCalls)
  const compared = comparedIn(kind, candidates, own[0])
  const may = mayReplace(retiring)
  return {
    kind, nCalls,
    nObserved: sum(own, ({ observed }) => observed?.nCalls ?? 0),
    spentUsd: sum(own, spentOn),
    usual: compared?.usual ?? null,
    all: (compared?.others ?? [])
      .filter(({ modelId }) => may(modelId))
      .map((candidate) => ({
        ...pairOf(compared!.usual, candidate, nCalls * kind.perMonth),
        isCandidate: isCandidate(candidate.modelId)
      }))
      .sort((one, other) => best(rankedOf(one), rankedOf(other)))
  }
}

const rankedOf = (pair: Replacement): Ranked => ({
  id: pair.candidate.modelId, change: cautiousChangeOf(pair), isCandidate: pair.isCandidate,
  usd: pair.candidate.costUsd
})

const successorOf = ({ lastDayOf }: Retiring) => (pair: Replacement): Successor => ({
  model: modelOf(pair.candidate),
  retiresOn: lastDayOf(pair.candidate.modelId),
  certainty: certaintyOf(pair, pair.isKnownAsGood),
  chance: pair.chance,
  usdPerMonthChange: 0 - pair.savingUsd,
  differenceLow: pair.difference?.low ?? null,
  differenceHigh: pair.difference?.high ?? null,
  isCandidate: pair.isCandidate
})

const inPlaceOf = (retiring: Retiring, { cluster, lane }: Kind, candidateId: string): Change =>
  ({ accountId: retiring.accountId, lane, cluster, usualId: retiring.modelId, candidateId })

/** Returns an audition of all pairs not known as good; null if there are none, or one cannot be tested. */
const auditionOf = (
  retiring: Retiring,
  pairs: ReadonlyArray<{ readonly kind: Kind; readonly pair: Pair }>
): Audition | null => {
  const open = pairs.filter(({ pair }) => !pair.isKnownAsGood)
  const ways = open.flatMap(({ pair }) => byAudition(pair) ?? [])
  const [first] = open
  if (first === undefined || ways.length < open.length) return null
  const costUsd = sum(ways, (way) => way.costUsd)
  const change = inPlaceOf(retiring, first.kind, first.pair.candidate.modelId)
  return {
    count: sum(ways, ({ count }) => count), costUsd, command: commandOf(change, { by: "audition", costUsd })
  }
}

const kindRow = (retiring: Retiring) => (replaced: Replaced): RetirementKind => {
  const { all, kind, nCalls, nObserved, spentUsd, usual } = replaced
  return {
    lane: kind.lane, cluster: kind.cluster, nCalls, nObserved, spentUsd,
    usual: usual === null ? null : modelOf(usual),
    successors: all.slice(0, adviceSettings.successorsMax).map(successorOf(retiring)),
    audition: auditionOf(retiring, all.slice(0, 1).map((pair) => ({ kind, pair })))
  }
}

interface Overall extends Ranked {
  readonly pairs: ReadonlyArray<{ readonly kind: Kind; readonly nCalls: number; readonly pair: Replacement }>
  readonly nCalls: number
}

/** The best replacement among those that were compared on most calls; null without replacements. */
const overallOf = (kinds: ReadonlyArray<Replaced>): Overall | null => {
  const pairs = kinds.flatMap(({ all, kind, nCalls }) => all.map((pair) => ({ kind, nCalls, pair })))
  const byModel = Map.groupBy(pairs, ({ pair }) => pair.candidate.modelId)
  const overall = [...byModel].map(([id, own]): Overall => {
    const nCalls = sum(own, (each) => each.nCalls)
    return {
      id, pairs: own, nCalls,
      change: sum(own, (each) => each.nCalls * cautiousChangeOf(each.pair)) / nCalls,
      isCandidate: own.some(({ pair }) => pair.isCandidate),
      usd: sum(own, (each) => each.nCalls * each.pair.candidate.costUsd) / nCalls
    }
  })
  const most = Math.max(...overall.map(({ nCalls }) => nCalls))
  return overall.filter(({ nCalls }) => nCalls === most).sort(best)[0] ?? null
}

const overallRow = (retiring: Retiring, { id, nCalls, pairs }: Overall, allCalls: number) => {
  const change = sum(pairs, (each) => each.nCalls * changeOf(each.pair)) / nCalls
  const shareOf = (each: { readonly nCalls: number }): number => each.nCalls / nCalls
  const spread = (of: (pair: Pair) => number): number =>
    Math.sqrt(sum(pairs, (each) => shareOf(each) ** 2 * of(each.pair)))
  const success = sum(pairs, (each) => shareOf(each) * each.pair.candidate.success.mean)
  const within = normal975 * spread(({ candidate }) => variance(candidate.belief))
  const certainties = pairs.map(({ pair }) => certaintyOf(pair, pair.isKnownAsGood))
  const row: OverallSuccessor = {
    ...namedOf(id),
    retiresOn: retiring.lastDayOf(id),
    certainty: (["believed", "tried"] as const).find((each) => certainties.includes(each)) ?? "known",
    success, successLow: Math.max(0, success - within), successHigh: Math.min(1, success + within),
    successChange: change,
    callShare: nCalls / allCalls,
    knownShare: sum(pairs.filter(({ pair }) => pair.isKnownAsGood), (each) => each.nCalls) / allCalls,
    chance: normalBelow((change + rule.tolerance)
      / spread(({ candidate, usual }) => variance(candidate.belief) + variance(usual.belief))),
    usdPerMonthChange: 0 - sum(pairs, ({ pair }) => pair.savingUsd)
  }
  return row
}

type FromKinds = Pick<RetirementResponse, "audition" | "guarantee" | "kinds" | "successor" | "switch">

/** A successor counts as known only if verdicts prove it good enough. */
export const retirementOf = (retiring: Retiring, used: ReadonlyArray<UsedKind>): FromKinds => {
  const replaced = used.map(replacedIn(retiring)).sort((one, other) => other.nCalls - one.nCalls)
  const overall = overallOf(replaced)
  const allCalls = sum(replaced, ({ nCalls }) => nCalls)
  // A guarantee is suggested only for calls that ask Sextant: it cannot choose models for observed calls.
  const first = replaced.find(({ nCalls, nObserved }) => nCalls > nObserved)
  const guaranteeOf = (kind: Kind, usualId: string): string =>
    commandOf({ ...inPlaceOf(retiring, kind, usualId), usualId }, { by: "guarantee", costUsd: 0 })
  return {
    kinds: replaced.map(kindRow(retiring)),
    successor: overall && overallRow(retiring, overall, allCalls),
    audition: overall && auditionOf(
      retiring, overall.pairs.filter(({ nCalls }) => nCalls >= adviceSettings.auditionShareMin * allCalls)
    ),
    guarantee: first === undefined ? null : guaranteeOf(first.kind, retiring.modelId),
    switch: overall === null ? null : {
      command: guaranteeOf(overall.pairs[0]!.kind, overall.id),
      aliases: { [retiring.modelId]: modelIdOf(overall.id) }
    }
  }
}

export const daysLeft = (retiresOn: string | null, nowMs: number): number | null =>
  retiresOn === null ? null : Math.round((Date.parse(retiresOn) - Date.parse(dayOf(nowMs))) / dayMs)

export const retiringRow = (retiring: Retiring, used: ReadonlyArray<UsedKind>): RetiringModel => {
  const { accountId, modelId, nowMs, retiresOn } = retiring
  const { kinds, successor } = retirementOf(retiring, used)
  const perMonth = (of: (row: RetirementKind) => number): number =>
    sum(kinds, of) * (used[0]?.kind.perMonth ?? 0)
  return {
    modelId, retiresOn, successor, daysLeft: daysLeft(retiresOn, nowMs),
    callsPerMonth: perMonth(({ nCalls }) => nCalls),
    usdPerMonth: perMonth(({ spentUsd }) => spentUsd),
    lanes: [...new Set(kinds.map(({ lane }) => lane))],
    nKinds: kinds.length,
    command: retireCommand(accountId, modelId)
  }
}
